import Foundation
import HTTP
import HTTPClient
import Model
import TestSupport
import Testing

@Suite("Proxies", .timeLimit(.hang))
struct ProxiesTests {
    private static let body = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n[]"

    @Test(
        "Upstreams use the proxy unless an exception names them",
        arguments: [
            ("", "https://a.example/", true), ("*", "https://a.example/", false),
            ("a.example", "https://a.example/", false), ("a.example", "https://A.EXAMPLE./", false),
            ("a.example", "https://b.a.example/", false), (".a.example", "https://b.a.example/", false),
            (".a.example", "https://a.example/", false), ("*.a.example", "https://b.a.example/", false),
            ("a.example", "https://ba.example/", true), ("x, a.example ,y", "https://a.example/", false),
            ("x a.example", "https://a.example/", false), ("a.example:443", "https://a.example/", false),
            ("a.example:8443", "https://a.example/", true), ("10.1.2.3", "https://10.1.2.3/", false),
            ("10.1.2.3", "https://10.1.2.4/", true), ("2001:db8::1", "https://[2001:db8:0::1]/", false),
            ("0.2.3", "https://10.0.2.3/", true), ("2.3", "https://a.2.3/", true),
            ("[2001:db8::1]:443", "https://[2001:db8::1]/", false), ("example", "https://example.org/", true),
            ("10.0.0.0/8", "https://10.1.2.3/", false), ("10.0.0.0/8", "https://11.1.2.3/", true),
            ("10.1.2.0/23", "https://10.1.3.9/", false), ("10.1.2.0/23", "https://10.1.4.9/", true),
            ("2001:db8::/32", "https://[2001:db8:1::1]/", false),
            ("2001:db8::/32", "https://[2001:db9::1]/", true),
            ("10.0.0.0/8", "https://10.example/", true), ("10.0.0.0/33", "https://10.0.0.0/", true),
            ("0.0.0.0/0", "https://10.1.2.3/", false), ("0.0.0.0/0", "https://[2001:db8::1]/", true),
        ])
    func exceptions(exceptions: String, address: String, isProxied: Bool) throws {
        let url = try #require(URL(string: address))
        let proxies = Proxies(always: ProxyAddress("http://p:1"), exceptions: exceptions)
        #expect((try proxies.proxy(for: url) != nil) == isProxied)
    }

    @Test(
        "Nothing for this machine goes through a proxy, in whatever way the proxy is set",
        arguments: [
            "http://localhost/", "https://localhost.:8443/", "http://127.9.9.9/", "http://127.1/",
            "http://[::1]:81/", "http://[::ffff:127.0.0.1]/",
        ])
    func thisMachine(address: String) throws {
        let url = try #require(URL(string: address))
        let proxy = ProxyAddress("http://p:1")
        #expect(try Proxies(always: proxy).proxy(for: url) == nil)
        #expect(try Proxies(https: proxy, http: proxy).proxy(for: url) == nil)
        for other in ["http://x.localhost/", "http://0.0.0.0/", "http://128.0.0.1/"] {
            #expect(try Proxies(always: proxy).proxy(for: #require(URL(string: other))) == proxy)
        }
    }

    @Test(
        "A proxy has a valid host and port",
        arguments: ["http://p:99999", "http://p:0", "http://%70:1", "http://:1"])
    func places(address: String) { #expect(ProxyAddress(address) == nil) }

    @Test("Proxies of the environment apply by scheme, and not to upstreams on this machine")
    func environment() throws {
        let proxies = Proxies(https: ProxyAddress("http://s:1"), http: ProxyAddress("socks5://h"))
        func shown(_ address: String) throws -> String? {
            try URL(string: address).flatMap { try proxies.proxy(for: $0)?.description }
        }
        #expect(try shown("https://a.example/") == "http://s:1")
        #expect(try shown("http://a.example/") == "socks5://h:1080")
        for local in ["localhost", "127.0.0.9", "[::1]", "[::ffff:127.0.0.1]"] {
            #expect(try shown("http://\(local):81/") == nil, "\(local)")
        }
        #expect(try shown("http://127.example/") != nil)
        #expect(ProxyAddress("socks://h/")?.description == "socks5://h:1080")
    }

    @Test("A variable that names no usable proxy fails the requests that would use it, and no others")
    func unusable() async throws {
        let upstream = try RawServer(answer: Self.body)
        var proxies = Proxies(https: ProxyAddress("http://s:1"), exceptions: "exempt.example")
        proxies.faults = ["http": "ALL_PROXY is nonsense"]
        let outside = try #require(URL(string: "http://users.example/api?key=s3cret"))
        try await withHTTP(proxies: proxies) { http in
            let failure = try await thrown { try await http.send(HTTPRequest(url: outside)) }.failure
            #expect(failure.kind == .offline)
            #expect(
                failure.message == "no connection to http://users.example is tried: ALL_PROXY is nonsense")
            #expect(try await http.send(HTTPRequest(url: upstream.url())).status == 200)
        }
        #expect(try proxies.proxy(for: #require(URL(string: "http://exempt.example/"))) == nil)
        #expect(try proxies.proxy(for: #require(URL(string: "https://users.example/")))?.port == 1)
        proxies.always = ProxyAddress("http://always:2")
        #expect(try proxies.proxy(for: outside)?.port == 2)
    }

