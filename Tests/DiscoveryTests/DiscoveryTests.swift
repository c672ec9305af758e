import Foundation
import HTTP
import Model
import Testing

@testable import Upstream

@Suite("What an organisation has")
struct DiscoveryTests {
    func discovery(_ dns: DNSLookup, _ transport: HTTPTransport) -> Discovery {
        Discovery(dns: dns, transport: transport, elapsed: { .zero }, sleep: { _ in try await forever() })
    }

    func found(
        _ name: String, dns: [String: [DNSRecord]] = [:], pages: [String: (Int, String)] = [:],
        type: String = "application/json", asksMicrosoft: Bool = false, asked: Asked = Asked()
    ) async throws -> Discovered {
        let discovery = discovery(
            DNSLookup { name, kind in
                (dns[name] ?? []).filter { record in
                    switch record {
                    case .alias: kind == .alias
                    case .mail: kind == .mail
                    case .service: kind == .service
                    }
                }
            },
            HTTPTransport { request in
                await asked.add(request.url.absoluteString)
                let (status, body) = pages[request.url.absoluteString] ?? (404, "")
                return HTTPResponse(status: status, headers: ["Content-Type": type], body: Array(body.utf8))
            })
        return await discovery.directories(of: try OrganisationName(name), asksMicrosoft: asksMicrosoft)
    }

    func setting(_ name: String, _ directory: DiscoveredDirectory?) -> String? {
        directory?.settings.first { $0.name == name }?.value
    }

    private static let tenant = [
        "https://login.microsoftonline.com/corp.test/v2.0/.well-known/openid-configuration": (
            200, #"{"issuer": "https://login.microsoftonline.com/0f0f/v2.0"}"#
        )
    ]

