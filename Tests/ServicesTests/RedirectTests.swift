import Foundation
import HTTP
import Model
import Testing
import Upstream

@Suite("HTTP redirects")
struct RedirectTests {
    /// Redirects these addresses to their targets, and answers others with 200.
    private func site(_ redirects: [String: String], status: Int = 302) -> Stub {
        Stub { request in
            guard let target = redirects[request.url.absoluteString] else { return HTTPResponse(status: 200) }
            return HTTPResponse(status: status, headers: ["location": target])
        }
    }

    private let secrets: HTTPHeaders = [
        "authorization": "Bearer t", "Proxy-Authorization": "p", "Cookie": "c", "Accept": "a",
    ]

    private func ask(_ url: String, _ stub: Stub) async throws -> HTTPResponse {
        let request = HTTPRequest(url: URL(string: url)!, headers: secrets, maximumBodyBytes: 7)
        return try await stub.transport.followingRedirects().send(request)
    }

    @Test("The five redirecting statuses are followed", arguments: [301, 302, 303, 307, 308])
    func followed(status: Int) async throws {
        let stub = site(["https://a.example/x?q": "https://a.example/y"], status: status)
        #expect(try await ask("https://a.example/x?q", stub).status == 200)
        #expect(stub.addresses == ["https://a.example/x?q", "https://a.example/y"])
    }

    @Test("Other statuses are answers, even with a Location", arguments: [200, 201, 300, 304, 305, 306, 404])
    func notFollowed(status: Int) async throws {
        let stub = site(["https://a.example/": "https://a.example/y"], status: status)
        #expect(try await ask("https://a.example/", stub).status == status)
        #expect(stub.addresses.count == 1)
    }

    @Test("Redirecting statuses without a Location are answers")
    func noLocation() async throws {
        #expect(try await ask("https://a.example/", Stub("", status: 302)).status == 302)
    }

    @Test(
        "A Location is relative to the requested address, and loses user, password and fragment",
        arguments: [
            ("z", "https://a.example/x/z"), ("../z?q", "https://a.example/z?q"),
            ("/z", "https://a.example/z"),
            ("?z", "https://a.example/x/y?z"), ("//b.example/z", "https://b.example/z"),
            ("HTTPS://me:pw@b.example:8443/z#f", "HTTPS://b.example:8443/z"),
        ])
    func relative(location: String, target: String) async throws {
        let stub = site(["https://a.example/x/y": location])
        _ = try await ask("https://a.example/x/y", stub)
        #expect(stub.addresses.last == target)
    }

    @Test(
        "Messages have no token of an address that is too long to show",
        arguments: [
            ("http://[bad/", 100), ("https://[bad/", 100), ("https://h.example/", 200), ("gopher://h/", 200),
        ])
    func cutInTheToken(beginning: String, limit: Int) async throws {
        for shownOfToken in 1...12 {
            let padding = String(repeating: "q", count: limit - shownOfToken - beginning.utf8.count)
            let location = beginning + padding + "canary-T0ken-x"
            let request = HTTPRequest(
                url: URL(string: "http://a.example/")!, headers: ["Authorization": "Bearer canary-T0ken-x"])
            let stub = site(["http://a.example/": location])
            let error = try await thrown { try await stub.transport.followingRedirects().send(request) }
            #expect(!error.failure.message.contains("q"), "\(error.failure.message)")
        }
    }

    @Test(
        "Credentials follow a redirect only within the origin; other headers always do",
        arguments: [
            ("https://a.example/z", true), ("https://A.EXAMPLE:443/z", true),
            ("https://a.example:444/", false),
            ("https://b.example/", false), ("https://sub.a.example/", false),
            ("https://a.example.evil/", false),
        ])
    func credentials(target: String, kept: Bool) async throws {
        let stub = site(["https://a.example/": target])
        _ = try await ask("https://a.example/", stub)
        let request = try #require(stub.asked.last)
        for name in ["Authorization", "Proxy-Authorization", "Cookie"] {
            #expect((request.headers[name] != nil) == kept, "\(name)")
        }
        #expect(request.headers["Accept"] == "a")
        #expect(request.maximumBodyBytes == 7)
    }

    @Test("Credentials do not come back if a redirect returns to the first origin")
    func thereAndBack() async throws {
        let stub = site([
            "https://a.example/": "https://b.example/", "https://b.example/": "https://a.example/z",
        ])
        _ = try await ask("https://a.example/", stub)
        #expect(stub.asked.map { $0.headers["Authorization"] } == ["Bearer t", nil, nil])
    }

    @Test(
        "Redirects to addresses that are not http, or to another scheme, are refused",
        arguments: [
            (
                "http://a.example/?key=s",
                "redirects to http://a.example/, which changes the scheme; TLS would be lost"
            ),
            ("file:///etc/passwd", "redirects to file:///etc/passwd, which is not a valid http address"),
            ("ftp://a.example/", "redirects to ftp://a.example/, which is not a valid http address"),
            ("https:///x", "redirects to https:///x, which is not a valid http address"),
            ("https://[::1", "redirects, but the Location is not a valid address"),
        ])
    func refused(location: String, reason: String) async throws {
        let stub = site(["https://a.example/": location])
        let error = try await thrown { try await ask("https://a.example/", stub) }
        #expect(error.failure.kind == .redirect)
        #expect(error.failure.message == "https://a.example/ " + reason)
        #expect(!error.failure.retryable)
        #expect(stub.addresses.count == 1)
    }

