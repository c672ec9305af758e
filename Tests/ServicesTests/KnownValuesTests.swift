import Foundation
import Model
import Services
import StrictJSON
import TestSupport
import Testing

@Suite("Values that are known to be secret")
struct KnownValuesTests {
    private func kept(_ body: String, cookie: String) throws -> String {
        let answer = HTTPResponse(
            status: 200, headers: ["Set-Cookie": "a=\(cookie); Path=/"], body: Array(body.utf8))
        return String(decoding: try ServicesTests.kept(answer).body, as: UTF8.self)
    }

    @Test(
        "A number stays one of JSON's",
        arguments: [
            ("1700000000.5", #"{"at":1700000000.5}"#, #"{"at":9999999999.9}"#),
            ("-1700000000", #"{"at":-1700000000}"#, #"{"at":-9999999999}"#),
            ("1.5e+0000300", #"{"at":1.5e+0000300}"#, #"{"at":9.9e+0000000}"#),
            ("17000000,18000000", "[17000000,18000000]", "[99999999,99999999]"),
            ("--------", "--------", "--------"),
        ])
    func numbers(cookie: String, body: String, shown: String) throws {
        #expect(try kept(body, cookie: cookie) == shown)
    }

    @Test(
        "What is short or nothing but signs once it is unescaped is looked for nowhere",
        arguments: [
            ("%74%72%75%65", #"{"a":true}"#), ("%20%20%20%20%20%20", "a          b"),
            ("%7B%22a%22%3A1%7D", #"{"a":1}"#), ("%22%22%22%22%2C%2C%2C%2C", #"a"""",,,,b"#),
        ])
    func short(cookie: String, body: String) throws {
        #expect(try kept(body, cookie: cookie) == body)
        let url = try #require(URL(string: "https://a.example/?token=\(cookie)"))
        #expect(Redaction(of: HTTPRequest(url: url)).redacted(body) == body)
    }

    @Test("Of a cookie in quotes, they stay, and words are none")
    func quotes() throws {
        let body = #"{"a":"c4nary-K7x","b":"United States"}"#
        #expect(try kept(body, cookie: "%22c4nary-K7x%22") == #"{"a":"redacted","b":"United States"}"#)
        for cookie in ["%22United%20States%22", "United States", #""United States""#] {
            #expect(try kept(body, cookie: cookie) == body)
        }
    }

    @Test("Of JSON, the strings in it are secret, and its names are not")
    func json() throws {
        let cookie = "%7B%22username%22%3A%22canary-T0ken%22%2C%22b%22%3A%5B%22canary-k3y%22%5D%7D"
        #expect(
            try kept(#"{"username":"canary-T0ken","b":"canary-k3y"}"#, cookie: cookie)
                == #"{"username":"redacted","b":"redacted"}"#)
    }

    @Test("A word that a cookie has is no other name of a member, and what is no word is")
    func names() throws {
        #expect(
            try kept(#"{"username":"username", "a":"{\"username\" : 1}"}"#, cookie: "username")
                == #"{"username":"redacted", "a":"{\"username\" : 1}"}"#)
        #expect(try kept(#"{"canary-T0ken":1}"#, cookie: "canary-T0ken") == #"{"redacted":1}"#)
        #expect(
            try kept(#"{"token of canary-T0ken":"a"}"#, cookie: "canary-T0ken")
                == #"{"token of redacted":"redacted"}"#)
    }

    @Test("A header that is only perhaps a secret's says nothing of the body, and a token's does")
    func headers() throws {
        let body = "results person success validated canary-T0ken"
        let answer = HTTPResponse(
            status: 200,
            headers: [
                "Surrogate-Key": "results", "X-Cache-Key": "person", "X-Auth-Status": "success",
                "X-Token-Status": "validated", "X-Session-Token": "canary-T0ken",
            ], body: Array(body.utf8))
        let kept = try ServicesTests.kept(answer)
        #expect(
            String(decoding: kept.body, as: UTF8.self) == "results person success validated redacted")
        #expect(kept.headers.fields.allSatisfy { $0.value == "redacted" })
    }

    @Test("A name that is a parameter's is asked for once more as a member's, and the other way round")
    func verdicts() throws {
        for (body, shown) in [
            (#"{"code":1,"u":"?code:=canary"}"#, #"{"code":1,"u":"?code:=redacted"}"#),
            (#"{"u":"?salt=kept","salt":"canary"}"#, #"{"u":"?salt=kept","salt":"redacted"}"#),
        ] {
            #expect(try kept(body, cookie: "") == shown)
        }
    }

    @Test("Of a picture nothing is taken for a name, and what is known is taken out of it")
    func binary() throws {
        let bytes: [UInt8] =
            [0x89, 0, 0xFF] + Array("pw=abc://a:b@c \"token\":\"x\"".utf8) + [0] + Array("12345678".utf8)
        let answer = { HTTPResponse(status: 200, headers: $0, body: bytes) }
        #expect(try ServicesTests.kept(answer([:])).body == bytes)
        #expect(
            try ServicesTests.kept(answer(["Set-Cookie": "a=12345678"])).body
                == bytes.dropLast(8) + Array("99999999".utf8))
        // In another encoding, or cut off, it is text still.
        let latin = Array("{\"password\":\"canary\",\"a\":\"".utf8) + [0xE9]
        #expect(
            try ServicesTests.kept(HTTPResponse(status: 200, body: latin)).body
                == Array("{\"password\":\"redacted\",\"a\":\"".utf8) + [0xE9])
    }

    @Test("Each exchange stays, whatever is left of its address, and what is no JSON any more is missing")
    func exchanges() async throws {
        let recorder = Recorder(
            session: .init(version: "1", settings: [:]), now: { now }, monotonic: { .zero })
        let bodies = [
            "/users": #"{"a":{"canary-T0ken":1,"redacted":2}}"#, "/all": #"{"a":"canary-T0ken"}"#,
        ]
        let transport = HTTPTransport { request in
            HTTPResponse(status: 200, body: Array((bodies[request.url.path()] ?? "").utf8))
        }
        .recorded(by: recorder) { $0 }
        for address in ["http://a.example/users", "http://a.example/all", "http://canary-T0ken:80/x"] {
            let headers: HTTPHeaders =
                address.hasSuffix("x") ? ["Cookie": "a=http://canary-T0ken"] : ["Cookie": "a=canary-T0ken"]
            _ = try await transport.send(
                HTTPRequest(url: try #require(URL(string: address)), headers: headers))
        }
        let exchanges = try Recording(har: Array(recorder.har().joined())).exchanges
        try #require(exchanges.count == 3)
        guard case .missing(let reason) = exchanges[0].outcome, case .answer = exchanges[1].outcome
        else { throw CocoaError(.coderInvalidValue) }
        #expect(reason == "without its secrets, the answer would be no JSON any more")
        #expect(exchanges[2].url.absoluteString == "http://redacted/")
    }
}
