import DemoUpstream
import Foundation
import Model
import Synchronization
import TestSupport
import Testing
import UserdAPI

@Suite("Credentials, proxies and authorities", .timeLimit(.hang))
struct TokenTests {
    /// A token endpoint and an upstream in one. Each token is valid for two pages.
    private final class Provider: Sendable {
        let server: RawServer
        private let granted: Granted

        private final class Granted: Sendable {
            let count = Atomic(0)
            let uses = Atomic(0)
        }

        init() throws {
            let granted = Granted()
            self.granted = granted
            server = try RawServer { connection in
                let head = connection.readHead()
                func answer(_ status: String, _ body: String) {
                    connection.send(
                        "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
                    )
                }
                guard !head.hasPrefix("POST /token ") else {
                    connection.readSome()
                    let number = granted.count.add(1, ordering: .relaxed).newValue
                    granted.uses.store(0, ordering: .relaxed)
                    return answer(
                        "200 OK", #"{"access_token":"canary-t0ken-\#(number)","token_type":"Bearer"}"#)
                }
                let number = granted.count.load(ordering: .relaxed)
                guard head.contains("canary-t0ken-\(number)"),
                    granted.uses.add(1, ordering: .relaxed).newValue <= 2
                else { return answer("401 Unauthorized", #"{"error":"expired canary-t0ken-\#(number)"}"#) }
                let page = head.firstMatch(of: /[?&]page=([0-9]+)/).map { $0.output.1 } ?? "1"
                answer("200 OK", #"{"results":[{"name":{"last":"N\#(page)"},"email":"n\#(page)@x"}]}"#)
            }
        }

        var tokens: Int { granted.count.load(ordering: .relaxed) }
    }

    @Test(
        "A new token is found within seconds after a 401, without a reload, also if a rename replaces the file"
    )
    func newToken() async throws {
        try await onMachine { machine in
            let server = try RawServer { connection in
                let isNew = connection.readHead().contains("Bearer t0ken-3")
                let body = isNew ? #"{"results":[{"name":{"last":"N"},"email":"n@x"}]}"# : "{}"
                connection.send(
                    "HTTP/1.1 \(isNew ? "200 OK" : "401 Unauthorized")\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
                )
            }
            let file = machine.file("token")
            func put(_ token: String) throws {
                try Data("\(token)\n".utf8).write(to: URL(filePath: file + ".new"))
                chmod(file + ".new", 0o600)
                rename(file + ".new", file)
            }
            func reaches(_ isSo: (State) -> Bool) async throws {
                try await wait { isSo(try await machine.state(of: .users)) }
            }
            try put("t0ken-1")
            try await machine.startUserd([
                "users.url": "http://127.0.0.1:\(server.port)/api/", "users.query": "", "users.pages": "1",
                "users.token_file": file, "users.interval": "1d",
            ])
            try await reaches { $0.failure?.httpStatus == 401 }
            try put("t0ken-2")
            try await reaches { $0.failure?.attempts == 2 }
            try put("t0ken-3")
            try await reaches { $0.phase == .loaded && $0.count == 1 }
        }
    }

    @Test(
        "A client on this machine gets tokens without the proxy, renews refused ones, and shows no secret"
    )
    func client() async throws {
        try await onMachine { machine in
            let provider = try Provider()
            let proxy = try TunnelProxy(.http)
            let secret = machine.file("secret")
            try Data("canary-s3cret\n".utf8).write(to: URL(filePath: secret))
            chmod(secret, 0o600)
            let recording = machine.file("a.har")
            let userd = try await machine.startUserd([
                "users.url": "http://127.0.0.1:\(provider.server.port)/api/", "users.pages": "5",
                "users.page_size": "1", "users.query": "", "log_level": "trace", "record": recording,
                "record_raw": "true", "paused": "true",
                "users.oauth.token_url": "http://localhost:\(provider.server.port)/token",
                "users.oauth.client_id": "userd", "users.oauth.client_secret_file": secret,
                "http.proxy": "http://ann:canary-passw0rd@127.0.0.1:\(proxy.port)",
            ])
            let state = try await machine.sync(.users)
            #expect((state.phase, state.count) == (.loaded, 5))
            #expect(provider.tokens == 3)
            #expect(proxy.targets == [])

            try FileManager.default.removeItem(atPath: secret)
            let failure = try #require(try await machine.sync(.users).failure)
            #expect(failure.kind == .credentials && !failure.retryable)
            #expect(failure.message.contains("users.oauth.client_secret_file: there is no file"))
            try Data("canary-s3cret\n".utf8).write(to: URL(filePath: secret))
            #expect(try await machine.sync(.users).phase == .loaded)

            userd.send(SIGTERM)
            #expect(try await userd.ended() == .exited(0))
            let har = try String(contentsOfFile: recording, encoding: .utf8)
            let recorded = try recordedEntries(recording)
            #expect(recorded.count >= 10 && !har.contains("/token"))
            let printed = try await run(
                Program.userd.path, ["--print-config", "--http-proxy", "http://ann:canary-passw0rd@p:1"],
                environment: machine.environment)
            #expect(printed.output.contains("http://REDACTED@p:1"))
            for text in [har, userd.text(.errors), printed.output, "\(failure)"] {
                #expect(!text.contains("canary") && !text.contains("ann:"))
                #expect(!text.contains(Data("ann:canary-passw0rd".utf8).base64EncodedString()))
            }

            let replayed = try await machine.startUserd([
                "users.url": "http://127.0.0.1:\(provider.server.port)/api/", "users.pages": "5",
                "users.page_size": "1", "users.query": "", "replay": recording, "paused": "true",
            ])
            #expect(try await machine.sync(.users).count == 5)
            replayed.send(SIGTERM)
            _ = try await replayed.ended()
        }
    }

    @Test(
        "A refusal by the environment's proxy is reported as its own; loopback is reached without it"
    )
    func environment() async throws {
        try await onMachine { machine in
            let proxy = try RawServer(answer: "HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n")
            let arguments = machine.arguments(["users.url": "http://users.invalid/", "paused": "true"])
            let userd = try machine.start(
                .userd, arguments, environment: ["ALL_PROXY": "http://127.0.0.1:\(proxy.port)"])
            try await userd.line(containing: "Listening")
            let failure = try #require(try await machine.sync(.users).failure)
            #expect(failure.message.hasPrefix("the proxy http://127.0.0.1:\(proxy.port) answered 407"))
            #expect(try await machine.sync(.facts).phase == .loaded)
        }
    }

    @Test("A variable with a proxy that userd can't use lets it start, and fails what would go through it")
    func unusableProxy() async throws {
        try await onMachine { machine in
            let arguments = machine.arguments(["users.url": "http://users.invalid/", "paused": "true"])
            let environment = ["ALL_PROXY": "https://ann:canary@p"]
            let userd = try machine.start(.userd, arguments, environment: environment)
            try await userd.line(containing: "Listening")
            let failure = try #require(try await machine.sync(.users).failure)
            #expect(
                failure.message.hasPrefix(
                    "no connection to http://users.invalid is tried: ALL_PROXY is an https:// proxy"))
            #expect(failure.message.hasSuffix("set another with http.proxy, or unset the variable"))
            #expect(try await machine.sync(.facts).phase == .loaded)
            let checked = try await run(
                Program.userd.path, ["--check-upstream"] + arguments,
                environment: machine.environment.merging(environment) { $1 })
            #expect(
                checked.code != 0 && (checked.output + checked.errors).contains("ALL_PROXY is an https://"))
            #expect(!(failure.message + checked.output + checked.errors).contains("canary"))
        }
    }

    @Test("A token's file that others may read causes a warning each time settings are read")
    func mode() async throws {
        try await onMachine { machine in
            let token = machine.file("token")
            try Data("t0ken-of-ours\n".utf8).write(to: URL(filePath: token))
            chmod(token, 0o644)
            try machine.writeConfiguration("paused: true\n")
            let userd = try await machine.startUserd([
                "users.token_file": token, "users.pages": "5", "users.page_size": "2",
            ])
            #expect(try await machine.sync(.users).count == 10)
            userd.send(SIGHUP)
            try await userd.line(containing: "Settings read again")
            #expect(try await machine.sync(.users).count == 10)
            userd.send(SIGTERM)
            _ = try await userd.ended()
            #expect(userd.text(.errors).components(separatedBy: "chmod 600").count - 1 == 2)
        }
    }

    @Test(
        "A directory is trusted by the file of its authority, and a reload with a broken one changes nothing"
    )
    func authority() async throws {
        try await onMachine { machine in
            let authority = try await CertificateAuthority()
            let body = #"{"results":[{"name":{"last":"N"},"email":"n@x"}]}"#
            let answer = "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
            try await withTLSServer(try await authority.identity(), answer: answer) { server in
                let file = machine.file("ca.pem")
                try FileManager.default.copyItem(atPath: authority.certificate, toPath: file)
                try machine.writeConfiguration(
                    "http: {ca_file: \(file)}\nusers: {url: '\(server.url())', query: ''}\npaused: true\n")
                let userd = try await machine.startUserd(arguments: [])
                #expect(try await machine.sync(.users).count == 1)
                try Data("rubbish".utf8).write(to: URL(filePath: file))
                userd.send(SIGHUP)
                let line = try await userd.line(containing: "Settings stay as they were")
                #expect(line.contains("http.ca_file: \(file) can't be read"))
                #expect(try await machine.sync(.users).phase == .loaded)
            }
        }
    }
}
