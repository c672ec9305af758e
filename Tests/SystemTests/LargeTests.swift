import DemoUpstream
import Foundation
import Model
import SQLite
import TestSupport
import Testing
import UserdAPI

@Suite("Many users", .timeLimit(.hang))
struct LargeTests {
    @Test(
        "Many users in 20 pages take less than 150 MiB, and a second, unchanged sync writes none of them")
    func large() async throws {
        try await onMachine(users: Volume.users) { machine in
            let userd = try await machine.startUserd([
                "users.page_size": "\(Volume.users / 20)", "users.pages": "20", "paused": "true",
            ])
            let first = try await machine.timedSync()
            #expect(first.state.phase == .loaded, "\(first.state.failure?.message ?? "")")
            #expect(first.state.count == Volume.users)
            let peak = try memoryPeak(of: userd)
            #expect(peak < 150 << 20)

            let connection = try Connection(path: machine.database, access: .readWrite)
            try connection.execute(
                """
                CREATE TABLE writes (what TEXT);
                CREATE TRIGGER i AFTER INSERT ON users BEGIN INSERT INTO writes VALUES ('insert'); END;
                CREATE TRIGGER u AFTER UPDATE ON users BEGIN INSERT INTO writes VALUES ('update'); END;
                CREATE TRIGGER d AFTER DELETE ON users BEGIN INSERT INTO writes VALUES ('delete'); END;
                """)
            let writes = { try connection.rows("SELECT what FROM writes") { try $0.text(0) } }
            let second = try await machine.timedSync()
            #expect(second.state.phase == .loaded)
            #expect(second.state.index > first.state.index)
            #expect(try writes() == [])
            #expect(try memoryPeak(of: userd) < 150 << 20)

            // Checks the triggers themselves.
            try connection.run("UPDATE users SET words = words WHERE number = 1")
            #expect(try writes() == ["update"])
            print(
                "\(Volume.users) users: \(first.duration), again \(second.duration), memory at most \(peak >> 20) MiB"
            )
        }
    }

    /// The peak of a process's memory in bytes.
    private func memoryPeak(of process: ChildProcess) throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(process.id)/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return try #require(Int(line.filter(\.isNumber))) << 10
    }
}

extension Machine {
    fileprivate func timedSync() async throws -> (state: State, duration: Duration) {
        let started = ContinuousClock.now
        let state = try await sync(.users)
        return (state, ContinuousClock.now - started)
    }
}
