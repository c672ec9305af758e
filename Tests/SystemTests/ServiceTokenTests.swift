import DemoUpstream
import Foundation
import TestSupport
import Testing

@Suite("The service's credential", .timeLimit(.minutes(2)))
struct ServiceTokenTests {
    private static let token = "canary-of-the-credential"

    @Test("A token in its file reaches the users' upstream as a credential, and is to be found nowhere else")
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
                // 1: it was read, and is not there.
                let found = try await manager.run(
                    "/usr/bin/grep", ["--recursive", "--text", Self.token, place], asRoot: true)
                #expect(found.code == 1, "\(place): \(found)")
            }
            #expect(try await !manager.journal(of: "userd.service").contains(Self.token))
            let environment = try await manager.systemctl("show", "userd.service").output
            #expect(environment.contains("MainPID=\(process)") && !environment.contains(Self.token))
            let credentials = "\(manager.runtimeDirectory)/credentials/userd.service"
            let settings = try await manager.run(
                "\(manager.home)/.local/bin/userd", ["--print-config"],
                environment: ["CREDENTIALS_DIRECTORY": credentials])
            #expect(settings.output.contains("users-token") && !settings.output.contains(Self.token))
        }
    }

    @Test("Without that file userd starts, and sends no token")
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
