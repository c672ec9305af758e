import DemoUpstream
import Foundation
import Model
import TestSupport
import Testing
import UserdAPI

@Suite("What clients have userd do while it records", .timeLimit(.minutes(2)))
struct ReplayedCallsTests {
    @Test("is done again in a replay, of the recording and of a report: the same transitions and rows")
    func again() async throws {
        try await onMachine(users: 6) { machine in
            let file = machine.file("calls.har")
            let userd = try await machine.startUserd([
                "paused": "true", "record": file, "users.pictures": "none", "retry.base": "60s",
            ])
            try await machine.upstream.setFaults([
                Fault(.status(429, retryAfter: "60"), path: "/api", times: 1),
                Fault(.truncate, path: "/facts", times: 1),
            ])
            func run(_ arguments: String..., code: Int32 = 0) async throws {
                let ended = try await machine.userctl(arguments)
                #expect(ended.code == code, "\(arguments): \(ended.errors)")
            }
            try await run("sync", "users", "--wait", code: 1)
            try await run("retry", "--wait")
            try await run("sync", "--wait", code: 1)
            try await run("fact", "--new")
            // Something hangs, and is given up.
            try await machine.upstream.setFaults([Fault(.stall, path: "/api")])
            try await run("sync", "users")
            while machine.upstream.requests(for: "/api") < 3 {
                try await Task.sleep(for: .milliseconds(20))
            }
            try await run("cancel")
            try await machine.upstream.setFaults([])
            // What is in error is due then.
            try await run("resume")
            try await run("wait", "--timeout", "20s")
            try await run("sync", "--wait")
            let report = machine.file("report.har")
            try await run("report", report)
            let recorded = try await told(machine)
            userd.send(SIGTERM)
            #expect(try await userd.ended() == .exited(0))

            try await inNetworkNamespace { network in
                for file in [file, report] {
                    let userd = try await machine.startUserd(arguments: ["--replay", file], in: network)
                    try await userd.line(containing: "index=\(recorded.transitions.count) ")
                    let replayed = try await told(machine)
                    #expect(replayed.transitions == recorded.transitions)
                    #expect(replayed.rows == recorded.rows)
                    userd.send(SIGTERM)
                    try await userd.line(containing: "All of the recording has been asked for")
                    #expect(try await userd.ended() == .exited(0))
                }
            }
        }
    }

    /// The transitions, without their times and texts that name these, and the rows.
    private func told(_ machine: Machine) async throws -> (transitions: [String], rows: String) {
        let history = try await machine.call(.history, History(limit: 100)).states.reversed().map {
            "\($0.index) \($0.resource) \($0.phase) \($0.cause) \($0.count) \($0.failure?.kind.rawValue ?? "")"
        }
        let users = try await machine.userctl(["list", "--output", "ndjson"]).output
        let facts = try await machine.userctl(["facts", "--output", "csv"]).output
            .split(whereSeparator: \.isNewline)
            .map { $0.split(separator: ",").dropLast().joined(separator: ",") }
        return (history, ([users] + facts.sorted()).joined(separator: "\n"))
    }
}
