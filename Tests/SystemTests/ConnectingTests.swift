import Foundation
import Glibc
import Model
import TestSupport
import Testing
import UserdAPI

@Suite("What connect asks before it writes a secret", .timeLimit(.hang))
struct ConnectingTests {
    private static let canary = "c4nary-of-the-secret"

    @Test("userd tells whose certificate a server has by the settings' authorities, and sends nothing")
    func certificate() async throws {
        try await onMachine { machine in
            let authority = try await CertificateAuthority()
            func look(_ address: String, trusts: Bool = true) async throws -> Finished {
                let environment = trusts ? ["USERD_HTTP_CA_FILE": authority.certificate] : [:]
                return try await run(
                    Program.userd.path, ["--certificate", address],
                    environment: machine.environment.merging(environment) { $1 })
            }
            func found(_ address: String) async throws -> String { try await look(address).output }
            try await withTLSServer(authority.identity(), answer: "") { server in
                let place = server.url("").absoluteString
                let port = place.split(separator: ":").last ?? ""
                for (address, origin) in [
                    (place + "/scim/v2/Users?a=b", place),
                    ("ldaps://127.0.0.1:\(port)/dc=a", "ldaps://127.0.0.1:\(port)"),
                ] {
                    #expect(try await found(address) == "certificate: userd test, by userd test authority\n")
                    let refused = try await look(address, trusts: false)
                    #expect(refused.code == 1 && refused.output.isEmpty)
                    let complaint = refused.errors
                    #expect(
                        complaint.hasPrefix("userd: no trusted connection to \(origin)"), "\(complaint)")
                    #expect(
                        complaint.contains("an authority that this machine does not trust"), "\(complaint)")
                }
                #expect(server.received == 0)
            }
            for (address, note) in [
                ("http://127.0.0.1:1/", "on this machine, without TLS\n"),
                ("ldap:///dc=a,dc=test", "DNS names the servers\n"),
            ] {
                #expect(try await found(address) == note)
            }
            #expect(try await look("http://idp.example/").errors.contains("is not encrypted"))
            let ended = try await look("https://me:\(Self.canary)@idp.example/")
            #expect(ended.code == 64 && ended.output.isEmpty, "\(ended)")
        }
    }

    @Test("A secret on standard input is tried, says whether it was refused, and is kept nowhere")
    func trial() async throws {
        let server = try RawServer { connection in
            let head = connection.readHead()
            let basic = Data("ann:\(Self.canary)".utf8).base64EncodedString()
            let isRight = head.contains("Bearer \(Self.canary)") || head.contains("Basic \(basic)")
            let body = isRight ? #"{"totalResults": 40, "Resources": []}"# : #"{"detail": "no"}"#
            connection.send(
                "HTTP/1.1 \(isRight ? "200 OK" : "401 No")\r\nContent-Length: \(body.utf8.count)\r\n"
                    + "Connection: close\r\n\r\n\(body)")
        }
        try await onMachine { machine in
            let (folder, secret) = (machine.file("config/userd"), machine.file("secret"))
            let url = server.url("/scim/v2/Users").absoluteString
            try machine.writeConfiguration("users: {format: scim, url: '\(url)', basic: {user: ann}}\n")
            let file = folder + "/trial.yaml"
            try "users: {format: scim, url: '\(url)'}\n".write(
                toFile: file, atomically: true, encoding: .utf8)
            func tried(_ setting: String, _ value: String, _ file: String) async throws -> Finished {
                try value.write(toFile: secret, atomically: true, encoding: .utf8)
                defer { unlink(secret) }
                let arguments = [
                    "--check-upstream", "--config", file, "--with-machine-config", "--secret-on-stdin",
                    setting,
                ]
                return try await run(
                    "/bin/sh",
                    ["-c", #"secret=$0; "$@" <"$secret""#, secret, Program.userd.path] + arguments,
                    environment: machine.environment)
            }
            func answer(_ finished: Finished) throws -> UpstreamStep {
                let checks = try decoded(UpstreamChecks.self, from: Array(finished.output.utf8))
                return try #require(checks.upstreams.first?.steps.last)
            }
            var texts = ""
            let config = folder + "/config.yaml"
            for (setting, file) in [("users.token_file", file), ("users.basic.password_file", config)] {
                let wrong = try await tried(setting, "another-" + Self.canary, file)
                #expect(try wrong.code == 1 && answer(wrong).failure?.isAboutCredentials == true, "\(wrong)")
                #expect(try answer(wrong).failure?.kind == .http && answer(wrong).failure?.httpStatus == 401)
                let right = try await tried(setting, Self.canary + "\n", file)
                #expect(try right.code == 0 && answer(right).failure == nil, "\(right)")
                texts += [wrong, right].map { $0.output + $0.errors }.joined()
            }
            // What is no secret is not sent, and errors name the setting.
            let asked = server.requests.count
            for (setting, value, words) in [
                (
                    "users.token_file", "a \(Self.canary)",
                    "users.token_file: standard input holds more than a token"
                ),
                ("users.headers", Self.canary, "--secret-on-stdin"),
            ] {
                let refused = try await tried(setting, value, file)
                #expect(refused.code == 64 && refused.errors.contains(words), "\(refused)")
                texts += refused.output + refused.errors
            }
            let alone = try await run(
                Program.userd.path, ["--secret-on-stdin", "users.token_file"],
                environment: machine.environment)
            #expect(alone.code == 64 && alone.errors.contains("with --check-upstream."))
            #expect(server.requests.count == asked)

            let kept = try String(contentsOfFile: machine.cacheDirectory + "/secrets.json", encoding: .utf8)
            #expect(
                kept.contains("127.0.0.1:\(server.port) ann (trial)") && kept.contains("accepted"), "\(kept)")
            #expect(!(texts + kept).contains(Self.canary))
            let files = try FileManager.default.subpathsOfDirectory(atPath: machine.file(""))
            for name in files {
                let content = FileManager.default.contents(atPath: machine.file(name)) ?? Data()
                #expect(content.range(of: Data(Self.canary.utf8)) == nil, "\(name)")
            }
            // No cache was made.
            #expect(!files.contains { $0.hasSuffix(".db") })
        }
    }

    @Test(
        "A secret in place of its path is in no message, log, cache or report of a running userd, and read_at tells reloads"
    )
    func pasted() async throws {
        try await onMachine { machine in
            try machine.writeConfiguration(
                """
                users: {format: scim, url: 'http://127.0.0.1:1/Users', token_file: \(Self.canary)}
                facts: {format: none}
                log_level: trace
                """)
            let userd = try await machine.startUserd(arguments: [])
            let failure = try #require(try await machine.sync(.users).failure)
            #expect(failure.message.contains("users.token_file: there is no file <not a path>: "))
            let first = try await machine.call(.getSettings, NoParameters())
            #expect(first.settings.first { $0.name == "users.token_file" }?.value == "<not a path>")
            let readAt = try #require(first.readAt)
            userd.send(SIGHUP)
            try await userd.line(containing: "Settings read again")
            try await wait {
                try await machine.call(.getSettings, NoParameters()).readAt.map { $0 > readAt } == true
            }

            var places = ["settings": String(decoding: try encoded(first), as: UTF8.self)]
            for arguments in [["status"], ["history"], ["doctor", "--offline"], ["report", "-"]] {
                let finished = try await machine.userctl(arguments)
                places[arguments[0]] = finished.output + finished.errors
            }
            for option in ["--print-config", "--check-config", "--check-upstream"] {
                let finished = try await run(Program.userd.path, [option], environment: machine.environment)
                places[option] = finished.output + finished.errors
            }
            userd.send(SIGTERM)
            _ = try await userd.ended()
            places["log"] = userd.text(.errors)
            for name in try FileManager.default.contentsOfDirectory(atPath: machine.cacheDirectory) {
                let bytes =
                    FileManager.default.contents(atPath: machine.cacheDirectory + "/" + name) ?? Data()
                places[name] = String(decoding: bytes, as: UTF8.self)
            }
            for (place, text) in places { #expect(!text.contains(Self.canary), "\(place)") }
            for place in ["history", "doctor", "--print-config", "--check-config", "log", "userd.db"] {
                #expect(places[place]?.contains("<not a path>") == true || place == "doctor", "\(place)")
            }
            #expect(places["doctor"]?.contains("users.token_file") == true)
        }
    }
}
