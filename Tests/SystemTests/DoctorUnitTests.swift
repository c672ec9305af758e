import TestSupport
import Testing

@Suite("userctl doctor and systemd", .timeLimit(.hang))
struct DoctorUnitTests {
    @Test("doctor reports units that are missing, installed, enabled or failed")
    func units() async throws {
        try await onUserManager { manager in
            let missing = try await manager.doctor()
            #expect(missing.units == ["ok", "warning", "skipped", "skipped", "ok"])
            #expect(
                missing["unit.installed"]?.found == "not installed: userd.socket, userd.service")

            let socket = """
                [Socket]
                ListenStream=%t/userd/userd.sock
                SocketMode=0600
                DirectoryMode=0700
                FileDescriptorName=varlink
                [Install]
                WantedBy=sockets.target
                """
            try await manager.install("userd.socket", socket)
            try await manager.install(
                "userd.service", "[Service]\nExecStart=%h/.local/bin/userd --paused\n")
            _ = try await manager.run(
                "/usr/bin/touch", ["/var/lib/systemd/linger/\(UserManager.userName)"], asRoot: true)
            let installed = try await manager.doctor()
            #expect(installed.units == ["ok", "ok", "warning", "failed", "ok"])
            #expect(installed["unit.active"]?.advice == ["`systemctl --user start userd.socket`"])

            try await manager.systemctl("enable", "--now", "userd.socket")
            let enabled = try await manager.doctor()
            #expect(enabled.units == ["ok", "ok", "ok", "ok", "ok"])
            #expect(enabled["daemon.answer"]?.status == "ok")

            try await manager.install("userd.service", "[Service]\nExecStart=/bin/false\n")
            try await manager.systemctl("stop", "userd.socket", "userd.service")
            try await manager.systemctl("start", "userd.service")
            try await manager.property("ActiveState", of: "userd.service") { $0 == "failed" }
            let failing = try await manager.doctor()
            #expect(failing.units == ["ok", "ok", "ok", "failed", "ok"])
            #expect(
                failing["unit.active"]?.found == "userd.service has failed: it ended with code 1")
        }
    }
}

extension UserManager {
    fileprivate func doctor() async throws -> DoctorReport {
        try DoctorReport(try await userctl("doctor", "--offline", "--output", "json").output)
    }
}

extension DoctorReport {
    fileprivate var units: [String?] {
        ["manager", "installed", "enabled", "active", "linger"].map { self["unit." + $0]?.status }
    }
}