    @Test("A redirect to another origin is not followed, and says nothing of the address")
    func redirects() async throws {
        let asked = Asked()
        let site = HTTPTransport { request in
            await asked.add(request.url.absoluteString)
            let isMoved = request.url.absoluteString == "https://a.test/users"
            guard request.url.absoluteString.hasPrefix("https://a.test/"), !isMoved else {
                return HTTPResponse(
                    status: isMoved ? 302 : 200, headers: ["Location": "https://b.test/users"],
                    body: Array(#"{"users": [{"id": "1", "name": "A"}]}"#.utf8))
            }
            return HTTPResponse(status: 307, headers: ["Location": "https://a.test:8443/"])
        }
        let discovery = discovery(DNSLookup { _, _ in [] }, site.followingRedirects())
        let found = await discovery.directories(of: try OrganisationName("https://a.test/users"))
        #expect(found.directories.isEmpty)
        #expect(found.complaints.map { $0.hasPrefix("https://a.test/users leads to no directory") } == [true])
        let all = await asked.all
        #expect(all.count > 2 && all.allSatisfy { $0.hasPrefix("https://a.test/") })
    }

    @Test("Domain controllers below the domain are Active Directory, the preferred one first")
    func activeDirectory() async throws {
        let asked = Asked()
        let found = try await found(
            "Ann@Corp.test",
            dns: [
                "_ldap._tcp.dc._msdcs.corp.test": [
                    .service(.init(host: "evil.example", port: 389, priority: 0)),
                    .service(.init(host: "dc2.corp.test", port: 389, priority: 5)),
                    .service(.init(host: "dc1.corp.test", port: 389, priority: 1)),
                ]
            ], asked: asked)
        let directory = try #require(found.directories.first)
        #expect(found.directories.count == 1 && directory.certainty == .sure)
        #expect(
            setting("users.url", directory)?.hasPrefix("ldaps://dc1.corp.test/dc=corp,dc=test??sub?(sAM")
                == true)
        #expect(directory.needed == ["users.bind_dn", "users.password_file"])
        #expect(await asked.all.isEmpty)
    }

    @Test("A server for LDAP is FreeIPA where Kerberos is served, too")
    func ldap() async throws {
        let server = [
            "_ldap._tcp.corp.test": [DNSRecord.service(.init(host: "ipa.corp.test", port: 389, priority: 0))]
        ]
        let plain = try await found("corp.test", dns: server).directories
        #expect(plain.map(\.name) == ["LDAP"])
        #expect(setting("users.url", plain.first) == "ldaps://ipa.corp.test/dc=corp,dc=test")
        let both = server.merging([
            "_kerberos._udp.corp.test": [.service(.init(host: "ipa.corp.test", port: 88, priority: 0))]
        ]) { $1 }
        let ipa = try await found("corp.test", dns: both).directories
        #expect(ipa.map(\.name) == ["FreeIPA, by a Kerberos ticket", "FreeIPA"])
        #expect(setting("users.url", ipa.first) == "ldap:///cn=users,cn=accounts,dc=corp,dc=test")
        #expect(setting("users.sasl", ipa.first) == "gssapi" && ipa[0].needed.isEmpty)
    }

    @Test(
        "Mail at Microsoft, or a registered domain, leads to the tenant that Microsoft's document names",
        arguments: [
            ["corp.test": [DNSRecord.mail(host: "corp-test.mail.protection.outlook.com", preference: 0)]],
            ["corp.test": [.mail(host: "corp-test.a.mx.microsoft", preference: 0)]],
            ["enterpriseregistration.corp.test": [.alias("enterpriseregistration.windows.net")]],
        ])
    func microsoft(dns: [String: [DNSRecord]]) async throws {
        let found = try await found("corp.test", dns: dns, pages: Self.tenant)
        let directory = try #require(found.directories.first)
        #expect(directory.name == "Microsoft 365" && directory.certainty == .likely)
        #expect(setting("users.oauth.issuer", directory) == "https://login.microsoftonline.com/0f0f/v2.0")
        #expect(directory.needed == ["users.oauth.client_id"])
    }

    @Test("A client id that comes with userd is not asked for")
    func builtInClient() throws {
        let format = try DirectoryFormat(
            name: "graph", yaml: Array("client_id: 0a0b\n".utf8), fields: [])
        let issuer = "https://login.microsoftonline.com/0f0f/v2.0"
        let directory = DiscoveredDirectory.microsoft(issuer, .likely, [], format: format)
        #expect(directory.clientID == "0a0b" && directory.needed.isEmpty)
        #expect(setting("users.oauth.client_id", directory) == nil)
    }

    @Test("Microsoft is asked only if DNS leads there, or on request; a domain without a tenant is none")
    func asking() async throws {
        let asked = Asked()
        #expect(try await found("corp.test", pages: Self.tenant, asked: asked).directories.isEmpty)
        #expect(await asked.all.isEmpty)
        let found = try await found("corp.test", pages: Self.tenant, asksMicrosoft: true)
        #expect(found.directories.map(\.certainty) == [.possible])
        #expect(try await self.found("other.test", asksMicrosoft: true).directories.isEmpty)
    }

    @Test("Mail at Google leads to Google Workspace; that of a name like Google's does not")
    func google() async throws {
        let google = ["corp.test": [DNSRecord.mail(host: "aspmx.l.google.com", preference: 1)]]
        let directory = try await found("corp.test", dns: google).directories.first
        #expect(
            directory?.name == "Google Workspace" && setting("users.format", directory) == "google-people")
        let other = ["corp.test": [DNSRecord.mail(host: "notaspmx.l.google.com", preference: 1)]]
        #expect(try await found("corp.test", dns: other).directories.isEmpty)
    }

