import Foundation
import Model
import TestSupport
import Testing

@Suite("userd at rest", .timeLimit(.hang))
struct RestTests {
    @Test("Sleeps for seconds on end, though it has synced and answered")
    func sleeps() async throws {
        // A page of so many is read by several threads.
        try await onMachine(users: 1200) { machine in
            let userd = try await machine.startUserd(["users.page_size": "1200", "users.pages": "1"])
            #expect(try await machine.sync(.users).count == 1200)
            #expect(try await !machine.users().isEmpty)
            // libdispatch's own timer, which nothing stops, is due each second.
            var last = (switches: -1, since: ContinuousClock.now)
            try await wait {
                let switches = try switches(of: userd)
                if switches != last.switches { last = (switches, .now) }
                return .now - last.since > .seconds(3)
            }
        }
    }

    /// How often its threads have gone to sleep (proc_pid_status(5)).
    private func switches(of process: ChildProcess) throws -> Int {
        let folder = "/proc/\(process.id)/task"
        return try FileManager.default.contentsOfDirectory(atPath: folder).reduce(0) { sum, thread in
            // It may have ended by now.
            let status = (try? String(contentsOfFile: "\(folder)/\(thread)/status", encoding: .utf8)) ?? ""
            let count = status.firstMatch(of: /\nvoluntary_ctxt_switches:\s+(\d+)/).flatMap { Int($0.1) }
            return sum + (count ?? 0)
        }
    }
}
