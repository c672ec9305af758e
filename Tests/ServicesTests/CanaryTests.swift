import DemoUpstream
import Foundation
import HTTP
import HTTPClient
import Model
import TestSupport
import Testing
import Upstream

@Suite("Secrets in recordings and messages")
struct CanaryTests {
    private static let token = "canary-T0ken/+=~x"
    private static let cookie = "canary-c00kie"
    private static let password = "canary-passw0rd"
    private static let key = "canary-k3y"

    /// An upstream that echoes everything it receives in every way it can.
    private func answer(to head: String, port: Int) -> String {
        let escaped = Self.token.replacing("/", with: #"\/"#).replacing("+", with: #"\u002B"#)
        let encoded = "canary-T0ken%2F%2B%3d~x"
        let cookies = "Set-Cookie: id=\(Self.cookie); HttpOnly\r\nX-Echo: \(Self.token) \(Self.cookie)\r\n"
        func reply(_ status: String, _ body: String, _ headers: String = "", length: Int? = nil) -> String {
            "HTTP/1.1 \(status)\r\nConnection: close\r\n\(cookies)\(headers)X-Api-Key: \(Self.key)\r\n"
                + "Content-Length: \(length ?? body.utf8.count)\r\n\r\n\(body)"
        }
        let path = head.split(separator: " ").dropFirst().first.map(String.init) ?? ""
        let login = #""login": {"password": "\#(Self.password)", "s\u0061lt": "\#(Self.password)"}"#
        let host = "http://127.0.0.1:\(port)"
        switch path.prefix(while: { $0 != "?" }) {
        case "/users":
            return reply(
                "200 OK",
                #"{"results": [{\#(login)}], "a": "\#(escaped)", "b": "\#(encoded)", "c": "\#(Self.cookie)","#
                    + #" "next": "\#(host)\/users?page=2\u0026api_key=\#(Self.key)"}"#,
                "Link: <\(host)/users?page=2&api_key=\(Self.key)>; rel=next\r\n"
                    + "Referer: http://me:\(Self.password)@a.example/?session=\(Self.key)\r\n")
        case "/truncated":
            return reply("200 OK", #"{"results": [{\#(login)"#, length: 5000)
        case "/damaged":
            return reply("200 OK", #"{"results": [x" {\#(login)}, "#)
        case "/html":
            return reply("200 OK", "token \(Self.token) is not one of ours")
        case "/complaint":
            return reply("401 Unauthorized", #"{"error": "no user has \#(escaped)"}"#)
        case "/moved":
            return reply("302 Found", "", "Location: /users?x=\(encoded)&token=\(Self.key)\r\n")
        case "/away":
            return reply("302 Found", "", "Location: https://me:\(Self.password)@b.example/\(encoded)\r\n")
        case "/nowhere":
            return reply(
                "302 Found", "", "Location: gopher://[?password=\(Self.password)&t=\(Self.token)\r\n")
        default:
            return reply("200 OK", "\u{FF}\(Self.token)")
        }
    }

    @Test("No recording has the token, cookie, password or key, and no message has the token")
    func everywhere() async throws {
        let server = try RawServer { [self] connection in
            let head = connection.readHead()
            let port = head.firstMatch(of: /[Hh]ost: 127.0.0.1:(\d+)/).flatMap { Int($0.output.1) } ?? 0
            connection.send(answer(to: head, port: port))
        }
        let redactor = SecretRedactor()
        let recorder = Recorder(
            session: .init(
                version: "1",
                settings: ["users.query": "api_key=\(Self.key)", "users.url": "http://a/?token=\(Self.key)"]),
            redactor: redactor, now: { now }, monotonic: { .zero })
        let http = LiveHTTP(
            limits: HTTPLimits(
                connectTimeout: .seconds(5), deadline: .seconds(20), maxResponseBytes: 1 << 20),
            userAgent: "userd/1", recorder: recorder)
        var messages: [String] = []
        let paths = ["users", "truncated", "damaged", "html", "complaint", "moved", "away", "nowhere"]
        for path in paths {
            let service = UsersService.live(
                randomuser(
                    UpstreamSettings(
                        url: server.url("/" + path), query: "api_key=\(Self.key)", pageSize: 5, pages: 1)),
                transport: http.transport,
                authorization: .token { Self.token }, redactor: redactor, recorder: recorder, now: { now })
            messages.append(try await thrown { try await service.fetchPage(.first, nil) }.failure.message)
        }
        let pictures = PicturesService.live(
            transport: http.transport, upstream: server.url(), redactor: redactor, recorder: recorder)
        for address in [server.url("/picture?sig=\(Self.key)").absoluteString, "ftp://a/?sig=\(Self.key)"] {
            messages.append(try await thrown { try await pictures.fetch(address, nil) }.failure.message)
        }
        try await http.shutdown()

        let file = String(decoding: Array(recorder.har().joined()), as: UTF8.self)
        // One redirect leads to users, and the address of one picture is never requested.
        #expect(try Recording(har: Array(file.utf8)).exchanges.count == paths.count + 2)
        #expect(server.requests.contains { $0.contains(Self.token) && $0.contains(Self.key) })
        for text in messages + [file, file.replacing(#"\"#, with: ""), file.removingPercentEncoding ?? file] {
            for canary in ["canary", "c\\u0061nary", "T0ken", "c00kie", "passw0rd", "k3y"] {
                #expect(!text.contains(canary), "\(canary) in \(text)")
            }
        }
        let told = messages.joined(separator: "\n")
        #expect(told.contains("no user has REDACTED"))
        #expect(messages.contains { $0.contains("it begins with 'token REDACTED is not one of ours") })
    }
}