    @Test("An address is recognised by what it answers")
    func addresses() async throws {
        let config = #"{"schemas": ["urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"]}"#
        let base = "https://idp.test/scim/v2"
        for name in [base, base + "/Users"] {
            let scim = try await found(name, pages: [base + "/ServiceProviderConfig": (200, config)])
                .directories
            #expect(scim.map(\.name) == ["SCIM"])
            #expect(setting("users.url", scim.first) == base + "/Users")
        }
        for name in [base, base + "/Users"] {
            for page in [base + "/Users", base + "/ServiceProviderConfig"] {
                let closed = try await found(name, pages: [page: (401, "{}")], type: "application/scim+json")
                #expect(closed.directories.map(\.needed) == [["users.token_file"]])
                #expect(setting("users.url", closed.directories.first) == base + "/Users")
            }
        }
        let list = #"{"users": [{"id": "1", "name": {"first": "A", "last": "B"}, "address": {}}]}"#
        let published = try await found(
            "https://d.test/users.json", pages: ["https://d.test/users.json": (200, list)])
        #expect(published.directories.map { setting("users.format", $0) } == ["userd"])
        #expect(published.directories.map(\.needed) == [[]])
    }

    @Test(
        "Providers are recognised by their documents",
        arguments: [
            ("https://k.test/realms/a", "auth", "openid", "keycloak", "https://k.test/admin/realms/a/users"),
            (
                "https://o.test", "oauth2/v1/authorize", "openid", "okta", "https://o.test/api/v1/users"
            ),
            // Lists its scopes, as gitlab.com does.
            ("https://g.test", "oauth/authorize", "read_api", "gitlab", "https://g.test/api/v4/users"),
            // Another site that uses doorkeeper, and canaille.
            ("https://d.test", "oauth/authorize", "public", nil, nil),
            ("https://c.test", "auth", "openid", nil, nil),
        ])
    func providers(issuer: String, page: String, scope: String, format: String?, url: String?) async throws {
        let document = """
            {"issuer": "\(issuer)", "authorization_endpoint": "\(issuer)/\(page)", "scopes_supported": ["\(scope)"],
            "jwks_uri": "\(issuer)/oauth/discovery/keys"}
            """
        let address = issuer + "/.well-known/openid-configuration"
        let directory = try await found(issuer, pages: [address: (200, document)]).directories.first
        #expect(setting("users.format", directory) == format && setting("users.url", directory) == url)
        #expect(setting("users.oauth.issuer", directory) == issuer)
        #expect(directory?.certainty == (format == nil ? .possible : .sure))
        // A person is asked for the list if the provider's document names none.
        #expect(directory?.needed.contains("users.url") == (url == nil))
        // The document of another host is nobody's word.
        let other = document.replacing(issuer, with: "https://evil.example")
        #expect(try await found(issuer, pages: [address: (200, other)]).directories.isEmpty)
    }

    @Test(
        "A name is a domain, an email address or an https:// address",
        arguments: [
            "", "corp", "a b.test", "http://corp.test", "ldap://corp.test", "https://",
            "https://a.test/?token=x",
            "-.ä", "a@", "a..b",
        ])
    func names(text: String) {
        #expect(throws: FormatMistake.self) { try OrganisationName(text) }
    }

    @Test(
        "A host with a port or a path is an https:// address",
        arguments: ["idp.test:8443", "idp.test/scim/v2", "127.0.0.1:8443"])
    func addresses(text: String) throws {
        #expect(try OrganisationName(text) == .address(#require(URL(string: "https://\(text)"))))
    }

    @Test("Name servers that do not answer are named once")
    func offline() async throws {
        let discovery = discovery(
            DNSLookup { _, _ in throw DNSFault.noNameServer },
            HTTPTransport { _ in HTTPResponse(status: 404) })
        let found = await discovery.directories(of: .domain("corp.test"))
        #expect(found == Discovered(directories: [], complaints: ["corp.test: no name server answered"]))
    }
}

actor Asked {
    private(set) var all: [String] = []

    func add(_ address: String) { all.append(address) }
}

/// Until the task is cancelled.
func forever() async throws {
    for await _ in AsyncStream<Never>.makeStream().stream {}
    throw CancellationError()
}
