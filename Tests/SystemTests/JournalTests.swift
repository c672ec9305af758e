import Foundation
import Glibc
import TestSupport
import Testing

@Suite("userd's lines in the journal", .timeLimit(.hang))
struct JournalTests {
    @Test(
        "Each line in the journal has its level as its priority, and no time: only a failed reload logs an error"
    )
    func priorities() async throws {
        try await onUserManager { manager in
            try await manager.installUnits()
            try await manager.systemctl("start", "userd.service")
            #expect(try await manager.userctl("sync", "--wait").code == 0)
            try await manager.systemctl("stop", "userd.service")
            #expect(try await manager.lines(upTo: "err") == [])
            let all = try await manager.lines(upTo: "debug")
            #expect(
                all.contains { $0.hasSuffix("[Daemon] Starting") }
                    && all.contains { $0.contains("Everything fetched") })
            // The journal has the time, the priority and the program's name.
            let head = /(<[0-9]>|[0-9]{4}-|(debug|info|notice|warning|error) |userd:).*/
            #expect(all.filter { $0.wholeMatch(of: head) != nil } == [])
            let notices = try await manager.lines(upTo: "notice")
            #expect(notices.contains { $0.hasSuffix("Listening") })
            #expect(!notices.contains { $0.hasSuffix("Starting") || $0.contains("Everything fetched") })

            try await manager.systemctl("start", "userd.service")
            try manager.write("users: { page_size: many }\n", to: ".config/userd/config.yaml")
            // systemctl reload checks the file first, and sends no signal.
            try await manager.systemctl("kill", "--signal=HUP", "userd.service")
            try await manager.property("StatusText", of: "userd.service") { $0.contains("reload failed") }
            let failed = try await manager.lines(upTo: "err")
            #expect(failed.count == 1 && failed[0].contains("users.page_size"), "\(failed)")

            try await manager.systemctl("stop", "userd.service")
            #expect(try await manager.systemctl("start", "userd.service").code != 0)
            let refused = try await manager.lines(upTo: "err").dropFirst()
            #expect(refused.first?.hasPrefix("userd: ") == true, "\(refused)")
        }
    }

    @Test("A log in a file has plain lines even if JOURNAL_STREAM is set")
    func file() async throws {
        try await onMachine { machine in
            let userd = try machine.start(
                .userd, machine.arguments(["paused": "true"]), environment: ["JOURNAL_STREAM": "8:4711"])
            try await userd.line(containing: "Listening")
            #expect(userd.text(.errors).split(separator: "\n").allSatisfy { $0.hasPrefix("2") })
        }
    }

    @Test(
        "A bug report contains the user's own lines, also of earlier runs, and the manager's about them"
    )
    func report() async throws {
        try await onUserManager(keepsJournal: true) { manager in
            try await manager.installUnits(["paused": "true"])
            try await manager.systemctl("start", "userd.service")
            try await manager.systemctl("kill", "--signal=KILL", "userd.service")
            try await manager.property("NRestarts", of: "userd.service") { $0 == "1" }
            try await manager.property("ActiveState", of: "userd.service") { $0 == "active" }
            _ = try await manager.journal(of: "userd.service")
            let finished = try await manager.userctl("report", "-", "--with-data")
            #expect(finished.code == 0, "\(finished)")
            let lines = try logLines(finished.output)
            #expect(lines.source == "journal")
            #expect(lines.lines.count { $0.hasSuffix("Listening") } == 2, "\(lines)")
            #expect(lines.lines.contains { $0.contains("systemd[") && $0.contains("status=9/KILL") })
            #expect(lines.lines.allSatisfy { !$0.contains("<5>") })
        }
    }

    @Test("If a user may not read the journal, a bug report says so, and names --log")
    func forbidden() async throws {
        try await onUserManager { manager in
            try await manager.installUnits(["paused": "true"])
            try await manager.systemctl("start", "userd.service")
            let finished = try await manager.userctl("report", "-", "--with-data")
            #expect(finished.code == 0, "\(finished)")
            let log = try logLines(finished.output)
            #expect(log.lines == [])
            #expect(log.source.hasPrefix("none: ") && log.source.contains("permission"), "\(log)")
            #expect(log.source.hasSuffix("; --log FILE names one"))
        }
    }

    private func logLines(_ report: String) throws -> (source: String, lines: [String]) {
        let har = try #require(JSONSerialization.jsonObject(with: Data(report.utf8)) as? [String: Any])
        let told = try #require((har["log"] as? [String: Any])?["_userd"] as? [String: Any])
        let log = try #require(told["log"] as? [String: Any])
        return (try #require(log["source"] as? String), try #require(log["lines"] as? [String]))
    }
}

extension UserManager {
    /// userd's own lines of this priority or a more severe one.
    fileprivate func lines(upTo priority: String) async throws -> [String] {
        _ = try await run("/usr/bin/journalctl", ["--sync"], asRoot: true)
        return try await run(
            "/usr/bin/journalctl",
            [
                "--quiet", "--all", "--output=cat", "--priority=\(priority)",
                "_SYSTEMD_USER_UNIT=userd.service",
            ],
            asRoot: true
        ).outputLines
    }
}
