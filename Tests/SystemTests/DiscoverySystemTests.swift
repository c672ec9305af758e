import Foundation
import Model
import StrictJSON
import TestSupport
import Testing
import UserdAPI

/// Programs in a network of their own, with a name server of the test.
@Suite("Discovery by a real name server", .timeLimit(.hang))
struct DiscoverySystemTests {
    private static let zone = #"""
        {"corp.test": [["MX", 10, "aspmx.l.google.com"]],
        "_ldap._tcp.dc._msdcs.corp.test": [["SRV", 0, 389, "dc1.corp.test"], ["SRV", 0, 389, "evil.example"]]}
        """#

    /// Runs a program that finds this name server, and no other.
    private func run(
        _ program: Program, _ arguments: [String], home: TemporaryDirectory, in network: NetworkNamespace
    ) async throws -> Finished {
        let configuration = home.file("resolv.conf")
        try "nameserver 127.0.0.1\noptions timeout:1 attempts:1\n".write(
            toFile: configuration, atomically: true, encoding: .utf8)
        // In a mount namespace, so that only this program sees the file.
        let script = "mount --bind \"$0\" /etc/resolv.conf && exec \"$@\""
        let (executable, all) = network.command(
            "/usr/bin/unshare",
            ["--mount", "/bin/sh", "-c", script, configuration, program.path] + arguments)
        return try await TestSupport.run(
            executable, all,
            environment: [
                "HOME": home.path, "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "XDG_RUNTIME_DIR": home.path,
            ])
    }

    @Test("A domain's directories are found, connect prints their lines, and a dead name server is named")
    func domain() async throws {
        let home = try TemporaryDirectory()
        try await inNetworkNamespace { network in
            try await network.ip("link", "set", "lo", "up")
            let (executable, arguments) = network.command(
                "/usr/bin/python3", [VarlinkClients.program("name_server.py"), Self.zone])
            let server = try ChildProcess(executable, arguments, environment: ["PATH": "/usr/bin:/bin"])
            defer { server.send(SIGKILL) }
            try await server.line(containing: "ready", in: .output)

            let ended = try await run(.userd, ["--discover", "Ann@corp.test"], home: home, in: network)
            let found = try decoded(Discovered.self, from: Array(ended.output.utf8))
            #expect(found.complaints == [])
            #expect(found.directories.map(\.name) == ["Active Directory", "Google Workspace"])
            #expect(found.directories.first?.because == "DNS names the domain controller dc1.corp.test")

            let printed = try await run(.userctl, ["connect", "corp.test"], home: home, in: network)
            #expect(printed.code == 0, "\(printed)")
            #expect(
                printed.output.contains("  users:\n    format: google-people\n"), "\(printed.output)")
            #expect(!FileManager.default.fileExists(atPath: home.file(".config")))

            let none = try await run(.userctl, ["connect", "other.test"], home: home, in: network)
            #expect(none.code == 1 && none.errors.contains("no directory of other.test was found"), "\(none)")
            #expect(none.errors.contains("SRV of _ldap._tcp.dc._msdcs.other.test"), "\(none)")

            server.send(SIGKILL)
            _ = try await server.ended()
            let dead = try await run(.userctl, ["connect", "corp.test"], home: home, in: network)
            #expect(dead.code == 1 && dead.errors.contains("no name server answered"), "\(dead)")
        }
    }

    @Test("--discover asks a server of LDAP for its base, names one that is down, and refuses no address")
    func discovered() async throws {
        try await withSlapd(try await Slapd(DirectoryPeople.ldif(1))) { slapd in
            try await onMachine { machine in
                func found(_ address: String) async throws -> Finished {
                    try await TestSupport.run(
                        Program.userd.path, ["--discover", address], environment: machine.environment)
                }
                let server = try decoded(Discovered.self, from: Array(await found(slapd.plain).output.utf8))
                #expect(server.complaints == [] && server.directories.count == 1)
                let closed = "ldap://127.0.0.1:\(try freePort())"
                let down = try decoded(Discovered.self, from: Array(await found(closed).output.utf8))
                #expect(down.directories == [] && down.complaints.count == 1)
                #expect(down.complaints.first?.contains("could not connect to \(closed)") == true, "\(down)")
                let refused = try await found("ldap://ann@127.0.0.1")
                #expect(refused.code == 64 && refused.errors.contains("has an invalid host"), "\(refused)")
            }
        }
    }
}
