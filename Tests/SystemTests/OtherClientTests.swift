import Foundation
import Glibc
import Model
import TestSupport
import Testing
import UserdAPI
import Varlink

@Suite("Clients of other makers", .timeLimit(.hang))
struct OtherClientTests {
    /// The output of `typed.py`.
    private struct Report: Decodable {
        struct Info: Decodable {
            var vendor, product, version, url: String
            var interfaces: [String]
        }
        var info: Info
        var state: DaemonState
        var page: UserList
        var next: UserList
        var pages: [UserList]
        var user: UserReply
        var watched: [WatchedState]
        var pipelined: [UserReply]
        var notFound: String
        var expectedMore: Bool
    }

    @Test(
        "asyncvarlink accepts every reply's types, and gets replies to pipelined calls in order"
    )
    func asyncvarlink() async throws {
        try await onMachine { machine in
            try await machine.startUserd(["paused": "true"])
            #expect(try await machine.sync(.users).phase == .loaded)
            let before = try await machine.call(.getState, NoParameters())
            let result = try await machine.runPython([VarlinkClients.program("typed.py"), machine.socket])
            #expect(result.errors == "")
            try #require(result.code == 0)
            let report = try decoded(Report.self, from: Array(result.output.utf8))

            let info = report.info
            #expect([info.vendor, info.product, info.version] == ["userd", "userd", version])
            #expect(info.url == homepage ?? "unset")
            #expect(info.interfaces == ["org.varlink.service", "io.userd"])
            #expect(report.state == (try await machine.call(.getState, NoParameters())))
            let users = try await machine.users()
            try #require(users.count == 20)
            #expect(report.page.users == Array(users[..<3]))
            #expect(report.next.users == Array(users[3..<6]))
            #expect(report.pages.map(\.users.count) == [8, 8, 4])
            #expect(report.pages.flatMap(\.users) == users)
            #expect(report.user.user == users[0])
            #expect(report.pipelined.map(\.user) == Array(users[..<3]))
            #expect(report.notFound == "nobody")
            #expect(report.expectedMore)
            let history = try await machine.call(.history, History(limit: 2)).states
            #expect(report.watched.map(\.state) == before.states + history.reversed())
            #expect(history.map(\.phase) == [.loaded, .syncing])
        }
    }

    @Test("A shell can call userd with printf and nc")
    func shell() async throws {
        try await onMachine { machine in
            try await machine.startUserd(["paused": "true"])
            #expect(try await machine.sync(.users).phase == .loaded)
            let calls = [
                #"{"method":"io.userd.GetState"}"#,
                #"{"method":"io.userd.ListUsers","parameters":{"limit":8},"more":true}"#,
                #"{"method":"io.userd.SetPaused","parameters":{"paused":true},"oneway":true}"#,
                #"{"method":"io.userd.GetUser","parameters":{"key":"nobody"}}"#,
            ]
            let command =
                "printf '\(calls.joined(separator: "\\0"))\\0' | \(VarlinkClients.netcat) -N -U '\(machine.socket)'"
            let result = try await run("/bin/sh", ["-c", command], environment: machine.environment)
            #expect(result.code == 0, "\(result.errors)")
            let replies = result.output.split(separator: "\0").map(String.init)
            try #require(replies.count == 1 + 3 + 1)
            let state = try await machine.reply(.getState, NoParameters())
            #expect(replies.first == #"{"parameters":\#(String(decoding: state, as: UTF8.self))}"#)
            #expect(replies[1..<4].map { $0.hasSuffix(#","continues":true}"#) } == [true, true, false])
            #expect(replies.last == #"{"error":"io.userd.NotFound","parameters":{"key":"nobody"}}"#)
        }
    }

    @Test("Go's generator makes a client from the interface")
    func generator() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("io.userd.varlink")
        func generate(_ text: String) async throws -> Finished {
            try text.write(toFile: path, atomically: true, encoding: .utf8)
            return try await run(VarlinkClients.goGenerator, [path], environment: [:])
        }
        #expect(try await generate(UserdInterface.description + "method Lost(").code != 0)
        let result = try await generate(UserdInterface.description)
        #expect(result.code == 0, "\(result.errors)")
        let client = try String(contentsOfFile: directory.file("iouserd.go"), encoding: .utf8)
        let interface = try Interface(parsing: UserdInterface.description)
        for method in interface.methods {
            #expect(client.contains("func \(method.name)() \(method.name)_methods"))
        }
        for error in interface.errors { #expect(client.contains("type \(error.name) struct")) }
    }
}
