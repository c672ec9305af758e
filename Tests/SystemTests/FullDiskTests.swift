import Foundation
import Glibc
import SQLite
import TestSupport
import Testing

@Suite("A disk without room", .timeLimit(.minutes(3)))
struct FullDiskTests {
    /// SQLite calls a commit failed that the cache's file has where its temporary file, in which the other resource waits
    /// for its own, finds no room: at some of these sizes.
    @Test("However little room there is, what has been recorded has been told, and nothing else has")
    func sweep() async throws {
        try #require(geteuid() == 0, "this test has to run as root")
        for kilobytes in stride(from: 400, through: 450, by: 5) {
            try await onMachine(users: 20) { machine in
                mkdir(machine.cacheDirectory, 0o700)
                try #require(
                    mount("tmpfs", machine.cacheDirectory, "tmpfs", 0, "mode=700,size=\(kilobytes)k") == 0)
                defer { umount2(machine.cacheDirectory, Int32(MNT_DETACH)) }
                let userd = try machine.start(.userd, machine.arguments())
                // Where there is no room for an outcome either, the log says that.
                try await wait {
                    indices(of: userd).count > 2 || userd.text(.errors).contains("could not be written")
                }
                userd.send(SIGTERM)
                #expect(try await userd.ended() == .exited(0))
                let cache = try Connection(
                    path: machine.cacheDirectory + "/userd.db", access: .readOnly)
                let numbers = try cache.rows("SELECT number FROM transitions ORDER BY number") {
                    try $0.int(0)
                }
                cache.close()
                #expect(indices(of: userd) == numbers, "\(kilobytes): \(userd.text(.errors))")
                #expect(numbers.count > 1)
            }
        }
    }

    /// Of the transitions that have been told, as the log has them.
    private func indices(of userd: ChildProcess) -> [Int] {
        userd.text(.errors).matches(of: /index=(\d+)/).compactMap { Int($0.output.1) }
    }
}
