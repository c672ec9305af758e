import Foundation
import Model
import Testing
import YAML

@testable import UserctlCommands

@Suite("The text for an administrator")
struct AdministratorLetterTests {
    private static let id = "11111111-2222-3333-4444-555555555555"

    private func named(_ id: String) throws -> DiscoveredDirectory {
        try #require(try [ConnectTests.graph].naming(client: id).first)
    }

    private func text(_ directory: DiscoveredDirectory, machines: Int = 100) throws -> String {
        try AdministratorLetter(directory: directory, machines: machines).lines().joined(separator: "\n")
    }

    private func place(of part: String, in text: String) throws -> String.Index {
        try #require(text.range(of: part), "\(part) in \(text)").lowerBound
    }

    @Test("It begins with what to check; then the own registration, the link, the costs, and where data is")
    func order() throws {
        let text = try text(named(Self.id))
        let parts = [
            "What to check", "Application id  \(Self.id)\n", "Publisher", "User.ReadBasic.All: names",
            "User.Read.All adds job titles", "Enterprise applications", "1. Register userd",
            "    client_id: the id that the registration gives\n", "2. Or consent",
            "login.microsoftonline.com/0f/v2.0/adminconsent?", "can't be loaded", "requests and 64 MB a day",
            "mode 0600", "Privacy.md",
        ]
        let places = try parts.map { try place(of: $0, in: text) }
        #expect(places == places.sorted(), "\(text)")
        for line in text.split(separator: "\n") where !line.contains("https://") {
            #expect(line.count <= 120, "\(line)")
        }
    }

    @Test("The link names the tenant, and encodes what it passes on")
    func link() throws {
        var directory = ConnectTests.graph
        directory.settings.append(
            DiscoveredSetting("users.oauth.client_id", "a b&scope=Mail.Read\u{202E}"))
        let encoded =
            "https://login.microsoftonline.com/0f/v2.0/adminconsent?client_id=a%20b%26scope%3DMail.Read%E2%80%AE"
            + "&scope=openid%20https%3A%2F%2Fgraph.microsoft.com%2FUser.ReadBasic.All"
        let redirect = "&redirect_uri=http%3A%2F%2Flocalhost"
        #expect(AdministratorLetter(directory: directory).consentLink == encoded + redirect)
        directory.settings.append(DiscoveredSetting("users.oauth.redirect", "http://localhost:8400"))
        let letter = AdministratorLetter(directory: directory)
        #expect(letter.consentLink == encoded + redirect + "%3A8400")
        #expect(try !letter.lines().joined().contains("\u{202E}"))
    }

