import Foundation
import Model
import TestSupport
import Testing

@Suite("userd at rest", .timeLimit(.minutes(2)))
struct RestTests {
    @Test("Has no timer that is due soon, though it has synced and answered")
    func timers() async throws {
        // A page of so many is read by several threads.
        try await onMachine(users: 1200) { machine in
            let userd = try await machine.startUserd(["users.page_size": "1200", "users.pages": "1"])
            #expect(try await machine.sync(.users).count == 1200)
            #expect(try await !machine.users().isEmpty)
            // libdispatch's own timer, which nothing stops, is due each second.
            try await wait { try dues(of: userd).allSatisfy { $0 == 0 || $0 > 2 } }
        }
    }

    /// Seconds until timers are due (proc_pid_fdinfo(5)).
    private func dues(of process: ChildProcess) throws -> [Int] {
        let folder = "/proc/\(process.id)/fdinfo"
        return try FileManager.default.contentsOfDirectory(atPath: folder).compactMap { descriptor in
            // It may be closed by now.
            guard let text = try? String(contentsOfFile: folder + "/" + descriptor, encoding: .utf8) else {
                return nil
            }
            guard let value = text.firstMatch(of: /it_value: \((\d+), (\d+)\)/) else { return nil }
            return value.1 == "0" && value.2 != "0" ? 1 : Int(value.1)
        }
    }
}