    @Test("A redirect to https is refused, with the hint to set that address")
    func upgrade() async throws {
        let stub = site(["http://a.example/": "https://a.example/"])
        let error = try await thrown { try await ask("http://a.example/", stub) }
        #expect(
            error.failure.message.hasSuffix(
                "which changes the scheme; if https:// is right, set it"))
    }

    @Test("A Location within the length limit is followed")
    func longLocation() async throws {
        let stub = site(["https://a.example/": "/" + String(repeating: "x", count: 9000)])
        #expect(try await thrown { try await ask("https://a.example/", stub) }.failure.kind == .redirect)
    }

    @Test("Redirects in a circle are refused")
    func loop() async throws {
        let stub = site(["https://a.example/": "/b", "https://a.example/b": "/"])
        let error = try await thrown { try await ask("https://a.example/", stub) }
        #expect(
            error.failure.message
                == "https://a.example/b redirects to https://a.example/, which was requested before: a loop")
        #expect(stub.addresses.count == 2)
    }

    @Test("At most five redirects are followed")
    func tooMany() async throws {
        let redirects = Dictionary(
            uniqueKeysWithValues: (0..<9).map { ("https://a.example/\($0)", "/\($0 + 1)") })
        #expect(try await ask("https://a.example/4", site(redirects)).status == 200)
        let stub = site(redirects)
        let error = try await thrown { try await ask("https://a.example/3", stub) }
        #expect(error.failure.message.hasSuffix("redirects to https://a.example/9, after 5 redirects"))
        #expect(stub.addresses.count == 6)
    }

    @Test(
        "Redirects from outside to this machine or to private networks are refused",
        arguments: [
            "127.0.0.1", "127.1", "2130706433", "0x7f.0.0.1", "0177.0.0.1", "10.1.2.3", "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "localhost", "LOCALHOST.",
            "[::1]", "[::]", "[fe80::1]", "[fd00::1]", "[::ffff:10.0.0.1]", "[::127.0.0.1]",
            "[64:ff9b::7f00:1]",
        ])
    func intoPrivate(host: String) async throws {
        let stub = site(["http://a.example/": "http://\(host):8080/"])
        let error = try await thrown { try await ask("http://a.example/", stub) }
        #expect(error.failure.kind == .redirect)
        #expect(error.failure.message.hasSuffix("an address of this machine or of a private network"))
    }

    @Test(
        "Redirects from outside to other outside addresses are followed",
        arguments: [
            "93.184.216.34", "172.15.0.1", "172.32.0.1", "100.128.0.1", "localhost.example", "[2001:db8::1]",
            "[64:ff9b::808:808]",
        ])
    func intoPublic(host: String) async throws {
        let stub = site(["http://a.example/": "http://\(host)/"])
        #expect(try await ask("http://a.example/", stub).status == 200)
    }

    /// - Parameter names: the addresses of hosts.
    private func ask(
        _ url: String, _ stub: Stub, names: [String: [String]], exempt: Bool = false
    ) async throws -> HTTPResponse {
        let rule = RedirectRule(isExempt: { _ in exempt }, lookUp: { names[$0] ?? [] })
        return try await stub.transport.followingRedirects(rule).send(HTTPRequest(url: URL(string: url)!))
    }

    @Test(
        "Redirects from outside to names of this machine or of private networks are refused",
        arguments: [
            "127.0.0.1", "10.1.2.3", "192.168.1.1", "169.254.169.254", "::1", "fd00::1", "::ffff:10.0.0.1",
        ])
    func intoPrivateByName(address: String) async throws {
        let stub = site(["http://a.example/": "http://b.example/"])
        let names = ["a.example": ["93.184.216.34"], "b.example": ["93.184.216.35", address]]
        let error = try await thrown { try await ask("http://a.example/", stub, names: names) }
        #expect(error.failure.kind == .redirect)
        #expect(error.failure.message.hasSuffix("an address of this machine or of a private network"))
        #expect(stub.addresses.count == 1)
        #expect(try await ask("http://a.example/", stub, names: names, exempt: true).status == 200)
    }

    @Test(
        "Redirects from a private network to a name in it are followed",
        arguments: ["http://b.example/", "http://10.0.0.2/", "http://a.example/z"])
    func withinPrivateByName(target: String) async throws {
        let stub = site(["http://a.example/": target])
        let names = ["a.example": ["10.0.0.1"], "b.example": ["10.0.0.2"]]
        #expect(try await ask("http://a.example/", stub, names: names).status == 200)
    }

    @Test("The answer says which address sent it")
    func answeredBy() async throws {
        let stub = site(["http://a.example/": "http://b.example/"])
        #expect(try await ask("http://a.example/", stub).url?.absoluteString == "http://b.example/")
        #expect(try await ask("http://b.example/", stub).url == nil)
        let lost = Stub { request in
            request.url.host() == "b.example"
                ? HTTPResponse(status: 404)
                : HTTPResponse(status: 302, headers: ["location": "http://b.example/x"])
        }
        let users = UsersService.live(
            randomuser(UpstreamSettings(url: URL(string: "http://a.example/")!, pageSize: 2)),
            transport: lost.transport.followingRedirects(), now: { now })
        let error = try await thrown { try await users.fetchPage(.first) }
        #expect(error.failure.message == "http://b.example/x answered 404")
    }

    @Test("Redirects from this machine to itself are followed")
    func withinPrivate() async throws {
        let stub = site(["http://127.0.0.1/": "http://192.168.1.1/"])
        #expect(try await ask("http://127.0.0.1/", stub).status == 200)
    }
}
