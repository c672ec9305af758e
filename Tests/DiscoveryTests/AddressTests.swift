import Foundation
import HTTP
import Model
import Testing

@testable import Upstream

extension DiscoveryTests {
    @Test(
        "SCIM is found below the usual places of a host, and an endpoint's name stands for what is above it",
        arguments: [
            ("https://idp.test", "/scim/v2"), ("https://idp.test/", "/scim"),
            ("https://idp.test/login", "/scim/v2"),
            ("https://idp.test/x/v2/User", "/x/v2"), ("https://idp.test/x/v2/users", "/x/v2"),
            ("https://idp.test/x/v2/Groups/", "/x/v2"),
            ("https://idp.test/scim/v2/ServiceProviderConfig", "/scim/v2"),
        ])
    func scimPlaces(name: String, base: String) async throws {
        let config = #"{"schemas": ["urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"]}"#
        let users = "https://idp.test\(base)/Users"
        for page in [(200, config), (401, "{}")] {
            let asked = Asked()
            let found = try await found(
                name, pages: ["https://idp.test\(base)/ServiceProviderConfig": page],
                type: "application/scim+json",
                asked: asked)
            #expect(found.directories.map { setting("users.url", $0) } == [users])
            #expect(found.complaints.isEmpty)
            #expect(await !asked.all.contains { $0.contains("User/") && !$0.contains("/.well-known/") })
        }
    }

    @Test(
        "A server that asks for a token everywhere is SCIM at what was named, and a description is preferred")
    func closedEverywhere() async throws {
        let closed = HTTPTransport { request in
            let isOpen = request.url.absoluteString == "https://idp.test/scim/v2/ServiceProviderConfig"
            let config = #"{"schemas": ["urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"]}"#
            return HTTPResponse(
                status: isOpen ? 200 : 401, headers: ["Content-Type": "application/scim+json"],
                body: Array((isOpen ? config : "{}").utf8))
        }
        let found = await discovery(DNSLookup { _, _ in [] }, closed).directories(
            of: try OrganisationName("https://idp.test/other/User"))
        #expect(found.directories.map { setting("users.url", $0) } == ["https://idp.test/scim/v2/Users"])
        let mistyped = try await self.found(
            "https://idp.test/x/User", pages: ["https://idp.test/x/Users": (403, "{}")],
            type: "application/scim+json")
        #expect(mistyped.directories.map { setting("users.url", $0) } == ["https://idp.test/x/Users"])
        #expect(mistyped.directories.first?.because == "https://idp.test/x/Users asks for a token of SCIM")
    }

    @Test("A certificate's error, like a host that is down, is the only thing said, after one request")
    func certificate() async throws {
        for kind in [Failure.Kind.tls, .offline, .timeout] {
            let asked = Asked()
            let transport = HTTPTransport { request in
                await asked.add(request.url.absoluteString)
                throw UpstreamError(kind, "the certificate has expired")
            }
            let found = await discovery(DNSLookup { _, _ in [] }, transport).directories(
                of: try OrganisationName("https://idp.test"))
            #expect(found == Discovered(directories: [], complaints: ["the certificate has expired"]))
            #expect(await asked.all == ["https://idp.test"])
        }
    }

    @Test("If nothing is found, it says which names and addresses were asked")
    func lookedFor() async throws {
        #expect(
            try await found("corp.test").complaints == [
                "DNS names no directory of corp.test; it was asked for SRV of _ldap._tcp.dc._msdcs.corp.test, "
                    + "_ldap._tcp.corp.test, _kerberos._udp.corp.test, MX of corp.test and CNAME of "
                    + "enterpriseregistration.corp.test"
            ])
        #expect(
            try await found("https://idp.test/a").complaints == [
                "https://idp.test/a leads to no directory; it was asked for a list of users, SCIM at "
                    + "https://idp.test/a/ServiceProviderConfig, https://idp.test/scim/v2/ServiceProviderConfig, "
                    + "https://idp.test/scim/ServiceProviderConfig, and a provider to sign in at, "
                    + "https://idp.test/a/.well-known/openid-configuration; name the address of its list of users"
            ])
    }

    @Test("All questions together take ten seconds, and what answered within them counts")
    func limit() async throws {
        let limits = Limits()
        let transport = HTTPTransport { request in
            if request.url.path.hasSuffix("ServiceProviderConfig") { try await forever() }
            let document =
                #"{"issuer": "https://idp.test", "authorization_endpoint": "https://idp.test/auth"}"#
            return HTTPResponse(status: 200, body: Array(document.utf8))
        }
        let discovery = Discovery(
            dns: DNSLookup { _, _ in [] }, transport: transport, elapsed: { .seconds(4) },
            sleep: { limit in
                await limits.add(limit)
                // The two questions with an answer end their own wait.
                while await limits.cancelled < 2 {
                    guard !Task.isCancelled else { return await limits.cancel() }
                    await Task.yield()
                }
            })
        let found = await discovery.directories(of: try OrganisationName("https://idp.test"))
        #expect(found.directories.map(\.name) == ["another provider"])
        #expect(
            found.complaints.map { $0.contains("ServiceProviderConfig did not answer within 10 s") } == [true]
        )
        #expect(await limits.all == [.seconds(6)])
    }
}

private actor Limits {
    private(set) var all: Set<Duration> = []
    private(set) var cancelled = 0

    func add(_ limit: Duration) { all.insert(limit) }

    func cancel() { cancelled += 1 }
}
