import Foundation
import HTTP
import Model
import StrictJSON
import Testing

@Suite("Hosts and ports of addresses")
struct HTTPHostTests {
    @Test(
        "Each spelling of a host is the same host, with the same rank",
        arguments: [
            ("example.org", "example.org", nil), ("EXAMPLE.org.", "example.org", nil),
            ("localhost", "localhost", .thisMachine), ("LOCALHOST.", "localhost", .thisMachine),
            ("x.localhost", "x.localhost", nil), ("127.0.0.1", "127.0.0.1", .thisMachine),
            ("127.1", "127.0.0.1", .thisMachine), ("2130706433", "127.0.0.1", .thisMachine),
            ("0x7f.0.0.1", "127.0.0.1", .thisMachine), ("0177.0.0.1", "127.0.0.1", .thisMachine),
            ("127.0.0.1.", "127.0.0.1", .thisMachine), ("[::1]", "::1", .thisMachine),
            ("[0:0::1]", "::1", .thisMachine), ("[::]", "::", .thisMachine),
            ("0.0.0.0", "0.0.0.0", .thisMachine), ("169.254.169.254", "169.254.169.254", .thisMachine),
            ("[FE80::1]", "fe80::1", .thisMachine), ("[::ffff:127.0.0.1]", "127.0.0.1", .thisMachine),
            ("[::127.0.0.1]", "::127.0.0.1", .thisMachine),
            ("[64:ff9b::7f00:1]", "64:ff9b::7f00:1", .thisMachine),
            ("[::ffff:0:7f00:1]", "::ffff:0:7f00:1", .thisMachine),
            ("[64:ff9b:1::7f00:1]", "64:ff9b:1::7f00:1", .thisMachine),
            ("[2002:7f00:1::]", "2002:7f00:1::", .thisMachine), ("10.1.2.3", "10.1.2.3", .privateNetwork),
            ("172.31.255.255", "172.31.255.255", .privateNetwork),
            ("192.168.1.1", "192.168.1.1", .privateNetwork), ("100.64.0.1", "100.64.0.1", .privateNetwork),
            ("[fd00::1]", "fd00::1", .privateNetwork),
            ("[64:ff9b::a00:1]", "64:ff9b::a00:1", .privateNetwork),
            ("[::ffff:10.0.0.1]", "10.0.0.1", .privateNetwork), ("172.32.0.1", "172.32.0.1", .outside),
            ("100.128.0.1", "100.128.0.1", .outside), ("[2001:db8::1]", "2001:db8::1", .outside),
            ("[64:ff9b::808:808]", "64:ff9b::808:808", .outside),
        ] as [(String, String, HTTPHost.Rank?)])
    func spellings(written: String, text: String, rank: HTTPHost.Rank?) throws {
        let url = try #require(URL(httpAddress: "http://\(written):8080/"))
        let host = try #require(HTTPOrigin(url)?.host)
        #expect(host.text == text && host.rank == rank)
        #expect(host.isAddress == (rank != nil && text != "localhost"))
    }

