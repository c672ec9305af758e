import DemoUpstream
import Foundation
import TestSupport
import Testing

@Suite("The service's secrets", .timeLimit(.hang))
struct ServiceTokenTests {
    private static let token = "canary-of-the-token"

    @Test("A token in its file reaches the users' upstream, and appears nowhere else")
    func token() async throws {
        try await onUserManager { manager in
            try manager.write(Self.token + "\n", to: ".config/userd/users-token", mode: 0o600)
            try await manager.installUnits(["log_level": "trace"])
            try await manager.systemctl("start", "userd.service")
            for resource in ["users", "facts"] {
                let synced = try await manager.userctl("sync", resource, "--wait")
                #expect(synced.code == 0, "\(synced)")
            }
            let requests = manager.machine.upstream.recentRequests
            for request in requests {
                let sent = request.headers["authorization"]
                #expect(sent == (request.uri.hasPrefix("/api/") ? "Bearer \(Self.token)" : nil))
            }
            #expect(requests.contains { $0.uri.hasPrefix("/api/") })
            #expect(requests.contains { $0.uri.hasPrefix("/facts") })

            let process = try await manager.property("MainPID", of: "userd.service")
            let places = [
                "/proc/\(process)/environ", "/proc/\(process)/cmdline", "\(manager.home)/.cache/userd",
            ]
            for place in places {
                // grep ends with 1 if it finds nothing.
                let found = try await manager.run(
                    "/usr/bin/grep", ["--recursive", "--text", Self.token, place], asRoot: true)
                #expect(found.code == 1, "\(place): \(found)")
            }
            #expect(try await !manager.journal(of: "userd.service").contains(Self.token))
            let environment = try await manager.systemctl("show", "userd.service").output
            #expect(environment.contains("MainPID=\(process)") && !environment.contains(Self.token))
            let settings = try await manager.run("\(manager.home)/.local/bin/userd", ["--print-config"])
            #expect(settings.output.contains("users-token") && !settings.output.contains(Self.token))

            // A new token is read without a reload.
            try manager.write("another-token\n", to: ".config/userd/users-token", mode: 0o600)
            #expect(try await manager.userctl("sync", "users", "--wait").code == 0)
            #expect(
                manager.machine.upstream.recentRequests.last?.headers["authorization"]
                    == "Bearer another-token")
        }
    }

    @Test("A drop-in can load the token as a credential, also across a reload")
    func credential() async throws {
        try await onUserManager { manager in
            try manager.write(Self.token + "\n", to: "secrets/token", mode: 0o600)
            try await manager.installUnits()
            try await manager.addToService("LoadCredential=users-token:\(manager.home)/secrets/token")
            try await manager.systemctl("start", "userd.service")
            #expect(try await manager.systemctl("reload", "userd.service").code == 0)
            #expect(try await manager.userctl("sync", "users", "--wait").code == 0)
            #expect(
                manager.machine.upstream.recentRequests.last { $0.uri.hasPrefix("/api/") }?
                    .headers["authorization"] == "Bearer \(Self.token)")
        }
    }

    @Test("Without a token's file userd starts, and sends no token")
    func none() async throws {
        try await onUserManager { manager in
            try await manager.installUnits()
            #expect(try await manager.systemctl("start", "userd.service").code == 0)
            let synced = try await manager.userctl("sync", "users", "--wait")
            #expect(synced.code == 0, "\(synced)")
            let requests = manager.machine.upstream.recentRequests
            #expect(!requests.isEmpty && requests.allSatisfy { $0.headers["authorization"] == nil })
        }
    }
}
