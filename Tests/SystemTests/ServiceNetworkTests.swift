import DemoUpstream
import Foundation
import TestSupport
import Testing

@Suite("Networks and folders in the service's sandbox", .timeLimit(.hang))
struct ServiceNetworkTests {
    @Test("In the sandbox the machine's name lookup and authorities are used")
    func namesAndAuthorities() async throws {
        try await onUserManager { manager in
            let authority = try await CertificateAuthority()
            let body = try await fetchBody(
                port: manager.machine.upstream.port, "/api/?results=20&page=1&seed=system")
            let head = """
                HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(body.count)\r
                Connection: close\r\n\r\n
                """
            let identity = try await authority.identity(names: "DNS:users.test")
            try await withTLSServer(identity, answer: head + String(decoding: body, as: UTF8.self)) {
                server in
                let port = try #require(server.url().port)
                try await manager.installUnits(["users.url": "https://users.test:\(port)/api/"])
                try await manager.systemctl("start", "userd.service")
                let before = try await manager.userctl("sync", "users", "--wait")
                #expect(before.errors.contains("no host has this name"), "\(before)")

                try await manager.replace("/etc/hosts", with: "127.0.0.1 localhost users.test\n")
                let certificate = try String(contentsOfFile: authority.certificate, encoding: .utf8)
                try await manager.replace("/etc/ssl/certs/ca-certificates.crt", with: certificate)
                try await manager.systemctl("restart", "userd.service")
                let after = try await manager.userctl("sync", "users", "--wait")
                #expect(after.code == 0, "\(after)")
                #expect(server.received > 0)
            }
        }
    }

    @Test("In the sandbox userd notices that the network comes back")
    func network() async throws {
        try await inNetworkNamespace { network in
            try await network.ip("link", "set", "lo", "up")
            try await onUserManager(in: network) { manager in
                let (_, upstream) = try await manager.machine.startUpstream(["--users", "20"], in: network)
                // The address is removed, too, and comes back with the interface: otherwise packets to it are
                // lost silently.
                try await network.ip("link", "set", "lo", "down")
                try await network.ip("address", "flush", "dev", "lo")
                let settings = ["retry.base": "1h", "retry.cap": "1h"]
                try await manager.installUnits(upstream.merging(settings) { $1 })
                try await manager.systemctl("start", "userd.service")
                let failed = try await manager.userctl("wait", "users", "--for", "error", "--timeout", "30s")
                #expect(failed.code == 0, "\(failed)")

                try await network.ip("link", "set", "lo", "up")
                let loaded = try await manager.userctl("wait", "users", "--for", "loaded", "--timeout", "30s")
                #expect(loaded.code == 0, "\(loaded)")
                #expect(try await manager.journal(of: "userd.service").contains("Woken"))
            }
        }
    }

    @Test("The cache is in the user's cache folder even if that is not ~/.cache")
    func cacheElsewhere() async throws {
        let elsewhere = "/run/caches of/somebody"
        try await onUserManager(environment: ["XDG_CACHE_HOME": elsewhere]) { manager in
            _ = try await manager.run("/usr/bin/mkdir", ["--parents", elsewhere], asRoot: true)
            _ = try await manager.run(
                "/usr/bin/chown", ["\(UserManager.userID)", elsewhere], asRoot: true)
            try await manager.installUnits()
            try await manager.systemctl("start", "userd.service")
            let synced = try await manager.userctl("sync", "users", "--wait")
            #expect(synced.code == 0, "\(synced)")
            let modes = try await manager.run(
                "/usr/bin/stat",
                ["--format=%a %U", "\(elsewhere)/userd", "\(elsewhere)/userd/userd.db"])
            let user = UserManager.userName
            #expect(modes.outputLines == ["700 \(user)", "600 \(user)"])
            #expect(try await !manager.has("\(manager.home)/.cache/userd/userd.db"))
        }
    }
}

extension UserManager {
    /// Replaces a system file's content for all programs on this machine.
    fileprivate func replace(_ path: String, with text: String) async throws {
        let name = String(path.split(separator: "/").last ?? "")
        try write(text, to: name)
        let bound = try await run(
            "/bin/sh",
            [
                "-ec", #"cp "$1" "$2"; mount --bind "$2" "$3""#, "sh", "\(home)/\(name)",
                "/run/\(name)", path,
            ], asRoot: true)
        guard bound.code == 0 else { throw WaitedInVain(description: bound.errors) }
    }
}
