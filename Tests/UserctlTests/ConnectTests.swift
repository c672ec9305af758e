import Foundation
import Model
import Synchronization
import TestSupport
import Testing
import UserdAPI
import YAML

@testable import UserctlCommands

@Suite("userctl connect")
struct ConnectTests {
    static let graph = DiscoveredDirectory(
        name: "Microsoft 365", certainty: .likely, because: "mail goes there",
        settings: [
            DiscoveredSetting("users.format", "graph"),
            DiscoveredSetting("users.url", "https://graph.microsoft.com/v1.0/users"),
            DiscoveredSetting("users.oauth.issuer", "https://login.microsoftonline.com/0f/v2.0"),
            DiscoveredSetting("users.oauth.scope", "openid User.ReadBasic.All"),
        ], needed: ["users.oauth.client_id"])

    static let scim = DiscoveredDirectory(
        name: "SCIM", certainty: .sure, because: "it says so",
        settings: [
            DiscoveredSetting("users.format", "scim"), DiscoveredSetting("users.url", "https://a.test/Users"),
        ], needed: ["users.token_file"])

    @Test("Settings are nested lines, quoted where YAML would read them in another way")
    func lines() throws {
        let settings =
            Self.graph.settings + [
                DiscoveredSetting("users.oauth.parameters", "{prompt: consent}"),
                DiscoveredSetting("users.oauth.client_id", "007"),
                DiscoveredSetting("users.bind_dn", "cn=a \"b\", dc=c"),
            ]
        #expect(
            try configurationLines(settings) == [
                "users:", "  format: graph", "  url: https://graph.microsoft.com/v1.0/users", "  oauth:",
                "    issuer: https://login.microsoftonline.com/0f/v2.0",
                "    scope: openid User.ReadBasic.All", "    parameters: {prompt: consent}",
                "    client_id: \"007\"", "  bind_dn: \"cn=a \\\"b\\\", dc=c\"",
            ])
    }

    @Test("A person chooses by number, and Enter is the first; another answer is asked again, with a reason")
    func choice() throws {
        let both = [Self.graph, Self.scim]
        #expect(try Interview("").dialog.choice(among: both) == Self.graph)
        let wrong = Interview("7", "x", "2")
        #expect(try wrong.dialog.choice(among: both) == Self.scim)
        #expect(wrong.said == ["there is no directory “7” above", "there is no directory “x” above"])
        #expect(throws: ConnectDialog.declined) { try Interview().dialog.choice(among: both) }
        #expect(try Interview().dialog.choice(among: [Self.scim]) == Self.scim)
    }

    @Test("What only a person knows is asked for; nothing works without a client id")
    func answers() throws {
        let settings = try Interview("abc").dialog.complete(Self.graph)?.settings
        #expect(settings?.last == DiscoveredSetting("users.oauth.client_id", "abc"))
        let none = try Interview("").dialog.complete(Self.graph)
        #expect(none?.settings == nil)
        #expect(throws: ConnectDialog.declined) { try Interview().dialog.complete(Self.graph) }
        var other = Self.scim
        other.needed = ["users.url", "users.format"]
        let wrong = Interview("", "idp", "https://idp.test/Users", "")
        #expect(
            try wrong.dialog.complete(other)?.settings.suffix(2).map(\.value)
                == ["https://idp.test/Users", "scim"])
        #expect(wrong.said.count == 2 && wrong.said[1].contains("“idp” is no address"))
    }

    @Test("The text for an administrator has the provider that was typed")
    func administratorOfProvider() throws {
        let told = Mutex<DiscoveredDirectory?>(nil)
        var dialog = Interview("", hidden: "https://login.example.org").dialog
        dialog.tellAdministrator = { directory in told.withLock { $0 = directory } }
        #expect(try dialog.complete(Self.scim) == nil)
        let directory = try #require(told.withLock { $0 })
        let text = try AdministratorLetter(directory: directory).lines().joined(separator: "\n")
        #expect(text.contains("Sign-in at      https://login.example.org\n"), "\(text)")
        #expect(text.contains("scope: openid profile offline_access"))
    }

    @Test("In place of a token, a person names the provider where they sign in")
    func provider() throws {
        let interview = Interview("native", "", hidden: "https://idp.test")
        #expect(
            try interview.dialog.complete(Self.scim)?.settings.dropFirst(2).map(\.value) == [
                "https://idp.test", "native", "openid profile offline_access",
            ])
    }

    @Test("Whoever binds anonymously is not asked for a password")
    func anonymous() throws {
        var ldap = Self.scim
        ldap.needed = ["users.bind_dn", "users.password_file"]
        #expect(try Interview("").dialog.complete(ldap)?.settings == ldap.settings)
        #expect(try Interview("cn=a", hidden: "pass").dialog.complete(ldap)?.settings.count == 4)
    }

    @Test("Groups, rooms and shared mailboxes are offered to a person, for LDAP alone")
    func kinds() throws {
        let ldap = [DiscoveredSetting("users.format", "ldap")]
        let agreed = Interview("y").dialog.furtherKinds(of: ldap)
        #expect(
            try configurationLines(agreed) == ["users:", "  kinds: \"person, group, room, mailbox\""])
        for answer in ["", "n"] { #expect(Interview(answer).dialog.furtherKinds(of: ldap).isEmpty) }
        #expect(Interview("y").dialog.furtherKinds(of: Self.scim.settings).isEmpty)
        let nobody = Interview("y")
        nobody.canAsk = false
        #expect(nobody.dialog.furtherKinds(of: ldap).isEmpty && nobody.questions.isEmpty)
    }

    @Test("Lines are added to the file, which keeps what it had, with a copy beside it")
    func adding() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("userd/config.yaml")
        func text(_ path: String) -> String? { try? String(contentsOfFile: path, encoding: .utf8) }
        let file = ConfigurationFile(path: path)
        func add(_ setting: String, _ yaml: String, mistake: (String) throws -> String?) throws {
            try file.change(byHand: "", mistake: mistake) { file throws(YAMLError) in
                try file.setting([(setting, yaml)])
            }
        }
        try add("log_level", "debug") { new in
            #expect(text(new) == "log_level: debug\n")
            return nil
        }
        #expect(text(path) == "log_level: debug\n")
        #expect(throws: (any Error).self) { try add("users.pages", "1") { _ in "no" } }
        #expect(text(path) == "log_level: debug\n")
        try add("users.format", "scim") { _ in nil }
        #expect(text(path) == "log_level: debug\nusers:\n  format: scim\n")
        #expect(text(path + ".before-userctl") == "log_level: debug\n")
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.file("userd"))
        #expect(Set(names) == ["config.yaml", "config.yaml.before-userctl"])
        // What was kept is never replaced, and the same text is kept once.
        for format in ["json", "scim", "json"] { try add("users.format", format) { _ in nil } }
        let kept = ["", "-2", "-3", "-4"].map { text(path + ".before-userctl" + $0) }
        #expect(
            kept == ["log_level: debug\n"]
                + ["scim", "json"].map { "log_level: debug\nusers:\n  format: \($0)\n" } + [nil])
    }

    @Test("userd is asked by its name alone, and its complaints are passed on")
    func asking() throws {
        func probes(_ run: ProgramRun) -> DoctorProbes {
            var probes = DoctorProbes.live([:])
            probes.find = { "/bin/" + $0 }
            probes.run = { path, arguments, _, _ in
                #expect(path == "/bin/userd" && arguments == ["--discover=corp.test"])
                return run
            }
            return probes
        }
        func discovered(_ run: ProgramRun) throws -> Discovered {
            try probes(run).discovered("corp.test", asksMicrosoft: false)
        }
        let found = Discovered(directories: [Self.scim], complaints: ["a is down"])
        let output = String(decoding: try encoded(found), as: UTF8.self)
        #expect(try discovered(ProgramRun(code: 0, output: output)) == found)
        let wrong = try #require(throws: CommandError.self) {
            try discovered(ProgramRun(code: 64, errors: "userd: \"corp\" is no domain\n"))
        }
        #expect(wrong.message == "\"corp\" is no domain" && wrong.status == .usage)
        #expect(throws: CommandError.self) { try discovered(ProgramRun(code: 0, output: "{}")) }
    }
}
