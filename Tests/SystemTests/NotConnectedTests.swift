import Cache
import Foundation
import Glibc
import Model
import Platform
import TestSupport
import Testing
import UserdAPI

@Suite("A service without a directory", .timeLimit(.hang))
struct NotConnectedTests {
    private static let words = "not connected: `userctl connect example.org`, or `userctl connect demo` for"

    @Test(
        "It asks nobody, every command says how to connect, and a reload with a directory or the demo ends that"
    )
    func waiting() async throws {
        // Without a network but loopback: whoever is asked fails.
        try await inNetworkNamespace { network in
            try await network.ip("link", "set", "lo", "up")
            try await onUserManager(in: network) { manager in
                for unit in ["userd.socket", "userd.service"] {
                    try await manager.install(unit, manager.unit(unit))
                }
                let enabled = try await manager.userctl("service", "enable")
                #expect(enabled.code == 0 && enabled.errors.contains(Self.words), "\(enabled)")
                func said(_ arguments: [String], _ code: Int32) async throws {
                    let ended = try await manager.run("\(manager.home)/.local/bin/userctl", arguments)
                    #expect(ended.code == code && ended.errors.contains(Self.words), "\(arguments): \(ended)")
                }
                for arguments in [["list"], ["facts"], ["list", "-o", "json"]] {
                    try await said(arguments, 0)
                }
                for arguments in [
                    ["search", "anna"], ["show", "anna"], ["fact"], ["fact", "--new"], ["sync", "--wait"],
                    ["retry", "users"], ["resume"],
                ] { try await said(arguments, 1) }
                let status = try await manager.userctl("status")
                #expect(status.output.hasPrefix("Not connected: `userctl connect example.org`"), "\(status)")
                let doctor = try DoctorReport(try await manager.userctl("doctor", "--output", "json").output)
                #expect(doctor["sync.paused"]?.found == "not connected")
                #expect(doctor["upstream"]?.status == "skipped")
                #expect(
                    try await manager.property("StatusText", of: "userd.service").contains("not connected"))
                func state() async throws -> DaemonState {
                    try decoded(
                        DaemonState.self,
                        from: Array(try await manager.userctl("status", "--output", "json").output.utf8))
                }
                let before = try await state()
                #expect(before.pauseCause == "no_directory")
                #expect(before.states.allSatisfy { $0.index == 0 && $0.phase == .initial })
                let history = try await manager.userctl("history", "--output", "ndjson")
                #expect(history.code == 0 && history.output.isEmpty, "\(history)")

                // A pause of the person's own outlasts the other one.
                #expect(try await manager.userctl("pause").code == 0)
                let demo = try await manager.userctl("connect", "demo")
                #expect(demo.code == 1 && demo.output.contains("\n  demo: true\n"), "\(demo)")
                #expect(demo.errors.contains("randomuser.me"), "\(demo)")
                let asking = try await state()
                #expect(asking.paused && asking.pauseCause == nil)
                #expect(try await manager.userctl("resume").code == 0)
                #expect(try await state().paused == false)

                try manager.write(
                    String(repeating: "p", count: 32), to: ".config/userd/carddav-password")
                try manager.write(
                    "paused: false\ncarddav: {port: 25000}\n", to: ".config/userd/config.yaml")
                for command in ["reload", "restart"] {
                    #expect(try await manager.systemctl(command, "userd.service").code == 0)
                    #expect(try await state().pauseCause == "no_directory", "\(command)")
                }
                let book = try DoctorReport(
                    try await manager.userctl("doctor", "--offline", "--output", "json").output)
                #expect(book["carddav.listening"]?.found == "nothing listens at port 25000", "\(book)")
                try manager.write("users: {url: http://127.0.0.1:9/}\n", to: ".config/userd/config.yaml")
                #expect(try await manager.systemctl("reload", "userd.service").code == 0)
                #expect(try await state().pauseCause == nil)
                let refused = try await manager.userctl("connect", "demo")
                #expect(
                    refused.code == 1 && refused.errors.contains("a directory is connected"), "\(refused)")

                // The demo's users of an earlier version are a yes, and `demo: false` is a no.
                try await manager.systemctl("stop", "userd.socket", "userd.service")
                let old = try await CacheOnDisk()
                try await old.sync(User.samples)
                await old.cache.close()
                let database = manager.machine.file("home/.cache/userd/userd.db")
                for file in try filesBelow(parent(of: database)) {
                    try FileManager.default.removeItem(atPath: parent(of: database) + "/" + file)
                }
                try FileManager.default.copyItem(atPath: old.path, toPath: database)
                #expect(chown(database, UserManager.userID, UserManager.userID) == 0)
                for (settings, cause) in [("paused: true\n", nil), ("demo: false\n", "no_directory")]
                    as [(String, String?)]
                {
                    try manager.write(settings, to: ".config/userd/config.yaml")
                    #expect(try await manager.systemctl("restart", "userd.service").code == 0)
                    #expect(try await state().pauseCause == cause, "\(settings)")
                }
            }
        }
    }
}
