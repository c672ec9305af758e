import DemoUpstream
import Foundation
import Glibc
import Model
import StrictJSON
import TestSupport
import Testing
import UserdAPI
import Varlink

@Suite("The general client of Python's varlink", .timeLimit(.hang))
struct GeneralClientTests {
    @Test("The general client gets userd's information and the exact interface, also over a bridge")
    func introspection() async throws {
        try await onMachine { machine in
            try await machine.startUserd(["paused": "true"])
            for info in [["info", machine.address], ["--bridge", machine.bridge, "info"]] {
                let result = try await machine.varlink(info)
                #expect(result.code == 0, "\(result.errors)")
                #expect(
                    result.output == """
                        Vendor: userd
                        Product: userd
                        Version: \(version)
                        URL: \(homepage ?? "unset")
                        Interfaces:
                           org.varlink.service
                           io.userd

                        """)
            }
            let help = try await machine.varlink(["help", machine.address + "/io.userd"])
            #expect(help.code == 0, "\(help.errors)")
            #expect(help.output == UserdInterface.description + "\n")
            let service = try await machine.varlink(["help", machine.address + "/org.varlink.service"])
            #expect(service.output.contains("interface org.varlink.service\n"))
        }
    }

    @Test("The general client can call every method, with and without more")
    func everyMethod() async throws {
        try await onMachine { machine in
            try await machine.startUserd(["paused": "true"])
            for resource in Resource.allCases { #expect(try await machine.sync(resource).phase == .loaded) }
            let users = try await machine.users()
            try #require(users.count == 20)
            let client = try GeneralClient(machine)
            for more in [true, false] {
                let lists = try await client.replies(.listUsers, ListUsers(limit: 8), more: more)
                #expect(lists.map(\.users.count) == (more ? [8, 8, 4] : [8]))
                #expect(lists.flatMap(\.users) == Array(users.prefix(more ? 20 : 8)))
                #expect(lists.allSatisfy { $0.total == 20 && $0.freshness.phase == .loaded })

                let user = try await client.reply(.getUser, GetUser(key: users[3].id), more: more)
                #expect(user.user == users[3])
                let chain = try await client.reply(
                    .listManagers, ListManagers(key: users[3].id), more: more)
                #expect(chain.user == users[3] && chain.managers.isEmpty && chain.end == .top)
                let tree = try await client.reply(.listReports, ListReports(key: users[3].id), more: more)
                #expect(tree.positions == [Position(user: users[3], depth: 0, reports: 0)])
                let key = try #require(users[3].email)
                let picture = try await client.reply(
                    .getPicture, GetPicture(key: key, size: .large), more: more)
                #expect(picture.contentType == "image/png" && !picture.placeholder)
                let content = try #require(Data(base64Encoded: picture.content))
                #expect(content.starts(with: [0x89, 0x50, 0x4E, 0x47]))

                let facts = try await machine.call(.listFacts, ListFacts(limit: 1000)).facts
                let pages = try await client.replies(.listFacts, ListFacts(limit: 30), more: more)
                #expect(pages.flatMap(\.facts) == (more ? facts : Array(facts.prefix(30))))
                let fact = try await client.reply(.randomFact, RandomFact(maxLength: 90), more: more).fact
                #expect(facts.contains(fact) && fact.length <= 90)
                machine.upstream.forgetRequests()
                let new = try await client.reply(.fetchFact, NoParameters(), more: more)
                #expect(machine.upstream.requests(for: "/fact") == 1)
                #expect(try await machine.call(.listFacts, ListFacts(limit: 1000)).facts.contains(new.fact))

                let synced = try await client.reply(.sync, Sync(resources: [.users], wait: true), more: more)
                #expect(synced.states == [try await machine.state(of: .users)])
                #expect(machine.upstream.requests(for: "/api") == 1)
                let retried = try await client.reply(.retry, Retry(resources: [.facts]), more: more)
                #expect(retried.states == [try await machine.state(of: .facts)])
                let cancelled = try await client.reply(.cancel, Cancel(), more: more)
                #expect(cancelled.states == (try await machine.call(.getState, NoParameters()).states))
                let history = try await client.reply(
                    .history, History(resource: .users, limit: 2), more: more)
                #expect(history.states.map(\.phase) == [.loaded, .syncing])
                #expect(history.states.first == synced.states.first)

                // The client does not print a reply without parameters.
                #expect(try await client.replies(.setPaused, SetPaused(paused: more), more: more).isEmpty)
                let settings = try await client.reply(.getSettings, NoParameters(), more: more)
                #expect(settings == (try await machine.call(.getSettings, NoParameters())))
                let survey = try await client.reply(.getSurvey, NoParameters(), more: more)
                #expect(survey == (try await machine.call(.getSurvey, NoParameters())))
                let state = try await client.reply(.getState, NoParameters(), more: more)
                #expect(state == (try await machine.call(.getState, NoParameters())))
                #expect(state.paused == more)

                // No provider is set to sign in at.
                try await client.refused(.signIn, SignIn(grant: .device), more: more)
                try await client.refused(.finishSignIn, FinishSignIn(redirect: "http://[::1]/"), more: more)
                try await client.refused(.signOut, SignOut(), more: more)
            }
            // Watch never ends by itself.
            let methods = Set(try Interface(parsing: UserdInterface.description).methods.map(\.name))
            #expect(await client.called.union(["Watch"]) == methods)
        }
    }

    @Test("The general client gets several replies over a bridge")
    func bridge() async throws {
        try await onMachine { machine in
            try await machine.startUserd()
            #expect(try await machine.sync(.users).phase == .loaded)
            let result = try await machine.varlink([
                "--bridge", machine.bridge, "call", "--more", "io.userd.ListUsers", #"{"limit":8}"#,
            ])
            #expect(result.code == 0, "\(result.errors)")
            let lists = try documents(result.output).map { try decoded(UserList.self, from: $0) }
            #expect(lists.map(\.users.count) == [8, 8, 4])
        }
    }

    @Test("The general client gets errors with their full name and parameters")
    func errors() async throws {
        let twins = (0...1).map {
            [
                "login": ["uuid": "user-\($0)"], "name": ["last": "Twin", "first": ""],
                "email": "twin@example.com",
            ] as [String: Any]
        }
        let body = String(
            decoding: try JSONSerialization.data(withJSONObject: ["results": twins]), as: UTF8.self)
        try await onMachine { machine in
            try await machine.startUserd(["paused": "true"])
            try await machine.upstream.setFaults([
                Fault(.status(200, body: body), path: "/api"), Fault(.status(418), path: "/fact"),
            ])
            let users = try await machine.sync(.users)
            #expect(users.count == 2)
            let (own, service) = ("io.userd.", "org.varlink.service.")
            for (call, error) in [
                (own + #"GetUser {"key":"nobody"}"#, own + "NotFound 'key': 'nobody'"),
                (
                    own + #"GetUser {"key":"twin@example.com"}"#,
                    own + "Ambiguous 'ids': ['user-0', 'user-1'], 'key': 'twin@example.com'"
                ),
                (own + "RandomFact", own + "NoFacts "),
                (own + #"ListFacts {"cursor":"x"}"#, own + "InvalidCursor 'cursor': 'x'"),
                (own + "Watch", service + "ExpectedMore "),
                (own + #"ListUsers {"limit":"3"}"#, service + "InvalidParameter 'parameter': 'limit'"),
                (own + #"ListUsers {"limit":0}"#, service + "InvalidParameter 'parameter': 'limit'"),
                (own + #"ListUsers {"shoe":41}"#, service + "InvalidParameter 'parameter': 'shoe'"),
                (own + "GetUser", service + "InvalidParameter 'parameter': 'key'"),
                (own + "ListShoes", service + "MethodNotFound 'method': 'io.userd.ListShoes'"),
                ("io.nowhere.ListUsers", service + "InterfaceNotFound 'interface': 'io.nowhere'"),
                (
                    own + "FetchFact",
                    own + "UpstreamFailed 'failure': {'attempts': 1, 'http_status': 418, 'kind': 'http', "
                ),
            ] {
                let call = call.split(separator: " ", maxSplits: 1).map(String.init)
                let parts = error.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
                for more in [[], ["--more"]] where more.isEmpty || call[0] != "io.userd.Watch" {
                    let result = try await machine.varlink(
                        ["call"] + more + [machine.address + "/" + call[0]] + call.dropFirst())
                    #expect(result.output == "", "\(call)")
                    #expect(
                        result.errors.hasPrefix("{'error': '\(parts[0])', 'parameters': {\(parts[1])"),
                        "\(call): \(result.errors)")
                }
            }
        }
    }
}

/// Calls a machine's userd with `python -m varlink.cli call`.
private actor GeneralClient {
    /// The methods' names, without the interface.
    private(set) var called: Set<String> = []
    private let machine: Machine
    private let interface: Interface

    init(_ machine: Machine) throws {
        self.machine = machine
        interface = try Interface(parsing: UserdInterface.description)
    }

    func reply<Parameters, Output>(
        _ method: UserdMethod<Parameters, Output>, _ parameters: Parameters, more: Bool
    ) async throws -> Output {
        let replies = try await replies(method, parameters, more: more)
        try #require(replies.count == 1)
        return replies[0]
    }

    func replies<Parameters, Output>(
        _ method: UserdMethod<Parameters, Output>, _ parameters: Parameters, more: Bool
    ) async throws -> [Output] {
        let result = try await call(method, parameters, more: more)
        #expect(result.code == 0)
        #expect(result.errors == "", "\(method.name)")
        let fields = try #require(interface.method(method.name)).output
        return try documents(result.output).map { document in
            let value = try JSONValue(validating: document, maximumDepth: 32)
            #expect(interface.invalidParameter(in: value, fields: fields) == nil, "\(method.name)")
            return try decoded(Output.self, from: document)
        }
    }

    func refused<Parameters, Output>(
        _ method: UserdMethod<Parameters, Output>, _ parameters: Parameters, more: Bool
    ) async throws {
        let result = try await call(method, parameters, more: more)
        let output = result.output + result.errors
        #expect(output.contains("UpstreamFailed") || !more && output.contains("ExpectedMore"), "\(output)")
    }

    private func call<Parameters, Output>(
        _ method: UserdMethod<Parameters, Output>, _ parameters: Parameters, more: Bool
    ) async throws -> Finished {
        called.insert(method.name)
        let json = String(decoding: try encoded(parameters), as: UTF8.self)
        let address = "\(machine.address)/\(method.qualifiedName)"
        return try await machine.varlink(["call"] + (more ? ["--more"] : []) + [address, json])
    }
}

/// The JSON objects of the client's output, each over several lines.
private func documents(_ output: String) throws -> [[UInt8]] {
    var documents: [[UInt8]] = []
    var lines: [Substring] = []
    for line in output.split(separator: "\n") {
        lines.append(line)
        guard line == "}" else { continue }
        documents.append(Array(lines.joined(separator: "\n").utf8))
        lines = []
    }
    try #require(lines.isEmpty, "\(lines)")
    return documents
}