    @Test(
        "An address whose host other readers could decode to another host is no address",
        arguments: [
            "http://127%2e0%2e0%2e1/", "http://loc%61lhost/", "http://[fe80::1%25eth0]/", "http://%/",
            "http:///", "http://./",
        ])
    func hidden(address: String) { #expect(URL(httpAddress: address) == nil) }

    @Test(
        "A port is between 1 and 65535, in each text that becomes an address",
        arguments: [
            ("", 80), (":", 80), (":1", 1), (":65535", 65_535), (":0", nil), (":65536", nil), (":99999", nil),
            (":9223372036854775808", nil), (":-1", nil), (":1x", nil),
        ] as [(String, Int?)])
    func ports(port: String, expected: Int?) throws {
        let text = "http://a.example\(port)/x"
        #expect(URL(httpAddress: text).flatMap(HTTPOrigin.init)?.port == expected)
        let base = try #require(URL(httpAddress: "http://b.example/"))
        #expect((URL(httpAddress: "//a.example\(port)/x", relativeTo: base) != nil) == (expected != nil))
        let redirect = HTTPResponse(status: 302, headers: ["Location": text])
        let target = try? redirectTarget(of: redirect, from: base)
        #expect((target != nil) == (expected != nil))
        if expected == nil {
            #expect(throws: UpstreamError.self) { try redirectTarget(of: redirect, from: base) }
        }
    }

    @Test("Only loopback keeps secrets without encryption, and of names only localhost")
    func secrets() throws {
        for (address, keeps) in [
            ("https://a.example/", true), ("http://a.example/", false), ("http://localhost/", true),
            ("http://LocalHost./", true), ("http://x.localhost/", false), ("http://127.9.9.9/", true),
            ("http://[::1]/", true), ("http://0.0.0.0/", false), ("http://169.254.1.1/", false),
            ("http://localhost.example/", false), ("http://loc%61lhost/", false),
        ] {
            let url = try #require(URL(string: address))
            #expect(url.keepsSecrets == keeps, "\(address)")
        }
    }

    @Test(
        "Caches and tokens of older versions know an origin by the same text",
        arguments: [
            ("https://Users.example/scim/Users", "https://users.example:443", "https://users.example"),
            ("http://10.0.0.1:8080/", "http://10.0.0.1:8080", "http://10.0.0.1:8080"),
            ("https://[2001:DB8::1]/", "https://2001:db8::1:443", "https://[2001:db8::1]"),
        ])
    func origins(address: String, text: String, shown: String) throws {
        let origin = try #require(URL(httpAddress: address).flatMap(HTTPOrigin.init))
        #expect(origin.text == text && origin.description == shown)
    }

    private static let names = [
        "out.example": ["93.184.216.34"], "corp.example": ["10.0.0.1"],
        "both.example": ["93.184.216.34", "10.0.0.9"], "here.example": ["93.184.216.34", "127.0.0.1"],
    ]

    @Test(
        "An address leads only to hosts that are no nearer than itself",
        arguments: [
            // From outside.
            ("out.example", "unknown.example", true), ("out.example", "corp.example", false),
            ("out.example", "both.example", false), ("out.example", "here.example", false),
            ("out.example", "10.0.0.1", false), ("out.example", "localhost", false),
            ("93.184.216.34", "127.0.0.1", false),
            // From a private network.
            ("corp.example", "out.example", true), ("corp.example", "192.168.1.1", true),
            ("corp.example", "both.example", true), ("corp.example", "here.example", false),
            ("corp.example", "127.0.0.1", false), ("corp.example", "169.254.169.254", false),
            ("10.0.0.1", "[::1]", false), ("10.0.0.1", "0.0.0.0", false),
            // From this machine.
            ("localhost", "10.0.0.1", true), ("127.0.0.1", "169.254.169.254", true),
            ("here.example", "localhost", true),
            // To itself, also at another port.
            ("here.example", "here.example:81", true), ("169.254.1.1", "169.254.1.1:81", true),
        ])
    func ranks(from: String, to: String, isAllowed: Bool) async throws {
        let rule = RedirectRule(lookUp: { Self.names[$0] ?? [] })
        let (from, to) = (try url(from), try url(to))
        #expect(await rule.allows(to, from: from) == isAllowed)
    }

    @Test(
        "Behind a proxy, a name counts as outside, and an address of this machine is refused",
        arguments: [
            ("out.example", "corp.example", true), ("out.example", "10.0.0.1", true),
            ("out.example", "169.254.169.254", false), ("corp.example", "0.0.0.0", false),
            ("localhost", "169.254.169.254", false),
            // Not through the proxy.
            ("corp.example", "localhost", false), ("corp.example", "127.0.0.1", false),
        ])
    func proxied(from: String, to: String, isAllowed: Bool) async throws {
        let rule = RedirectRule(
            isProxied: { HTTPOrigin($0)?.host.isLoopback == false }, lookUp: { Self.names[$0] ?? [] })
        let (from, to) = (try url(from), try url(to))
        #expect(await rule.allows(to, from: from) == isAllowed)
    }

    private func url(_ host: String) throws -> URL { try #require(URL(httpAddress: "http://\(host)/")) }

    @Test(
        "A lifetime is finite and not negative, as a number or a text",
        arguments: [
            ("3600", 3600), ("\"3600\"", 3600), ("1.5", 1.5), ("-1", 0), ("1e300", 1e9), ("\"nan\"", nil),
            ("\"-nan\"", nil), ("\"inf\"", nil), ("\"-infinity\"", nil), ("\"1e999\"", nil), ("\"\"", nil),
            ("true", nil),
        ] as [(String, Double?)])
    func lifetimes(text: String, expected: Double?) throws {
        let json = try JSONValue(upstream: Array(#"{"expires_in":\#(text)}"#.utf8))
        #expect(json.lifetime("expires_in") == expected)
    }

    @Test(
        "A host beyond ASCII is named in ASCII",
        arguments: [
            ("https://bücher.example/ä", "xn--bcher-kva.example"),
            ("ldap://MÜNCHEN.de:3", "xn--mnchen-3ya.de"),
            ("https://a:b@straße.example?ä", "xn--strae-oqa.example"),
            ("https://пример.испытание", "xn--e1afmkfd.xn--80akhbyknj4f"),
            ("https://例え.テスト/", "xn--r8jz45g.xn--zckzah"),
            // RFC 3492, section 7.1.
            ("https://他们为什么不说中文/", "xn--ihqwcrb4cv8a8dqg056pqjye"),
            ("https://3年B組金八先生/", "xn--3b-ww4c5e180e575a65lsy2b"),
            ("https://ليهمابتكلموشعربي؟/", "xn--egbpdaj6bu4bxfgehfvwxn"),
            ("https://books.example/bücher", nil), ("https://ü@books.example/", nil), ("bücher", nil),
        ] as [(String, String?)])
    func beyondASCII(address: String, host: String?) { #expect(asciiHost(of: address) == host) }
}