    @Test("A proxy prints without user and password")
    func printed() throws {
        let proxy = try #require(ProxyAddress("http://ann:p%40ss@[::1]:3128/"))
        #expect("\(proxy)" == "http://[::1]:3128")
        #expect(proxy.user == "ann" && proxy.password == "p@ss")
        #expect(ProxyAddress("https://p:1") == nil)
    }

    @Test("A proxy gets the upstream's name", arguments: ["http", "socks5", "socks"])
    func tunnels(scheme: String) async throws {
        let proxy = try TunnelProxy(scheme == "http" ? .http : .socks)
        let upstream = try RawServer(answer: Self.body)
        let url = try #require(URL(string: "http://users.invalid:\(upstream.port)/api"))
        let response = try await withHTTP(
            proxies: Proxies(always: ProxyAddress("\(scheme)://127.0.0.1:\(proxy.port)"))
        ) { try await $0.send(HTTPRequest(url: url)) }
        #expect(response.status == 200)
        #expect(proxy.targets == ["users.invalid:\(upstream.port)"])
        #expect(upstream.requests.first?.hasPrefix("GET /api HTTP/1.1\r\n") == true)
    }

    @Test(
        "TLS through a proxy is with the upstream, whose authority userd trusts",
        arguments: [
            TunnelProxy.Speech.http, .socks,
        ])
    func tls(speech: TunnelProxy.Speech) async throws {
        let authority = try await CertificateAuthority()
        let identity = try await authority.identity(names: "DNS:users.invalid")
        let proxy = try TunnelProxy(speech)
        let scheme = speech == .http ? "http" : "socks5"
        let proxies = Proxies(always: ProxyAddress("\(scheme)://127.0.0.1:\(proxy.port)"))
        try await withTLSServer(identity, answer: Self.body) { server in
            let url = try #require(URL(string: "https://users.invalid:\(server.url().port ?? 0)/"))
            let response = try await withHTTP(trusting: [authority.certificate], proxies: proxies) {
                try await $0.send(HTTPRequest(url: url))
            }
            #expect(response.status == 200)
            let error = try await withHTTP(proxies: proxies) { http in
                try await thrown { try await http.send(HTTPRequest(url: url)) }
            }
            #expect(error.failure.kind == .tls)
        }
    }

