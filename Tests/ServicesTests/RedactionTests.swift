import Foundation
import Model
import Services
import StrictJSON
import TestSupport
import Testing

@Suite("Redaction")
struct RedactionTests {
    private static let token = "canary/T+ken=1"

    private func kept(_ body: String, headers: HTTPHeaders) throws -> HTTPResponse {
        try ServicesTests.kept(
            HTTPResponse(status: 200, headers: headers, body: Array(body.utf8)),
            headers: ["Authorization": "Bearer \(Self.token)"])
    }

    private func kept(_ body: String) throws -> String {
        String(decoding: try kept(body, headers: [:]).body, as: UTF8.self)
    }

    @Test(
        "Parameters that are secret by name lose their value wherever an address stands",
        arguments: [
            ("https://a.example/?api_key=canary&page=2", "https://a.example/?api_key=redacted&page=2"),
            (
                "https://a.example/?page=2&Access%5FToken=canary#a",
                "https://a.example/?page=2&Access%5FToken=redacted#a"
            ),
            ("https://a.example/x?sig=can%20ary", "https://a.example/x?sig=redacted"),
            ("https://a.example/?token=a;canary", "https://a.example/?token=redacted"),
            ("https://me:canary@a.example/?seed=1", "https://redacted@a.example/?seed=1"),
            (
                "https://a.example/?seed=1&nat=us&monkey=2&keyword=b",
                "https://a.example/?seed=1&nat=us&monkey=2&keyword=b"
            ),
        ])
    func urls(url: String, shown: String) throws {
        #expect(redacted(url: try #require(URL(string: url))).absoluteString == shown)
        let link = try kept("", headers: ["Link": "<\(url)>; rel=\"next\""]).headers["Link"]
        #expect(link == "<\(shown)>; rel=\"next\"")
        #expect(try kept(#"{"next": "\#(url)"}"#) == #"{"next": "\#(shown)"}"#)
        let escaped = { (text: String) in text.replacing("/", with: #"\/"#).replacing("&", with: #"\u0026"#) }
        #expect(try kept(#"{"next": "\#(escaped(url))"}"#) == #"{"next": "\#(escaped(shown))"}"#)
    }

    @Test("A second time changes nothing, so that what is asked for can be found by what is kept")
    func again() throws {
        let once = redacted(url: try #require(URL(string: "https://a:b@c.example/?api_key=canary&page=2")))
        #expect(redacted(url: once) == once)
    }

    @Test("A token is taken out of an address's path, and one in the place of a user is known elsewhere")
    func places() throws {
        let url = try #require(URL(string: "https://a.example/canary-T0ken/users?page=2"))
        let request = HTTPRequest(url: url, headers: ["Authorization": "Bearer canary-T0ken"])
        #expect(
            Redaction(of: request).redacted(url: url).absoluteString
                == "https://a.example/redacted/users?page=2")
        let other = try #require(URL(string: "https://canary-T0ken@a.example/"))
        #expect(Redaction(of: HTTPRequest(url: other)).redacted("no canary-T0ken") == "no redacted")
    }

    @Test("A query among the settings loses its secrets")
    func settings() {
        #expect(Redaction().redacted(setting: "api_key=canary&nat=us") == "api_key=redacted&nat=us")
        #expect(Redaction().redacted(setting: "nat=us&seed=999") == "nat=us&seed=999")
        #expect(
            Redaction().redacted(setting: "https://a.example/?key=canary")
                == "https://a.example/?key=redacted")
    }

    @Test(
        "A name that is secret is one with whatever characters beside it",
        arguments: [
            "auth:token=", "my$token=", "a@token=", "x=(token=", "user,password=", "bearer=", "my%20token=",
            String(repeating: "a", count: 70) + "_token=", "my token=", "nat=us&a\"token=", "a=1#token=",
        ])
    func settingNames(name: String) {
        for prefix in ["", "https://a.example/?"] {
            #expect(
                Redaction().redacted(setting: prefix + name + "canary&nat=us")
                    == prefix + name + "redacted&nat=us")
        }
    }

