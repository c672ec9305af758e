import Foundation
import Glibc
import Model
import TestSupport
import Testing
import UserdAPI

@Suite("Signing in at providers of other makers", .timeLimit(.hang))
struct ProviderTests {
    @Test("A person who says no, then yes, has the users, and signs out")
    func signsIn() async throws {
        try await onMachine { machine in
            let provider = try await Provider(on: machine)
            let userd = try await machine.startUserd(provider.settings())
            #expect(try await machine.sync(.users).failure?.kind == .credentials)
            #expect(try await provider.requests().isEmpty, "the list was asked without a token")

            let denied = try await provider.userctl(["sign-in"], answer: "deny")
            #expect(denied.code == 1 && denied.errors.contains("it was denied (access_denied)"), "\(denied)")

            let agreed = try await provider.userctl(["sign-in"])
            #expect(
                agreed.code == 0 && agreed.errors.contains("signed in at \(provider.told.issuer)"),
                "\(agreed)")
            try await wait { try await machine.state(of: .users).phase == .loaded }
            #expect(try await machine.users().count == 60)

            let tokens = provider.tokens()
            let left = try await provider.userctl(["sign-out"])
            #expect(left.code == 0 && provider.tokens().isEmpty && !tokens.isEmpty, "\(left)")
            #expect(try await machine.sync(.users).failure?.kind == .credentials)
            #expect(try await machine.users().count == 60)

            let running = try await machine.userctl(["service", "remove", "--yes"])
            #expect(
                running.code == 1
                    && running.errors.contains("systemd did not start is running (process \(userd.id))"),
                "\(running)")
            userd.send(SIGTERM)
            try await userd.ended()
            #expect(try filesBelow(machine.cacheDirectory).contains("userd.db"))
            let removed = try await machine.userctl(["service", "remove", "--yes"])
            #expect(removed.code == 0, "\(removed)")
            for folder in ["cache", "config", "home"] {
                #expect(try filesBelow(machine.file(folder)) == [])
            }
        }
    }

    @Test("A person without a browser enters a code elsewhere")
    func device() async throws {
        try await onMachine { machine in
            let provider = try await Provider(on: machine, "provider.py", ["--device-interval", "1"])
            try await machine.startUserd(provider.settings(["users.oauth.client_id": "device"]))
            let command = try machine.start(.userctl, ["sign-in", "--device"])
            let code = try await command.line(containing: "the code is ").split(separator: " ").last
            let address = try await command.line(containing: "  http").trimmingCharacters(in: .whitespaces)
            try await provider.visit(address, code: String(try #require(code)))
            #expect(try await command.ended() == .exited(0))
            try await wait { try await machine.state(of: .users).count == 60 }
        }
    }

    @Test("Debian's glewlwyd, which wants one registered address, signs people in and renews their tokens")
    func glewlwyd() async throws {
        try await onMachine { machine in
            let provider = try await Provider(
                on: machine, "glewlwyd.py", ["--access", "2", "--root", Provider.glewlwyd])
            let port = try #require(provider.told.redirectPorts?.first)
            try await machine.startUserd(
                provider.settings([
                    "users.oauth.scope": "users.read",
                    // Its document is not below its issuer.
                    "users.oauth.authorization_url": provider.told.issuer + "/api/oidc/auth",
                    "users.oauth.token_url": provider.told.issuer + "/api/oidc/token",
                    "users.oauth.redirect": "http://127.0.0.1:\(port)/callback",
                ]))
            let agreed = try await provider.userctl(["sign-in"])
            try #require(agreed.code == 0, "\(agreed)")
            try await wait { try await machine.state(of: .users).count == 60 }
            // Three tokens: the first, and two that replaced one.
            try await wait { Set(try await provider.requests().map(\.token)).count > 2 }
            #expect(try await provider.requests().allSatisfy { $0.status == 200 })
        }
    }

    @Test("A list that outlasts its tokens is read once: each page has one request, and no token is in sight")
    func pages() async throws {
        try await onMachine { machine in
            let provider = try await Provider(
                on: machine, "provider.py", ["--access", "3"], users: 1000, delay: 0.2)
            let (record, log) = (machine.file("a.har"), machine.file("userd.log"))
            let arguments = machine.arguments(
                provider.settings(["users.interval": "1h", "record": record, "log_level": "trace"]))
            let command = ([Program.userd.path] + arguments).map { "'\($0)'" }.joined(separator: " ")
            let userd = try machine.start("/bin/sh", ["-c", "exec \(command) 2>'\(log)'"])
            try await wait { try await machine.userctl(["status"]).errors == "" }
            try #require(try await provider.userctl(["sign-in"]).code == 0)
            var seen: Set<String> = []
            try await wait {
                seen.formUnion(provider.tokens())
                return try await machine.state(of: .users).phase == .loaded
            }
            #expect(try await machine.state(of: .users).count == 1000)
            // On a slow machine, a token may end on its way: that page is refused, and asked for again.
            let answered = try await provider.requests().filter { $0.status == 200 }
            #expect(answered.count == 50 && Set(answered.map(\.path)).count == 50)
            #expect(Set(answered.map(\.token)).count > 2 && seen.count > 4)

            var places: [String: Data] = [:]
            for command in [
                ["status", "-o", "json"], ["history"], ["doctor", "--all"], ["report", "-", "--with-data"],
            ] {
                let finished = try await machine.userctl(command)
                places[command[0]] = Data((finished.output + finished.errors).utf8)
            }
            places["ps"] = Data(try await run("/usr/bin/ps", ["axeww"], environment: [:]).output.utf8)
            userd.send(SIGTERM)
            #expect(try await userd.ended() == .exited(0))
            for file in try FileManager.default.contentsOfDirectory(atPath: machine.cacheDirectory) {
                places[file] = try Data(contentsOf: URL(filePath: machine.cacheDirectory + "/" + file))
            }
            for file in [record, log] { places[file] = try Data(contentsOf: URL(filePath: file)) }
            for (place, bytes) in places {
                #expect(!seen.contains { bytes.range(of: Data($0.utf8)) != nil }, "\(place)")
            }
        }
    }

    @Test("Two userd that share a sign-in renew it in turn, and nobody is signed out")
    func two() async throws {
        try await onMachine { machine in
            let provider = try await Provider(on: machine, "provider.py", ["--access", "3"])
            try await machine.startUserd(provider.settings())
            let other = [
                "XDG_RUNTIME_DIR": machine.file("run2"), "XDG_CACHE_HOME": machine.file("cache2"),
            ]
            try FileManager.default.createDirectory(
                atPath: machine.file("run2"), withIntermediateDirectories: false)
            let second = try machine.start(
                Program.userd.path, machine.arguments(provider.settings()), environment: other)
            try await second.line(containing: "Listening")
            try #require(try await provider.userctl(["sign-in"]).code == 0)
            // Each sync of both asks with the token of the moment.
            try await wait { Set(try await provider.requests().map(\.token)).count > 5 }
            for environment in [[:], other] {
                let status = try await provider.userctl(["status"], environment: environment)
                #expect(status.output.contains("Signed in  at \(provider.told.issuer)"), "\(status)")
            }
        }
    }

    @Test(
        "However often userd is killed while tokens are renewed, it is signed in or says that one must sign in"
    )
    func killed() async throws {
        try await onMachine { machine in
            let provider = try await Provider(
                on: machine, "provider.py", ["--access", "2", "--token-delay", "0.3"])
            var random = SeededRandom(seed: 1)
            var userd = try await machine.startUserd(provider.settings())
            try #require(try await provider.userctl(["sign-in"]).code == 0)
            for _ in 0..<Volume.tokenKills {
                try await Task.sleep(for: .milliseconds(Int.random(in: 200...2200, using: &random)))
                userd.send(SIGKILL)
                try await userd.ended()
                let before = try await provider.requests().count
                userd = try await machine.startUserd(provider.settings())
                try await wait {
                    let state = try await machine.state(of: .users)
                    let asked = try await provider.requests().count > before
                    return state.phase == .error || state.phase == .loaded && asked
                }
                let state = try await machine.state(of: .users)
                guard state.phase == .error else { continue }
                #expect(state.failure?.kind == .credentials, "\(state)")
                #expect(state.failure?.message.contains("userctl sign-in") == true, "\(state)")
                let asked = try await provider.requests().count
                #expect(try await machine.retry(.users).failure?.kind == .credentials)
                #expect(try await provider.requests().count == asked, "the list was asked without a token")
                try #require(try await provider.userctl(["sign-in"]).code == 0)
            }
            #expect(try await machine.users().count == 60)
        }
    }

    @Test(
        "A provider that is away or wrong about its tokens costs time; one that withdraws them, nothing but a sign-in"
    )
    func trouble() async throws {
        try await onMachine { machine in
            let options = ["--access", "2", "--state", machine.file("provider")]
            let provider = try await Provider(on: machine, "provider.py", options)
            try await machine.startUserd(provider.settings())
            try #require(try await provider.userctl(["sign-in"]).code == 0)
            try await wait { try await machine.state(of: .users).phase == .loaded }

            provider.server.send(SIGKILL)
            try await provider.server.ended()
            try await wait { try await machine.state(of: .users).phase == .error }
            let away = try await machine.state(of: .users)
            #expect(away.failure?.kind == .offline || away.failure?.kind == .http, "\(away)")
            #expect(!provider.tokens().isEmpty)
            #expect(try await machine.users().count == 60)
            // It says that its tokens last for an hour, as it seems to one whose clock is wrong.
            _ = try await Provider.start(
                machine, "provider.py",
                options + ["--port", "\(provider.told.port)", "--say-expires-in", "3600"])
            try await wait { try await machine.state(of: .users).phase == .loaded }
            let before = Set(try await provider.requests().map(\.token)).count
            try await wait {
                let accepted = try await provider.requests().filter { $0.status == 200 }
                return Set(accepted.map(\.token)).count > before + 1
            }
            #expect(try await machine.state(of: .users).failure?.kind != .credentials)

            try await provider.revoke()
            try await wait { try await machine.state(of: .users).phase == .error }
            let ended = try await machine.state(of: .users)
            #expect(ended.failure?.kind == .credentials, "\(ended)")
            #expect(ended.failure?.message.contains("`userctl sign-in`") == true, "\(ended)")
            #expect(try await machine.users().count == 60)
            let count = try await provider.requests().count
            #expect(try await machine.sync(.users).phase == .error)
            #expect(try await provider.requests().count == count, "the list was asked without a token")
            try #require(try await provider.userctl(["sign-in"]).code == 0)
            try await wait { try await machine.state(of: .users).phase == .loaded }
            #expect(try await provider.requests().count > count)
        }
    }

    @Test("A service's sign-in is in its own folder, across a restart, and not in the journal")
    func service() async throws {
        try await onUserManager { manager in
            let provider = try await Provider(on: manager.machine)
            try await manager.installUnits(provider.settings(["log_level": "trace"]))
            try await manager.systemctl("start", "userd.service")
            let command = try manager.start("\(manager.home)/.local/bin/userctl", ["sign-in"])
            let address = try await command.line(containing: "  http").trimmingCharacters(in: .whitespaces)
            // Only the user's own browser gets an answer.
            let person = try await manager.run(
                "/usr/bin/python3", ["-c", try Provider.text(of: "approve.py"), address])
            #expect(person.code == 0, "\(person)")
            #expect(try await command.ended() == .exited(0))
            #expect(try await manager.userctl("sync", "users", "--wait").code == 0)
            try await manager.systemctl("restart", "userd.service")
            let synced = try await manager.userctl("sync", "users", "--wait")
            #expect(synced.code == 0, "\(synced)")

            let folder = try await manager.property("StateDirectory", of: "userd.service")
            #expect(folder == "userd-tokens")
            let places = [".config/\(folder)", ".local/state/\(folder)"]
            let tokens = places.flatMap(provider.tokens)
            let modes = try await manager.run(
                "/usr/bin/find",
                places.map { "\(manager.home)/\($0)" } + ["-name", "users.json", "-printf", "%m\n"])
            #expect(tokens.count == 2 && modes.outputLines == ["600"], "\(modes)")
            let journal = try await manager.journal(of: "userd.service")
            #expect(journal.contains("Starting") && !tokens.contains { journal.contains($0) })
        }
    }
}
