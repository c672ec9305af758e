import DemoUpstream
import Foundation
import Glibc
import Model
import TestSupport
import Testing
import UserdAPI

@Suite("Wrong passwords and secrets for other addresses", .timeLimit(.hang))
struct LoginTests {
    private func write(_ text: String, to path: String) throws {
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        chmod(path, 0o600)
    }

    @Test(
        "A check counts as a login, and so does each start; a changed file and a person are heard",
        arguments: [true, false])
    func once(isSilent: Bool) async throws {
        try await onMachine { machine in
            let server = try RawServer { connection in
                connection.readHead()
                if isSilent { return }
                connection.send("HTTP/1.1 401 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            }
            func logins() -> Int { server.requests.filter { $0.contains("Authorization: Basic") }.count }
            let password = machine.file("password")
            try write("wrong-canary", to: password)
            let settings = [
                "users.format": "scim", "users.url": "http://127.0.0.1:\(server.port)/v2/Users",
                "users.query": "",
                "users.basic.user": "ann", "users.basic.password_file": password,
            ]
            let check = try await run(
                Program.userd.path, ["--check-upstream"] + machine.arguments(settings),
                environment: machine.environment)
            #expect(check.code == 1 && logins() == 1, "\(check)")

            // Each start has two transitions; before them, the state is that of the userd before.
            for index in [2, 4] {
                let userd = try await machine.startUserd(settings)
                try await wait {
                    let state = try await machine.state(of: .users)
                    return state.index >= index && state.failure?.kind == .credentials
                }
                userd.send(SIGTERM)
                _ = try await userd.ended()
            }
            #expect(logins() == 1)

            try write("another-canary", to: password)
            _ = try await machine.startUserd(settings)
            try await wait {
                try await machine.state(of: .users).failure.map { [.http, .offline].contains($0.kind) }
                    == true
            }
            #expect(logins() == 2)
            #expect(try await machine.sync(.users).phase == .error)
            #expect(logins() == 3)
            for name in try FileManager.default.contentsOfDirectory(atPath: machine.cacheDirectory) {
                let bytes = try Data(contentsOf: URL(filePath: machine.cacheDirectory + "/" + name))
                for text in ["canary", Data("ann:another-canary".utf8).base64EncodedString()] {
                    #expect(bytes.range(of: Data(text.utf8)) == nil, "\(name)")
                }
            }
        }
    }

    @Test(
        "A secret of config.yaml goes to no address of the environment; reads go on, and a check names both places"
    )
    func misdirected() async throws {
        try await onMachine { machine in
            let elsewhere = try RawServer(answer: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
            let token = machine.file("token")
            try write("canary-of-the-token", to: token)
            let url = "http://127.0.0.1:\(machine.upstream.port)/api/"
            try machine.writeConfiguration("users:\n  url: \(url)\n  token_file: \(token)\n")
            let other = ["USERD_USERS_URL": "http://127.0.0.1:\(elsewhere.port)/"]
            let environment = machine.environment.merging(other) { $1 }
            for flag in ["--check-config", "--check-upstream"] {
                let check = try await run(Program.userd.path, [flag], environment: environment)
                #expect(check.code != 0, "\(check)")
                let text = check.errors + check.output
                #expect(
                    text.contains("users.token_file (file ") && text.contains("environment USERD_USERS_URL"),
                    "\(text)")
            }
            var settings = machine.settings()
            for name in ["users.url", "users.token_file"] { settings[name] = nil }
            let arguments = settings.sorted { $0.key < $1.key }.flatMap { name, value in
                ["--" + String(name.map { $0 == "." || $0 == "_" ? "-" : $0 }), value]
            }
            let userd = try machine.start(.userd, arguments, environment: other)
            try await userd.line(containing: "Listening")
            let failed = try await machine.sync(.users)
            #expect(failed.failure?.kind == .credentials && failed.failure?.retryable == false, "\(failed)")
            #expect(try await machine.users().isEmpty)
            // The check connects, and asks nothing.
            #expect(!elsewhere.requests.contains { !$0.isEmpty })
        }
    }

    @Test("A client secret of config.yaml goes to no provider of the environment when a person signs in")
    func misdirectedSignIn() async throws {
        try await onMachine { machine in
            let provider = try RawServer(answer: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
            let secret = machine.file("secret")
            try write("canary-of-the-secret", to: secret)
            try machine.writeConfiguration(
                """
                users:
                  url: http://127.0.0.1:\(machine.upstream.port)/api/
                  oauth:
                    issuer: http://127.0.0.1:\(machine.upstream.port)
                    client_id: userd
                    client_secret_file: \(secret)

                """)
            var settings = machine.settings()
            settings["users.url"] = nil
            let arguments = settings.sorted { $0.key < $1.key }.flatMap { name, value in
                ["--" + String(name.map { $0 == "." || $0 == "_" ? "-" : $0 }), value]
            }
            let other = ["USERD_USERS_OAUTH_ISSUER": "http://127.0.0.1:\(provider.port)"]
            let userd = try machine.start(.userd, arguments, environment: other)
            try await userd.line(containing: "Listening")
            let result = try await machine.userctl(["sign-in", "--device"])
            #expect(
                result.code != 0 && result.errors.contains("users.oauth.client_secret_file"), "\(result)")
            #expect(try await machine.userctl(["sign-out"]).code == 0)
            #expect(!provider.requests.contains { !$0.isEmpty })
        }
    }

    @Test(
        "A token that is found beside config.yaml stays with its first origin, also after a restart, until told otherwise"
    )
    func found() async throws {
        try await onMachine { machine in
            let elsewhere = try RawServer(answer: "HTTP/1.1 401 No\r\nContent-Length: 0\r\n\r\n")
            func configure(_ port: Int) throws {
                try machine.writeConfiguration("users:\n  url: http://127.0.0.1:\(port)/api/\n")
            }
            try configure(machine.upstream.port)
            let token = machine.file("config/userd/users-token")
            try write("canary-of-the-token", to: token)
            var settings = machine.settings()
            settings["users.url"] = nil
            let arguments = settings.sorted { $0.key < $1.key }.flatMap { name, value in
                ["--" + String(name.map { $0 == "." || $0 == "_" ? "-" : $0 }), value]
            }
            let userd = try await machine.startUserd(arguments: arguments)
            #expect(try await machine.sync(.users).phase == .loaded)
            #expect(machine.upstream.authorizations.contains("Bearer canary-of-the-token"))

            try configure(elsewhere.port)
            try await userd.reload("Settings read again")
            let state = try await machine.sync(.users)
            #expect(state.failure?.kind == .credentials, "\(state)")
            #expect(
                state.failure?.message.contains("write http://127.0.0.1:\(elsewhere.port) into") == true,
                "\(state)")
            userd.send(SIGTERM)
            _ = try await userd.ended()
            let again = try await machine.startUserd(arguments: arguments)
            #expect(try await machine.sync(.users).failure?.kind == .credentials)
            #expect(elsewhere.requests.isEmpty)

            try write("http://127.0.0.1:\(elsewhere.port)\n", to: token + ".origin")
            try await again.reload("Settings read again")
            #expect(try await machine.sync(.users).failure?.kind == .http)
            #expect(elsewhere.requests.allSatisfy { $0.contains("Bearer canary-of-the-token") })
        }
    }
}
