import Foundation
import Model
import TestSupport
import Testing
import UserdAPI

@Suite("Canaries in a running userd", .timeLimit(.hang))
struct CanaryTests {
    private static let token = "Canary-of-the-T0ken"
    private static let key = "Canary-of-the-k3y"
    private static let cookie = "Canary-of-the-c00kie"
    private static let password = "Canary-of-the-passw0rd"
    /// Sent by the upstream only.
    private static let stranger = "Canary-of-the-str4nger"
    private static let all = [token, key, cookie, password, stranger]

    /// An upstream that repeats all that it received and sent, in as many places as possible.
    private static func answer(to head: String) -> String {
        let target = head.split(separator: " ").dropFirst().first.map(String.init) ?? ""
        let base64 = Data("user:\(token)".utf8).base64EncodedString()
        let told = head.contains(token) ? "\(token) \(base64)" : "no token"
        let known = "\(told) \(cookie.uppercased()) \(key.replacing("-", with: "%252D"))"
        let address = "http://me:\(password)@a.example/?page=2&api_key=\(key)&user_key=\(password)"
        func reply(_ status: String, _ body: String, _ headers: [String: String] = [:]) -> String {
            let headers = [
                "Set-Cookie": "id=\(cookie); HttpOnly", "X-Echo": known, "X-Api-Key": key,
                "Link": "<\(address)>; rel=\"next\"", "Referer": address, "X-Debug": password,
                "ETag": "\"\(head.contains(token) ? token : "none")\"", "Server": "a \(cookie)",
                "Content-Length": "\(body.utf8.count)",
                "Connection": "close", "\(cookie)": "a",
            ].merging(headers) { $1 }
            return "HTTP/1.1 \(status)\r\n"
                + headers.map { "\($0): \($1)\r\n" }.joined() + "\r\n" + body
        }
        switch target.prefix(while: { $0 != "?" }) {
        case "/moved":
            return reply("302 Found", known, ["Location": "/users?to=%2F%3Fpin%3D\(password)&token=\(key)"])
        case "/users" where head.contains("If-None-Match"):
            return reply("401 Unauthorized", #"{"error": "nobody knows \#(told)", "at": "\#(address)"}"#)
        case "/users":
            let nested = #"{\"auth\": {\"value\": \"\#(password)\"}}"#
            return reply(
                "200 OK",
                #"{"results": [{"name": {"last": "Ann"}, "login": {"username": "ann", "password": "\#(password)","#
                    + #" "salt": "\#(password)"}}], "echo": "\#(known)", "text": "\#(nested)","#
                    + #" "tokens": ["\#(password)"], "next": "\#(address)"}"#)
        case "/facts":
            return reply("401 Unauthorized", #"{"message": "no cat knows \#(told)", "at": "\#(known)"}"#)
        case "/fact":
            return reply(
                "403 Forbidden",
                #"{"message": "no fact for you", "token": "\#(stranger)", "text": "set password to \#(stranger)"}"#
            )
        default:
            return reply("200 OK", known)
        }
    }

    /// The canaries contained in a text: as they are, escaped or encoded.
    private func canaries(in text: String) -> [String] {
        var forms = [text.lowercased().replacing("\\", with: "")]
        while let last = forms.last, last.contains(/%[0-9a-f]{2}/), forms.count < 8 {
            forms.append(
                last.replacing(/%([0-9a-f]{2})/) { match in
                    String(UnicodeScalar(UInt8(match.1, radix: 16) ?? 0))
                })
        }
        return Self.all.flatMap { canary in
            let plain = [String(canary.dropFirst(12)), canary].map { $0.lowercased() }
            let base64 = (0..<3).map { offset in
                let whole = Data((String(repeating: " ", count: offset) + canary).utf8).base64EncodedString()
                return whole.dropFirst(4).dropLast(4).lowercased()
            }
            return (plain + base64).filter { part in forms.contains { $0.contains(part) } }
        }
    }

    @Test(
        "The token, a key, a cookie and a password appear in no recording, report, log or reply"
    )
    func everywhere() async throws {
        let server = try RawServer { connection in connection.send(Self.answer(to: connection.readHead())) }
        try await onMachine { machine in
            let (record, log) = (machine.file("a.har"), machine.file("userd.log"))
            try Data(Self.token.utf8).write(to: URL(filePath: machine.file("token")))
            let arguments = machine.arguments([
                "record": record, "users.token_file": machine.file("token"), "paused": "true",
                "users.url": server.url("/moved").absoluteString, "users.query": "api_key=\(Self.key)",
                "facts.url": server.url("/facts").absoluteString + "?user_key=\(Self.key)",
                "facts.one_url": server.url("/fact").absoluteString + "?pin=\(Self.password)",
                "log_level": "trace", "users.pictures": "all",
            ])
            let command = ([Program.userd.path] + arguments).map { "'\($0)'" }.joined(separator: " ")
            let userd = try machine.start("/bin/sh", ["-c", "exec \(command) 2>'\(log)'"])
            try await wait { try await machine.userctl(["status"]).errors == "" }
            #expect(try await machine.sync(.users).count == 1)
            for (resource, words) in [
                (Resource.users, "nobody knows REDACTED"), (.facts, "no cat knows no token"),
            ] {
                let failure = try #require(try await machine.sync(resource).failure)
                #expect(failure.message.contains(words))
            }
            let fact = try await machine.userctl(["fact", "--new"])
            #expect(fact.errors.contains("no fact for you"), "\(fact.errors)")
            #expect(server.requests.contains { $0.contains(Self.token) && $0.contains(Self.key) })

            let report = try await machine.userctl(["report", "-", "--with-data"])
            #expect(report.code == 0, "\(report.errors)")
            var places = ["report": report.output, "messages of the report": report.errors]
            for command in ["status", "history", "list", "facts", "doctor"] {
                let finished = try await machine.userctl([command])
                places[command] = finished.output + finished.errors
            }
            let printed = try await run(
                Program.userd.path, arguments + ["--print-config"], environment: machine.environment)
            places["settings"] = printed.output + printed.errors
            let checked = try await run(
                Program.userd.path, arguments + ["--record", "", "--check-upstream"],
                environment: machine.environment)
            places["checkup"] = checked.output + checked.errors
            for url in [
                "http://me:\(Self.password)@a/", "ftp://a/?api_key=\(Self.key)",
                "http://a/?pin=\(Self.password)#",
            ] {
                let refused = try await run(
                    Program.userd.path, ["--users-url", url], environment: machine.environment)
                #expect(refused.code == 64)
                places[url] = refused.output + refused.errors
            }
            userd.send(SIGTERM)
            #expect(try await userd.ended() == .exited(0))
            for file in [record, log] { places[file] = try String(contentsOfFile: file, encoding: .utf8) }
            #expect(places[record]?.contains("user_key=REDACTED") == true)
            #expect(report.output.contains("Starting") && report.output.contains("Ann"))
            for (place, text) in places { #expect(canaries(in: text) == [], "\(place)") }
            #expect(canaries(in: Self.answer(to: "GET /users?\(Self.token)")).count > 8)
            #expect(canaries(in: Self.key.replacing("-", with: "%25252D")).count == 2)
        }
    }
}