    @Test(
        "What a configuration does not say is as connect would write it; without such a value, it is named",
        arguments: [
            (
                "graph", "https://login.microsoftonline.com/0f/v2.0",
                [
                    "- Redirect address: http://localhost\n", "redirect: http://localhost\n",
                    "- Scope: openid profile offline_access User.ReadBasic.All\n",
                    "&scope=openid%20profile%20offline_access%20https%3A%2F%2Fgraph.microsoft.com%2FUser.ReadBasic.All"
                        + "&redirect_uri=http%3A%2F%2Flocalhost\n",
                ]
            ),
            (
                "google-people", "https://accounts.google.com",
                [
                    "parameters: {access_type: offline, prompt: consent}\n",
                    "- Scope: openid profile https://www.googleapis.com/auth/directory.readonly\n",
                ]
            ),
            ("gitlab", "https://git.test", ["- Scope: openid profile read_api\n", "read_api: reads what"]),
            ("graph", "https://cloud.test", ["- Scope: not set: users.oauth.scope in config.yaml"]),
            ("scim", "https://idp.test", ["- Scope: not set: users.oauth.scope in config.yaml"]),
        ] as [(String, String, [String])])
    func unsaid(format: String, issuer: String, parts: [String]) throws {
        let file = try Configuration([]).setting([
            ("users.format", format), ("users.url", "https://a.test/Users"), ("users.oauth.issuer", issuer),
            ("users.oauth.client_id", Self.id),
        ])
        let letter = try text(#require(DiscoveredDirectory(in: file, path: "/c")))
        for part in parts { #expect(letter.contains(part), "\(part) in \(letter)") }
    }

    @Test(
        "An issuer that is not Microsoft's, or not plain, gets no link",
        arguments: [
            "https://idp.test/v2.0", "https://login.microsoftonline.com.evil.test/v2.0",
            "https://login.microsoftonline.com/0f", "https://login.microsoftonline.com/0f?a=/v2.0",
            "https://login.microsoftonline.com/0f\n/v2.0",
        ])
    func issuers(issuer: String) throws {
        var directory = try named(Self.id)
        directory.settings.removeAll { $0.name == "users.oauth.issuer" }
        directory.settings.append(DiscoveredSetting("users.oauth.issuer", issuer))
        #expect(AdministratorLetter(directory: directory).consentLink == nil)
    }

    @Test("Without a client id there is no link, only the steps that make an id")
    func withoutClient() throws {
        let text = try text(ConnectTests.graph)
        #expect(text.contains("Application id  none yet") && text.contains("New registration"))
        #expect(!text.contains("adminconsent") && !text.contains("2. Or consent"))
    }

    @Test("The client id that comes with userd has userd's publisher; one that is named counts more")
    func builtIn() throws {
        var directory = ConnectTests.graph
        directory.clientID = Self.id
        let letter = try text(directory)
        #expect(letter.contains("client_id=\(Self.id)&") && letter.contains("userd's own registration"))
        let own = Self.id.replacing("1", with: "A")
        let other = try text([directory].naming(client: own)[0])
        #expect(other.contains("client_id=\(own)&") && !other.contains("userd's own registration"))
    }

    @Test("Requests and bytes grow with the machines; limits are those of the size of the organisation")
    func costs() throws {
        let hundred = try text(ConnectTests.graph)
        for part in [
            "100 machines, that is about\n2,600 requests and 64 MB a day", "2.9 % of 3,500 units",
            "2.0 % of 5,000 units", "1.3 % of 8,000 units",
        ] {
            #expect(hundred.contains(part), "\(hundred)")
        }
        let many = try text(ConnectTests.graph, machines: 20_000)
        #expect(many.contains("520,000 requests and 12,960 MB") && many.contains("250.0 % of 8,000 units"))
        #expect(try text(ConnectTests.graph, machines: 1).contains("26 requests and 648 kB a day"))
    }

    @Test(
        "Each provider has its own words",
        arguments: [
            ("google-people", "enable the People API", "App access control"),
            ("okta", "Okta API Scopes", "Deactivate"), ("keycloak", "view-users", "Enabled off"),
            ("gitlab", "Admin area, Applications", "Revoke"), ("scim", "native (desktop) program", "delete"),
        ])
    func providers(format: String, registration: String, withdrawal: String) throws {
        var directory = ConnectTests.graph
        directory.settings[0].value = format
        let text = try text(directory)
        #expect(text.contains(registration) && text.contains(withdrawal), "\(text)")
        for part in ["Microsoft", "adminconsent", "units"] { #expect(!text.contains(part), "\(part)") }
    }

    @Test("It has no secret of a configuration file, and the client id that a file has for the provider")
    func files() throws {
        let issuer = "https://login.microsoftonline.com/0f/v2.0"
        let file = try Configuration([]).setting([
            ("users.url", "https://ann:s3cret@a.test/Users?key=s3cret"), ("users.query", "s3cret"),
            ("users.headers", "{X-Key: s3cret}"), ("users.oauth.issuer", issuer),
            ("users.oauth.client_id", "own"), ("users.oauth.parameters", "{key: s3cret}"),
        ])
        let named = try #require(DiscoveredDirectory(in: file, path: "/c"))
        let letter = try text(named)
        #expect(!letter.contains("s3cret") && letter.contains("Application id  own\n"), "\(letter)")
        let found = try [ConnectTests.scim, ConnectTests.graph].signingIn([file])
        #expect(found.settings.value(of: "users.oauth.client_id") == "own")
        let other = try Configuration([]).setting([
            ("users.oauth.issuer", "https://idp.test"), ("users.oauth.client_id", "other"),
        ])
        #expect(try [ConnectTests.graph].signingIn([other]) == ConnectTests.graph)
    }

    @Test("Where nobody signs in, there is neither a text nor a client id")
    func nowhere() throws {
        for error in [
            try #require(throws: CommandError.self) { try [ConnectTests.scim].signingIn([]) },
            try #require(throws: CommandError.self) { try [ConnectTests.scim].naming(client: "a") },
        ] {
            #expect(error.status == .usage && error.message.contains("people sign in"))
        }
    }

    @Test(
        "A client id of Microsoft is a GUID; one that is not is another provider's, or wrong usage",
        arguments: [
            "rubbish", "11111111222233334444555555555555", "11111111-2222-3333-4444-55555555555",
            "11111111-2222-3333-4444-55555555555g", "１1111111-2222-3333-4444-555555555555", "\u{202E}-\n",
        ])
    func guid(id: String) throws {
        let error = try #require(throws: CommandError.self) { try [ConnectTests.graph].naming(client: id) }
        #expect(error.status == .usage && error.message.hasSuffix("is no client id of Microsoft"))
        #expect(error.message.contains(id) == (!id.contains("\u{202E}")))
        var google = ConnectTests.graph
        google.settings.removeAll { $0.name == "users.oauth.issuer" }
        google.settings.append(DiscoveredSetting("users.oauth.issuer", "https://accounts.google.com"))
        let found = try [ConnectTests.graph, google].naming(client: id)
        #expect(found.map { $0.settings.value(of: "users.oauth.client_id") } == [id])
    }

    @Test("A client id that is named is not asked for")
    func named() throws {
        let interview = Interview()
        let settings = try interview.dialog.complete(named(Self.id))?.settings
        #expect(settings?.last == DiscoveredSetting("users.oauth.client_id", Self.id))
        #expect(interview.questions.isEmpty)
    }
}
