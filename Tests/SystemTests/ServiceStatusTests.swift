import DemoUpstream
import TestSupport
import Testing

@Suite("What systemd knows of its service userd", .timeLimit(.minutes(2)))
struct ServiceStatusTests {
    @Test("systemd knows what userd is at: that it is ready, and where users and facts stand")
    func status() async throws {
        try await onUserManager(users: 20) { manager in
            try await manager.installUnits()
            #expect(try await manager.systemctl("start", "userd.service").code == 0)
            try await manager.property("StatusText", of: "userd.service") {
                $0.hasPrefix("users loaded 20, facts loaded 77")
            }
            try await manager.machine.upstream.takeDown()
            try await manager.userctl("sync", "users", "--wait")
            try await manager.property("StatusText", of: "userd.service") {
                $0.hasPrefix("users error: offline, next attempt ")
            }
        }
    }

    @Test("A userd that hangs is ended by the watchdog, and started again")
    func watchdog() async throws {
        try await onUserManager { manager in
            try await manager.installUnits(["paused": "true"])
            try await manager.addToService("WatchdogSec=5s")
            try await manager.systemctl("start", "userd.service")
            // Alive, it is left alone.
            let first = try await manager.property("WatchdogTimestampMonotonic", of: "userd.service")
            try await manager.property("WatchdogTimestampMonotonic", of: "userd.service") {
                ![first, "0"].contains($0)
            }
            #expect(try await manager.property("NRestarts", of: "userd.service") == "0")

            try await manager.systemctl("kill", "--signal=STOP", "userd.service")
            try await manager.property("NRestarts", of: "userd.service") { $0 != "0" }
            let answer = try await manager.userctl("status")
            #expect(answer.code == 0 && answer.errors == "", "\(answer)")
            #expect(try await manager.journal(of: "userd.service").contains("Watchdog timeout"))
        }
    }
}
