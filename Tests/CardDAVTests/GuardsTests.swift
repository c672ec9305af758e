import Foundation
import Model
import Testing

@testable import CardDAV

@Suite("Guards of the address book")
struct GuardsTests {
    private let guards = Guards(
        port: 25_000, .book(BookQuery(), password: "correct-horse"))
    private let right = "Basic " + Data("anyone:correct-horse".utf8).base64EncodedString()

    /// A word for the verdict: `allowed`, `401`, `wrong 401`, or the status.
    private func verdict(
        _ headers: [String: [String]], method: String = "PROPFIND", path: String = "/"
    ) -> String {
        let headers = ["Host": ["127.0.0.1:25000"], "Authorization": [right]].merging(headers) { $1 }
        return switch guards.verdict(method, path[...], { headers[$0] ?? [] }) {
        case .allowed: "allowed"
        case .answered(let answer), .refused(let answer): "\(answer.status)"
        case .unauthorised(let isWrong): isWrong ? "wrong 401" : "401"
        }
    }

    @Test("The password is in no description")
    func described() {
        #expect(!"\(CardDAVServer.Content.book(BookQuery(), password: "correct-horse"))".contains("correct"))
    }

    @Test(
        "Only this server's own address is a host",
        arguments: [
            "localhost:25000", "127.0.0.1", "127.0.0.1:25001", "[::1]:25000", "evil.example:25000",
            "127.0.0.1:25000.evil.example",
        ])
    func hosts(host: String) {
        #expect(verdict(["Host": [host]]) == "403")
        #expect(verdict(["Host": [host]], method: "OPTIONS") == "403")
    }

    @Test(
        "A target is a path, or a whole URL of this server alone (RFC 9112, section 3.2.2)",
        arguments: [
            ("/dav/?a#b", "/dav/"), ("http://127.0.0.1:25000/dav/", "/dav/"), ("http://127.0.0.1:25000", "/"),
            ("http://evil.example/dav/", "http://evil.example/dav/"),
        ])
    func targets(target: String, path: String) {
        #expect(guards.path(of: target) == path)
    }

    @Test func `one host, not none and not two`() {
        #expect(verdict([:]) == "allowed")
        #expect(verdict(["Host": []]) == "403")
        #expect(verdict(["Host": ["127.0.0.1:25000", "127.0.0.1:25000"]]) == "403")
    }

    @Test(
        "Pages of other sites have no access",
        arguments: [
            ("Origin", "http://evil.example", "403"), ("Origin", "null", "403"),
            ("Origin", "http://127.0.0.1:25001", "403"), ("Origin", "http://127.0.0.1:25000", "allowed"),
            ("Sec-Fetch-Site", "cross-site", "403"), ("Sec-Fetch-Site", "same-site", "403"),
            ("Sec-Fetch-Site", "none", "allowed"), ("Sec-Fetch-Site", "same-origin", "allowed"),
        ])
    func pages(name: String, value: String, expected: String) {
        #expect(verdict([name: [value]]) == expected)
    }

    @Test(
        "A wrong password is told from none",
        arguments: [
            ([], "401"), (["Basic " + Data("a:correct-horsf".utf8).base64EncodedString()], "wrong 401"),
            (["Basic " + Data("a:".utf8).base64EncodedString()], "wrong 401"),
            (["Basic " + Data("correct-horse".utf8).base64EncodedString()], "wrong 401"),
            (["Basic !!!"], "wrong 401"), (["Bearer correct-horse"], "wrong 401"),
            (["basic " + Data(":correct-horse".utf8).base64EncodedString()], "allowed"),
        ])
    func passwords(authorization: [String], expected: String) {
        #expect(verdict(["Authorization": authorization]) == expected)
        #expect(verdict(["Authorization": authorization], method: "OPTIONS") == "200")
        #expect(verdict(["Authorization": authorization], path: "/.well-known/carddav") == "301")
    }
}
