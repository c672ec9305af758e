import Foundation
import TestSupport
import Testing

@Suite("The address book under systemd", .timeLimit(.hang))
struct AddressBookUnitTests {
    /// Opens connections, stops userd, and prints the states of its service and of the socket.
    private static let stopBesideConnections = """
        import socket, subprocess, sys
        def systemctl(*arguments):
            return subprocess.run(["systemctl", "--user", *arguments], capture_output=True, text=True).stdout.strip()
        peers = [socket.create_connection(("127.0.0.1", int(sys.argv[1]))) for _ in range(30)]
        for peer in peers:
            peer.sendall(b"OPTIONS / HTTP/1.1\\r\\n")
        systemctl("stop", "userd.service")
        # systemd looks at its sockets meanwhile.
        systemctl("daemon-reload")
        print(systemctl("is-active", "userd.service"),
            systemctl("show", "--value", "--property=SubState", f"userd-carddav@{sys.argv[1]}.socket"))
        """

    @Test("systemd holds the port; another user gets nothing, also in the sandbox")
    func unit() async throws {
        try await onUserManager { manager in
            try await manager.installUnits(["paused": "true"])
            let unit = "userd-carddav@.socket"
            try await manager.install(unit, unitSource(unit))
            try await manager.systemctl("start", "userd.socket")
            #expect(try await manager.userctl("sync", "users", "--wait").code == 0)
            let enabled = try await manager.userctl("carddav", "enable", "--yes")
            #expect(enabled.code == 0, "\(enabled.errors)")
            let access = try await JSONDecoder().decode(
                [String: String].self,
                from: Data(manager.userctl("carddav", "-o", "json").output.utf8))
            let (url, password) = (try #require(access["url"]), try #require(access["password"]))
            let port = try #require(URL(string: url)?.port)
            let socket = "userd-carddav@\(port).socket"
            #expect(try await manager.property("ActiveState", of: socket) == "active")
            #expect(try await manager.property("UnitFileState", of: socket) == "enabled")

            func options(asRoot: Bool = false, at port: Int = port) async throws -> String {
                try await manager.run(
                    "/usr/bin/python3", ["-c", AddressBookTests.options, "\(port)"], asRoot: asRoot
                ).output
            }
            #expect(try await options(asRoot: false) == "HTTP/1.1 200 OK\n")
            #expect(try await options(asRoot: true) == "closed\n")

            // While userd is away, the connection waits, and starts it again.
            try await manager.systemctl("stop", "userd.service")
            #expect(try await manager.property("ActiveState", of: socket) == "active")
            #expect(try await options(asRoot: false) == "HTTP/1.1 200 OK\n")
            let doctor = try await manager.userctl("doctor", "--offline", "--all")
            #expect(doctor.output.contains("served at port \(port)"), "\(doctor.output)")
            #expect(try await !manager.journal(of: "userd.service").contains(password))

            // Another port, written by hand: enable brings systemd and the file together.
            let file = manager.machine.file("home/.config/userd/config.yaml")
            let text = try String(contentsOfFile: file, encoding: .utf8)
            let other = port == 29_999 ? 20_000 : port + 1
            try Data(text.replacing("port: \(port)", with: "port: \(other)").utf8).write(
                to: URL(filePath: file))
            // userd refuses what comes to the other port, and is not started again by it.
            try await manager.systemctl("reload", "userd.service")
            #expect(try await options() == "HTTP/1.1 503 Service Unavailable\n")
            let refusal = try await manager.userctl("doctor", "--offline").output
            #expect(refusal.contains("systemd listens at port \(port), but carddav.port is"), "\(refusal)")
            let stopped = try await manager.run(
                "/usr/bin/python3", ["-c", Self.stopBesideConnections, "\(port)"])
            #expect(stopped.output == "inactive listening\n", "\(stopped.errors)")

            let again = try await manager.userctl("carddav", "enable", "--yes")
            #expect(again.code == 0, "\(again.errors)")
            #expect(try await manager.property("UnitFileState", of: socket) != "enabled")
            #expect(try await options() == "refused\n")
            #expect(try await options(at: other) == "HTTP/1.1 200 OK\n")

            #expect(try await manager.userctl("carddav", "disable").code == 0)
            let otherSocket = "userd-carddav@\(other).socket"
            #expect(try await manager.property("ActiveState", of: otherSocket) == "inactive")
            #expect(try await manager.property("UnitFileState", of: otherSocket) != "enabled")
            #expect(try await options(at: other) == "refused\n")
            #expect(try await manager.userctl("carddav").code == 1)
            #expect(try await manager.userctl("status").code == 0)
        }
    }

    @Test("After service disable nothing starts userd again, and service remove leaves what was there before")
    func removal() async throws {
        try await onUserManager { manager in
            let unit = "userd-carddav@.socket"
            try await manager.install(unit, unitSource(unit))
            try await manager.installUnits(["paused": "true"])
            let before = try filesBelow(manager.machine.file("home"))
            try await manager.systemctl("start", "userd.socket")
            #expect(try await manager.userctl("carddav", "enable", "--yes", "--evolution").code == 0)
            let book = try await JSONDecoder().decode(
                [String: String].self,
                from: Data(manager.userctl("carddav", "-o", "json").output.utf8))
            let port = try #require(book["url"].flatMap { URL(string: $0)?.port })
            let socket = "userd-carddav@\(port).socket"
            let shown = try await manager.userctl("service", "status", "-o", "json")
            #expect(shown.output.contains(#""name":"\#(socket)""#), "\(shown)")
            let disabled = try await manager.userctl("service", "disable")
            #expect(disabled.code == 0 && disabled.errors.contains("\(socket)\n"), "\(disabled)")
            let poll = try await manager.run("/usr/bin/python3", ["-c", AddressBookTests.options, "\(port)"])
            #expect(poll.output == "refused\n")
            for name in [socket, "userd.service", "userd.socket"] {
                #expect(try await manager.property("ActiveState", of: name) == "inactive")
                #expect(try await manager.property("UnitFileState", of: name) != "enabled")
            }

            #expect(try await manager.userctl("service", "enable").code == 0)
            #expect(try await manager.userctl("sync", "users", "--wait").code == 0)
            #expect(try filesBelow(manager.machine.file("home")).contains(".cache/userd/userd.db"))
            let removed = try await manager.userctl("service", "remove", "--yes", "--configuration")
            #expect(removed.code == 0, "\(removed)")
            let left = try filesBelow(manager.machine.file("home"))
            #expect(left == before.filter { !$0.hasSuffix("/config.yaml") })
            let again = try await manager.userctl("service", "remove")
            #expect(again.code == 0 && again.errors.contains("nothing of userd is left"), "\(again)")
        }
    }
}
