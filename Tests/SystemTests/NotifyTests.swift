import Foundation
import Glibc
import Model
import TestSupport
import Testing

@Suite("Under a service manager", .timeLimit(.minutes(2)))
struct NotifyTests {
    @Test("READY comes when reads are answered, without a sync, and STOPPING when the end begins")
    func readyAndStopping() async throws {
        try await onMachine { machine in
            let manager = try NotifySocket(machine.file("notify"))
            let userd = try machine.start(
                .userd, machine.arguments(["paused": "true"]), environment: ["NOTIFY_SOCKET": manager.name])
            try await manager.next(with: "READY=1")
            #expect(try await machine.state(of: .users).phase == .initial)
            #expect(try await machine.users().isEmpty)
            userd.send(SIGTERM)
            try await manager.next(with: "STOPPING=1")
            #expect(try await userd.ended() == .exited(0))
        }
    }
}