    @Test("User and password go to the proxy, and not to the upstream")
    func authorization() async throws {
        let proxy = try TunnelProxy(.http)
        let upstream = try RawServer(answer: Self.body)
        let url = try #require(URL(string: "http://users.invalid:\(upstream.port)/"))
        _ = try await withHTTP(
            proxies: Proxies(always: ProxyAddress("http://ann:p%40ss@127.0.0.1:\(proxy.port)"))
        ) { try await $0.send(HTTPRequest(url: url)) }
        let basic = Data("ann:p@ss".utf8).base64EncodedString()
        #expect(
            proxy.server.requests.first?.lowercased().contains(
                "proxy-authorization: basic \(basic)".lowercased()) == true)
        #expect(upstream.requests.first?.lowercased().contains("proxy-authorization") == false)
    }

    private func failure(
        _ proxy: String, _ address: String = "https://users.invalid/api"
    ) async throws -> Failure {
        let url = try #require(URL(string: address))
        return try await withHTTP(
            connectTimeout: .seconds(1), proxies: Proxies(always: ProxyAddress(proxy))
        ) { http in
            try await thrown { try await http.send(HTTPRequest(url: url)) }.failure
        }
    }

    @Test(
        "Errors of the proxy are reported as the proxy's",
        arguments: [
            ("HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n", Failure.Kind.http, "answered 407: it requires"),
            (
                "HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n", .offline,
                "does not connect to users.invalid:443"
            ),
            ("", .offline, "was closed"),
        ])
    func refusals(answer: String, kind: Failure.Kind, words: String) async throws {
        let proxy = try RawServer(answer: answer)
        let failure = try await failure("http://ann:s3cret@127.0.0.1:\(proxy.port)")
        #expect(failure.kind == kind)
        #expect(failure.message.contains("the proxy http://127.0.0.1:\(proxy.port)"), "\(failure.message)")
        #expect(failure.message.contains(words), "\(failure.message)")
        #expect(failure.retryable == (kind == .offline))
        #expect(!failure.message.contains("ann") && !failure.message.contains("s3cret"))
    }

    @Test("Refusals of a SOCKS proxy are reported as the proxy's")
    func socks() async throws {
        let proxy = try RawServer { connection in
            connection.readSome()
            connection.send([5, 0])
            connection.readSome()
            connection.send([5, 5, 0, 1, 0, 0, 0, 0, 0, 0])
            connection.waitForEnd()
        }
        let failure = try await failure("socks5://127.0.0.1:\(proxy.port)")
        #expect(
            failure.message
                == "the proxy socks5://127.0.0.1:\(proxy.port) does not connect to users.invalid:443: connection refused"
        )
        #expect(failure.kind == .offline)
        let asking = try RawServer { connection in
            connection.readSome()
            connection.send([5, 0xFF])
            connection.waitForEnd()
        }
        let asked = try await self.failure("socks5://127.0.0.1:\(asking.port)")
        #expect(asked.message.contains("requires a user and a password"), "\(asked.message)")
    }

    @Test("A proxy that is unreachable or silent is reported as such")
    func away() async throws {
        let gone = try RawServer(answer: "")
        gone.stop()
        let refused = try await failure("http://127.0.0.1:\(gone.port)")
        #expect(
            refused.message
                == "could not connect to the proxy http://127.0.0.1:\(gone.port): connection refused")
        #expect(refused.kind == .offline)
        let unknown = try await failure("http://proxy.invalid:3128")
        #expect(unknown.message.hasPrefix("could not find the proxy proxy.invalid: "), "\(unknown.message)")
        for scheme in ["http", "socks5"] {
            let silent = try RawServer { $0.waitForEnd() }
            let late = try await failure("\(scheme)://127.0.0.1:\(silent.port)")
            #expect(late.kind == .timeout)
            let proxy = "the proxy \(scheme)://127.0.0.1:\(silent.port)"
            #expect(late.message == "no connection to users.invalid:443 through \(proxy) in time")
        }
    }

    @Test("A token for this machine never reaches a proxy")
    func tokens() async throws {
        let proxy = try TunnelProxy(.http)
        let upstream = try RawServer(answer: Self.body)
        let url = try #require(URL(string: "http://localhost:\(upstream.port)/"))
        let response = try await withHTTP(
            proxies: Proxies(always: ProxyAddress("http://127.0.0.1:\(proxy.port)"))
        ) { try await $0.send(HTTPRequest(url: url, headers: ["Authorization": "Bearer s3cret"])) }
        #expect(response.status == 200)
        #expect(proxy.targets == [] && upstream.requests.count == 1)
    }

    @Test("A redirect to a private address is left to the proxy")
    func redirects() async throws {
        let proxy = try TunnelProxy(.http)
        let there = try RawServer(answer: Self.body)
        let upstream = try RawServer(
            answer:
                "HTTP/1.1 302 Found\r\nLocation: http://10.0.0.1:\(there.port)/\r\nContent-Length: 0\r\n\r\n")
        let url = try #require(URL(string: "http://users.invalid:\(upstream.port)/"))
        let always = ProxyAddress("http://127.0.0.1:\(proxy.port)")
        let response = try await withHTTP(proxies: Proxies(always: always)) {
            try await $0.send(HTTPRequest(url: url))
        }
        #expect(response.status == 200)
        #expect(proxy.targets.last == "10.0.0.1:\(there.port)")
        let error = try await withHTTP(proxies: Proxies(always: always, exceptions: "10.0.0.1")) { http in
            try await thrown { try await http.send(HTTPRequest(url: url)) }
        }
        #expect(error.failure.kind == .redirect)
    }

    @Test("Authorities come from a PEM file, which must contain some")
    func trustRoots() throws {
        let directory = try TemporaryDirectory()
        let file = directory.file("ca.pem")
        #expect(TrustRoots(files: [file]) == nil)
        for text in ["", "rubbish", "-----BEGIN CERTIFICATE-----\nrubbish\n-----END CERTIFICATE-----\n"] {
            try Data(text.utf8).write(to: URL(filePath: file))
            #expect(TrustRoots(files: [file]) == nil, "\(text)")
        }
    }
}
