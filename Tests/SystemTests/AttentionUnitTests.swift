import TestSupport
import Testing

@Suite("The units of notifications", .timeLimit(.hang))
struct AttentionUnitTests {
    @Test("The service starts once for each change of the mark, and does nothing where there is none")
    func starts() async throws {
        try await onUserManager { manager in
            let (mark, log) = (".cache/userd/attention", "\(manager.home)/log")
            let service = try unitSource("userd-attention.service").replacing(
                "/usr/bin/userctl desktop notify", with: "/bin/sh -c 'echo shown >>\(log)'")
            try await manager.install("userd-attention.service", service)
            try await manager.install("userd-attention.path", try unitSource("userd-attention.path"))
            func shown(_ count: Int) async throws {
                try await wait {
                    let lines = try await manager.run("/bin/cat", [log]).outputLines
                    return lines.count == count
                }
                try await manager.property("ActiveState", of: "userd-attention.service") { $0 == "inactive" }
            }
            try await manager.systemctl("start", "userd-attention.path")
            try manager.write("{}", to: mark)
            try await shown(1)
            // If the mark alone were a reason to start, there would be more by now.
            #expect(try await manager.run("/bin/rm", ["\(manager.home)/\(mark)"]).code == 0)
            try await manager.property("ConditionResult", of: "userd-attention.service") { $0 == "no" }
            try await shown(1)
            try manager.write("{}", to: mark)
            try await shown(2)
            // A login starts it, too.
            #expect(try await manager.systemctl("start", "userd-attention.service").code == 0)
            try await shown(3)
        }
    }
}
