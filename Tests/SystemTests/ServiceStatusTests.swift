import DemoUpstream
import Foundation
import Model
import StrictJSON
import TestSupport
import Testing

@Suite("systemd's status of userd", .timeLimit(.hang))
struct ServiceStatusTests {
    @Test("systemd shows that userd is ready, and the state of users and facts")
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

    @Test("A reload does not count as a recent restart")
    func reloaded() async throws {
        try await onUserManager { manager in
            try await manager.installUnits(["paused": "true"])
            try await manager.systemctl("start", "userd.service")
            for round in 1...3 {
                try await manager.systemctl("kill", "--signal=KILL", "userd.service")
                try await manager.property("NRestarts", of: "userd.service") { $0 == "\(round)" }
                try await manager.property("ActiveState", of: "userd.service") { $0 == "active" }
            }
            let unsteady = try await manager.userctl("service", "status")
            #expect(
                unsteady.errors.contains("userd runs, but was restarted 3 times"),
                "\(unsteady)")
            let began = try await manager.seconds("ActiveEnterTimestamp")
            repeat {
                try await manager.systemctl("reload", "userd.service")
            } while try await manager.seconds("StateChangeTimestamp") == began
            let status = try await manager.userctl("service", "status", "--output", "json")
            let units = try JSONValue(validating: Array(status.output.utf8), maximumDepth: 8)["units"]?
                .elements
            let service = units?.first { $0["name"]?.string == "userd.service" }
            #expect(
                service?["since"]?.string == Timestamp(milliseconds: began * 1000).description, "\(status)")
        }
    }

    @Test("The watchdog ends a hanging userd, and systemd starts it again")
    func watchdog() async throws {
        try await onUserManager { manager in
            try await manager.installUnits(["paused": "true"])
            try await manager.addToService("WatchdogSec=5s")
            try await manager.systemctl("start", "userd.service")
            // The watchdog leaves a working userd alone.
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

extension UserManager {
    /// A time of userd.service, in seconds since 1970.
    fileprivate func seconds(_ property: String) async throws -> Int64 {
        let shown = try await systemctl(
            "show", "--timestamp=unix", "--value", "--property=\(property)", "userd.service")
        return try #require(shown.outputLines.first.flatMap { Int64($0.dropFirst()) }, "\(shown)")
    }
}
