import Foundation
import Model
import Services
import StrictJSON
import Testing

@Suite("What the search for secrets takes", .timeLimit(.minutes(2)))
struct SecretLimitsTests {
    private func kept(_ body: String, token: String) throws -> String {
        let answer = HTTPResponse(status: 200, body: Array(body.utf8))
        return String(
            decoding: try ServicesTests.kept(answer, headers: ["Authorization": "Bearer \(token)"]).body,
            as: UTF8.self)
    }

    private static func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }

    @Test(
        "Beginnings of escapes are as many as somebody likes, in base64 as well",
        arguments: [
            "%3", #"\\"#, "&#", "%", #"\u00"#, "%25", "&", "&#x3", "%5c", "&#92;", #"\x5c"#, "…", "%3é",
        ])
    func openers(opener: String) throws {
        // So many that a call for each would be more than a thread's stack holds.
        let bytes = opener == "%3" ? 60_000 : 6_000
        let many = String(repeating: opener, count: bytes / opener.utf8.count) + "1"
        for text in [many, Self.base64(many), Self.base64(Self.base64(many))] {
            #expect(try kept(text + " canary-T0ken", token: "canary-T0ken") == text + " redacted")
        }
    }

    @Test("A secret that is everywhere is one, however long it is", arguments: [8, 64, 65, 4000])
    func everywhere(count: Int) throws {
        let secret = String(repeating: "a", count: count)
        let body = String(repeating: "a", count: 5000)
        #expect(try kept(body, token: secret) == "redacted")
        #expect(try kept("- \(body) -", token: secret) == "- redacted -")
    }

    @Test("A long secret is found whole, and in parts", arguments: [63, 64, 65, 128, 500, 5000])
    func long(count: Int) throws {
        let secret = String((0..<count).map { "aBcD3fGh1jKlMn0pQr5tUvW"[$0 * $0 % 23] })
        for spelling in [secret, secret.uppercased(), secret.replacing("D", with: "%44")] {
            #expect(try kept("- \(spelling) -", token: secret) == "- redacted -")
        }
        #expect(try kept("- \(Self.base64(secret)) -", token: secret).count < 24)
        if count >= 128 {
            let part = secret.prefix(100)
            #expect(try kept("- \(part) -", token: secret).contains("redacted"))
        }
    }

    @Test("Of a message with cut after cut, the last ones are looked at")
    func cuts() {
        let cookies = (0..<60).map {
            HTTPHeaders.Field(name: "Set-Cookie", value: "a=\($0)" + String(repeating: "…", count: 60))
        }
        let answer = HTTPResponse(status: 200, headers: HTTPHeaders(fields: cookies))
        let request = HTTPRequest(url: api, headers: ["Authorization": "Bearer canary-T0ken"])
        let text = String(repeating: "-…", count: 4000) + "canary-T0k…"
        #expect(
            Redaction(of: request, .answer(answer)).redacted(text)
                == String(repeating: "-…", count: 4000) + "redacted…")
    }

    @Test(
        "What stands beside a secret makes nothing else of it, and JSON stays JSON",
        arguments: [
            (#"secret12\"#, #"{"echo":"secret12\\"}"#, #"{"echo":"redacted\\"}"#),
            (#"secret12\"#, #"secret12\ is unknown"#, #"redacted\ is unknown"#),
            ("deadbeefcafe", "LIKE '%deadbeefcafe%'", "LIKE '%redacted%'"),
            ("deadbeefcafe", base64("LIKE '%deadbeefcafe%'"), "TElLRSAnredacted"),
            ("newtoken1", #"a\newtoken1"#, #"a\redacted"#),
            ("secret12%4", #"secret12%41"#, "redacted1"),
            ("secret12%4", #"secret12%2541"#, "redacted%2541"),
            ("secret12&#4", "secret12&amp;#41;", "redacted&amp;#41;"),
            ("user&amper-sand1", "user other", "user other"),
            (#"ab\écd1efg"#, #"ab\\écd1efg"#, "redacted"),
        ])
    func besides(token: String, body: String, shown: String) throws {
        #expect(try kept(body, token: token) == shown)
    }
}

extension String {
    fileprivate subscript(_ offset: Int) -> Character { self[index(startIndex, offsetBy: offset)] }
}
