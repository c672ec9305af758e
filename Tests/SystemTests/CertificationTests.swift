import Foundation
import Glibc
import StrictJSON
import TestSupport
import Testing
import UserdAPI
import Varlink

@Suite("Certification of the Varlink implementation", .timeLimit(.hang))
struct CertificationTests {
    /// A client of org.varlink.certification from another Varlink implementation.
    struct Client: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var executable: String
        var arguments: [String]
        /// The last line of output if all went well: Go's client always ends with 0.
        var lastLine: String

        static let all = [
            Client(
                testDescription: "Python", executable: VarlinkClients.python,
                arguments: ["-m", "varlink.tests.test_certification", "--client", "--varlink"],
                lastLine: "Certification passed"),
            Client(
                testDescription: "Go", executable: VarlinkClients.go, arguments: ["-client", "-varlink"],
                lastLine: "End: 'true'"),
        ]

        func run(at socket: String) async throws -> (passes: Bool, result: Finished) {
            let result = try await TestSupport.run(
                executable, arguments + ["unix:" + socket], environment: [:])
            return (result.code == 0 && result.outputLines.last == lastLine, result)
        }
    }

    @Test("Clients of other implementations pass the certification", arguments: Client.all)
    func passes(client: Client) async throws {
        try await certifying { socket in
            for _ in 1...2 {
                let (passes, result) = try await client.run(at: socket)
                #expect(passes, "\(result)")
                #expect(result.output.contains("'Reply number 10'"))
            }
        }
    }

    static let lies = [
        #"Start={"client_id":"x"}"#, #"Test01={"bool":false}"#, #"Test02={"int":2}"#,
        #"Test03={"float":1.5}"#,
        #"Test04={"string":"pong"}"#, #"Test05={"bool":false,"int":2,"float":3,"string":"a lot of string"}"#,
        #"Test07={"map":{"foo":"Foo"}}"#, #"Test08={"set":{"one":{},"two":{}}}"#,
        #"Test10={"string":"Reply number 1"}"#,
    ]

    @Test("Clients notice a wrong answer at the next call", arguments: lies, Client.all)
    func notices(lie: String, client: Client) async throws {
        try await certifying(lie: lie) { socket in
            let (passes, result) = try await client.run(at: socket)
            #expect(!passes)
            #expect((result.output + result.errors).contains(/failed|certification\.C\w+Error/), "\(result)")
        }
    }

    @Test("The certification interface is the same as Python's")
    func interface() async throws {
        let theirs = try Interface(
            parsing: try VarlinkClients.pythonResource("org.varlink.certification.varlink"))
        try await certifying { socket in
            let reply = try await onThread {
                try VarlinkClient(path: socket).call(
                    "org.varlink.service.GetInterfaceDescription",
                    parameters: Array(#"{"interface":"org.varlink.certification"}"#.utf8),
                    timeout: .seconds(30))
            }
            let ours = try Interface(
                parsing: try decoded([String: String].self, from: reply)["description"] ?? "")
            #expect(ours.name == theirs.name)
            #expect(ours.types.map(\.name) == theirs.types.map(\.name))
            #expect(ours.types.map(\.type) == theirs.types.map(\.type))
            #expect(ours.methods.map(\.name) == theirs.methods.map(\.name))
            #expect(ours.methods.map(\.input) == theirs.methods.map(\.input))
            #expect(ours.methods.map(\.output) == theirs.methods.map(\.output))
            #expect(ours.errors.map(\.name) == theirs.errors.map(\.name))
            #expect(ours.errors.map(\.fields) == theirs.errors.map(\.fields))
        }
    }

    /// A client's first mistake.
    struct Mistake: Sendable, CustomTestStringConvertible {
        /// The number of calls before the mistake.
        var after: Int
        var method: String
        /// Members of a JSON object; nil for those of the reply to the call before.
        var parameters: String?
        var more = false
        /// The expected call, in the same form.
        var wantedMethod: String
        var wantedParameters: String?
        /// Another member of the expected call.
        var wantedFlag = ""

        var testDescription: String { "\(method) \(parameters ?? "") for \(wantedMethod)" }
    }

    static let strings = (1...10).map { "\"Reply number \($0)\"" }.joined(separator: ",")
    static let mistakes = [
        Mistake(after: 0, method: "Test02", parameters: #""bool":true"#, wantedMethod: "Test01"),
        Mistake(after: 0, method: "Test01", more: true, wantedMethod: "Test01"),
        Mistake(after: 0, method: "End", wantedMethod: "Test01"),
        Mistake(after: 1, method: "Test02", parameters: #""bool":false"#, wantedMethod: "Test02"),
        Mistake(after: 1, method: "Test01", parameters: "", wantedMethod: "Test02"),
        Mistake(after: 3, method: "Test04", parameters: #""float":1.0000000001"#, wantedMethod: "Test04"),
        Mistake(
            after: 7, method: "Test08", parameters: #""map":{"foo":"Foo","bar":"Bar","baz":"Baz"}"#,
            wantedMethod: "Test08"),
        Mistake(
            after: 8, method: "Test09", parameters: #""set":{"one":{},"two":{},"four":{}}"#,
            wantedMethod: "Test09"),
        Mistake(after: 9, method: "Test10", wantedMethod: "Test10", wantedFlag: #","more":true"#),
        // A flag is missing.
        Mistake(
            after: 10, method: "Test11", parameters: #""last_more_replies":[\#(strings)]"#,
            wantedMethod: "Test11", wantedParameters: #""last_more_replies":[\#(strings)]"#,
            wantedFlag: #","oneway":true"#),
    ]

    @Test(
        "A wrong call gets an error with the expected call, and ends its client's run", arguments: mistakes)
    func tells(mistake: Mistake) async throws {
        try await certifying { socket in
            let (errors, expected) = try await onThread {
                let client = try Caller(socket)
                var answer = ""
                for number in 1..<(mistake.after + 1) {
                    let method = String(format: "Test%02d", number)
                    answer = try client.replies(method, answer, more: method == "Test10")[0]
                }
                let parameters = mistake.parameters ?? answer
                let wantedParameters = mistake.wantedParameters ?? answer
                let errors = [
                    client.error(mistake.method, parameters, more: mistake.more),
                    client.error(mistake.wantedMethod, wantedParameters),
                ]
                let wants = client.message(mistake.wantedMethod, wantedParameters, mistake.wantedFlag)
                let got = client.message(mistake.method, parameters, mistake.more ? #","more":true"# : "")
                return (errors, #""wants":\#(wants),"got":\#(got)"#)
            }
            #expect(errors[0]?.name == "org.varlink.certification.CertificationError")
            #expect(try object(errors[0]?.parameters ?? []) == object(expected))
            #expect(errors[1]?.name == "org.varlink.certification.ClientIdError")
        }
    }

    @Test("Our service and Python's accept each other's replies as parameters, and answer alike")
    func crossed() async throws {
        try await certifying { socket in
            let directory = try TemporaryDirectory()
            let theirs = directory.file("socket")
            let service = try ChildProcess(
                VarlinkClients.python,
                ["-m", "varlink.tests.test_certification", "--varlink", "unix:" + theirs],
                environment: ["PYTHONUNBUFFERED": "1"])
            defer { service.send(SIGKILL) }
            try await service.line(containing: "Listening", in: .output)
            let answers = try await onThread {
                let callers = [try Caller(socket), try Caller(theirs)]
                var answers = [[""], [""]]
                for number in 1...10 {
                    let method = String(format: "Test%02d", number)
                    answers = try zip(callers, answers.reversed()).map { caller, answers in
                        try caller.replies(method, answers[0], more: number == 10)
                    }
                }
                return answers
            }
            #expect(answers.map(\.count) == [10, 10])
            #expect(try answers[0].map(object) == answers[1].map(object))
        }
    }
}

/// A client of the service with its own client id.
private final class Caller {
    private let client: VarlinkClient
    private let id: String

    init(_ socket: String) throws {
        client = try VarlinkClient(path: socket)
        let reply = try client.call("org.varlink.certification.Start", timeout: .seconds(30))
        id = try decoded([String: String].self, from: reply)["client_id"] ?? ""
    }

    /// - Parameter parameters: members of a JSON object without the client's id, like each reply.
    @discardableResult
    func replies(_ method: String, _ parameters: String, more: Bool = false) throws -> [String] {
        let bytes = Array(object(parameters).utf8)
        let method = "org.varlink.certification." + method
        var replies: [[UInt8]] = []
        if more {
            try client.callMore(method, parameters: bytes, timeout: .seconds(30)) {
                replies.append(Array($0.raw))
                return .proceed
            }
        } else {
            replies.append(try client.call(method, parameters: bytes, timeout: .seconds(30)))
        }
        return replies.map {
            String(decoding: $0.dropFirst().dropLast(), as: UTF8.self)
                .replacing("\"client_id\": \"\(id)\", ", with: "")
        }
    }

    /// nil if the call succeeds, or fails without a Varlink error.
    func error(_ method: String, _ parameters: String, more: Bool = false) -> VarlinkError? {
        do {
            try replies(method, parameters, more: more)
            return nil
        } catch {
            return error as? VarlinkError
        }
    }

    /// A call as JSON.
    func message(_ method: String, _ parameters: String, _ flag: String) -> String {
        #"{"method":"org.varlink.certification.\#(method)","parameters":\#(object(parameters))\#(flag)}"#
    }

    private func object(_ members: String) -> String {
        #"{"client_id":"\#(id)"\#(members.isEmpty ? "" : ",")\#(members)}"#
    }
}

private func object(_ members: String) throws -> NSDictionary { try object(Array("{\(members)}".utf8)) }

private func object(_ json: [UInt8]) throws -> NSDictionary {
    try #require(try JSONSerialization.jsonObject(with: Data(json)) as? NSDictionary)
}

/// Serves org.varlink.certification while the body runs.
/// - Parameter lie: a method and a wrong reply to it, as in `Test01={}`.
private func certifying(lie: String? = nil, _ body: @Sendable (_ socket: String) async throws -> Void)
    async throws
{
    let directory = try TemporaryDirectory()
    let socket = directory.file("socket")
    let service = try ChildProcess(
        Program.certification.path, [socket] + (lie.map { ["--lie", $0] } ?? []), environment: [:])
    defer { service.send(SIGKILL) }
    try await service.line(containing: "Listening")
    try await body(socket)
    service.send(SIGTERM)
    #expect(try await service.ended() == .exited(0))
    #expect(!FileManager.default.fileExists(atPath: socket))
}