    @Test(
        "Passwords, salts and hashes in a body are taken out, whatever is around them",
        arguments: [
            (#"{"password":"canary"}"#, #"{"password":"redacted"}"#),
            (
                #"{"a":[{"login": {"salt" :  "canary", "md5":"canary"}}]}"#,
                #"{"a":[{"login": {"salt" :  "redacted", "md5":"redacted"}}]}"#
            ),
            (
                #"{"pass\u0077ord":"canary","SHA1":"can\"ary"}"#,
                #"{"pass\u0077ord":"redacted","SHA1":"redacted"}"#
            ),
            (#"{"password":"canary\\","username":"a"}"#, #"{"password":"redacted","username":"a"}"#),
            (#"{"sha256":12345,"password":null}"#, #"{"sha256":"redacted","password":"redacted"}"#),
            (#"{"password":{"is":["canary","}"]},"a":1}"#, #"{"password":"redacted","a":1}"#),
            (#"{"password":"cana"#, #"{"password":"redacted"#),
            (#"{"password":["cana"#, #"{"password":"redacted""#),
            (#"{"a": b" c", "password":"canary"}"#, #"{"a": b" c", "password":"redacted"}"#),
            (#"{"text":"{\"password\":\"can\\\"ary\"}"}"#, #"{"text":"{\"password\":\"redacted\"}"}"#),
            (#"{"a":"password"}"#, #"{"a":"password"}"#),
            (#"{"a":"?token=canary\\"}"#, #"{"a":"?token=redacted"}"#),
            (#"{"auth":{"value":["canary"]},"a":1}"#, #"{"auth":"redacted","a":1}"#),
            (#"{"tokens":["canary",{"a":"]canary"}],"a":1}"#, #"{"tokens":"redacted","a":1}"#),
            (
                #"{"text":"{\"auth\":{\"value\":\"can\\\"ary}\"},\"a\":1}"}"#,
                #"{"text":"{\"auth\":\"redacted\",\"a\":1}"}"#
            ),
            (#"{"text":"{\"pin\":1234}","a":1}"#, #"{"text":"{\"pin\":\"redacted\"}","a":1}"#),
            (
                #"{"text":"{\u0022auth\u0022:{\u0022a\u0022:\u0022can}ary\u0022},\u0022a\u0022:1}"}"#,
                #"{"text":"{\u0022auth\u0022:\u0022redacted\u0022,\u0022a\u0022:1}"}"#
            ),
            (
                #"{"text":"{\u0022otp\u0022:\u0022can\\\u0022ary\u0022,\u0022a\u0022:1}"}"#,
                #"{"text":"{\u0022otp\u0022:\u0022redacted\u0022,\u0022a\u0022:1}"}"#
            ),
            (#"{"text":"{\"auth\":{\"a\":\"cana","a":"b"}"#, #"{"text":"{\"auth\":\"redacted\"","a":"b"}"#),
            (#"{"text":"{\"otp\":\"cana","a":"b"}"#, #"{"text":"{\"otp\":\"redacted","a":"b"}"#),
            ("{&quot;otp&quot;:&quot;canary&quot;}", "{&quot;otp&quot;:&quot;redacted&quot;}"),
            ("?a=%7B%22otp%22%3A%22can%5C%22ary%22%7D&b", "?a=%7B%22otp%22%3A%22redacted%22%7D&b"),
            ("?a=%7B%22otp%22%3A%5B17%2C18%5D%7D&b", "?a=%7B%22otp%22%3A%22redacted%22&b"),
            ("token=canary&page=2", "token=redacted&page=2"), ("no such pin=canary", "no such pin=redacted"),
            (#"{"a":"?a=1\u0026pin\u003dcanary\u0026b"}"#, #"{"a":"?a=1\u0026pin\u003dredacted\u0026b"}"#),
            ("?a=1&amp;pin=canary&amp;b", "?a=1&amp;pin=redacted&amp;b"),
            (
                "?to=http%3A%2F%2Fme%3Acanary%40a%2F%3Fpin%3Dcan%2526ary%26b%3D2&pin=can%26ary",
                "?to=http%3A%2F%2Fredacted%40a%2F%3Fpin%3Dredacted%26b%3D2&pin=redacted"
            ),
            ("?to=%252F%253Fpin%253Dcanary%2526b", "?to=%252F%253Fpin%253Dredacted%2526b"),
        ])
    func members(body: String, shown: String) throws {
        #expect(try kept(body) == shown)
    }

    @Test("However many cookies an answer sets, it may not say what the request's token was")
    func manyCookies() throws {
        let cookies = (0..<70).map { HTTPHeaders.Field(name: "Set-Cookie", value: "a=a-long-value-\($0)") }
        #expect(
            String(decoding: try kept(Self.token, headers: HTTPHeaders(fields: cookies)).body, as: UTF8.self)
                == "redacted")

        let url = try #require(URL(string: "https://a.example/?api_key=canary-k3y"))
        let answer = HTTPResponse(status: 200, headers: HTTPHeaders(fields: cookies))
        #expect(Redaction(of: HTTPRequest(url: url), .answer(answer)).redacted("canary-k3y") == "redacted")
    }

    @Test("The beginning of a secret is found where a message is cut", arguments: 4...12)
    func cut(count: Int) {
        let request = HTTPRequest(url: api, headers: ["Authorization": "Bearer canary/T+ken=1"])
        for text in ["canary/T+ken=1", "canary%2FT%2bken%3D1"] {
            #expect(Redaction(of: request).redacted("a \(text.prefix(count))… b") == "a redacted… b")
        }
    }

    @Test(
        "The token of the request is found again in other spellings",
        arguments: [
            ("before canary/T+ken=1 after", "before redacted after"),
            (#"{"a":"canary\/T+ken=1"}"#, #"{"a":"redacted"}"#),
            (#"{"a":"\u0063anary\/T\u002bken\u003D1"}"#, #"{"a":"redacted"}"#),
            ("?x=canary%2FT%2bken%3D1&y", "?x=redacted&y"), ("canary/T+ken=", "canary/T+ken="),
        ])
    func echoes(body: String, shown: String) throws {
        #expect(try kept(body) == shown)
    }

    @Test("Cookies are found again, in headers as well, and a number stays one")
    func cookies() throws {
        let response = try kept(
            #"{"session": 1, "id": 1234567890, "b": "a-long-value", "c": "short"}"#,
            headers: [
                "Set-Cookie": "id=1234567890; Path=/", "set-cookie": "b=\"a-long-value\"; Secure",
                "Set-cookie": "c=short", "Server": "1234567890 a-long-value", "1234567890": "",
            ])
        #expect(
            String(decoding: response.body, as: UTF8.self)
                == #"{"session": "redacted", "id": 9999999999, "b": "redacted", "c": "short"}"#)
        #expect(response.headers["Server"] == "9999999999 redacted")
        #expect(response.headers["9999999999"] == "redacted")
        #expect(response.headers.fields.map(\.value).filter { $0 == "redacted" }.count == 4)
    }

    @Test("The password of Basic credentials is a secret as well as its base64")
    func basic() throws {
        let request = HTTPRequest(
            url: api, headers: ["authorization": "Basic " + Data("me:pa55word".utf8).base64EncodedString()])
        #expect(
            Redaction(of: request).redacted("me:pa55word pa55word bWU6cGE1NXdvcmQ=")
                == "redacted redacted redacted")
    }

    @Test("What is in parameters of credentials is a secret, and what only names something is not")
    func parameters() throws {
        let request = HTTPRequest(
            url: api, headers: ["authorization": #"Token token="canary-T0ken", realm="people""#])
        #expect(Redaction(of: request).redacted("canary-T0ken people") == "redacted people")
    }

    @Test("A cookie of few letters is looked for where it is no word")
    func shortCookies() {
        let request = HTTPRequest(url: api, headers: ["Cookie": "a=c4nary; b=canary; c=cana1"])
        #expect(Redaction(of: request).redacted("c4nary canary cana1") == "redacted canary cana1")
    }

    @Test(
        "JSON stays JSON, wherever it is cut off nothing of a secret is left",
        arguments: 0..<20 as Range<UInt64>)
    func random(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        func value(_ depth: Int) -> String {
            let secrets = [
                #""canary/T+ken=1""#, #""https://a/?api_key=canary5&b=1""#, #""x\"y\\""#, "17", "null",
            ]
            guard depth > 0 else { return secrets.randomElement(using: &random)! }
            let parts = (0..<3).map { _ in value(depth - 1) }
            guard Bool.random(using: &random) else { return "[" + parts.joined(separator: ", ") + "]" }
            let names = ["a", "b\\\"", "c"].shuffled(using: &random)
            let members = zip(names, parts).map { #""\#($0)" : \#($1)"# } + [#""password":"canary5\\\"""#]
            return "{" + members.shuffled(using: &random).joined(separator: ",") + "}"
        }
        let body = value(4)
        let whole = try kept(body)
        #expect(throws: Never.self) { try StrictJSON.validate(Array(whole.utf8), maximumDepth: 16) }
        #expect(!whole.contains("canary"))
        for _ in 0..<20 {
            let part = try kept(String(body.prefix(Int.random(in: 0...body.count, using: &random))))
            #expect(!part.contains("canary5"))
        }
    }
}
