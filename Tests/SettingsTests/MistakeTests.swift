import Foundation
import TestSupport
import Testing
import Upstream

@testable import Daemon

/// Mistakes that userd finds in its settings before it starts, as the whole program reads them.
struct MistakeTests {
    /// The mistakes of a file, after its path. userd starts with a file only if there is none.
    private func mistakes(
        _ yaml: String = "", _ commandLine: [String: String] = [:], environment: [String: String] = [:]
    ) -> [String] {
        let loader = loader(
            commandLine, environment: environment, files: yaml.isEmpty ? [:] : [configPath: yaml],
            complete: SettingsLoader.completing)
        let mistakes = loader.check().mistakes.map(\.description)
        #expect((try? loader.load()) == nil || mistakes.isEmpty)
        return mistakes.map { $0.hasPrefix(configPath) ? String($0.dropFirst(configPath.count + 1)) : $0 }
    }

    @Test(arguments: [
        (
            "  fields:\n    id: /id\n    emial: /m",
            "4: users.fields.emial: is not a field; did you mean email?"
        ),
        (
            "  fields: {id: id}",
            "2: users.fields.id: \"id\" is not a pointer: it has to begin with /, as in /id"
        ),
        ("  fields: {email: /m}", "2: users.fields: has no id; write {id: /id} if records have it there"),
        (
            "  fields: {id: /id}\n  paging: {style: pages}",
            "3: users.paging.style: expected one of none, number"
        ),
        (
            "  fields: {id: /id}\n  paging: {style: number}",
            "3: users.paging: the style number needs param, the name of a query parameter"
        ),
        ("  fields: {id: /id}\n  records: [a]", "3: users.records: expected a single value, found a list"),
        (
            "  fields: {id: /id}\n  recrods: /a",
            "3: users.recrods: is not a setting; did you mean users.records?"
        ),
    ])
    func `each mistake in a format is reported with line and key, beside others`(
        lines: String, mistake: String
    ) {
        let found = mistakes("users:\n\(lines)\n  format: json\n  url: http://a.example/\n  page_size: 0\n")
        #expect(found.contains { $0.hasPrefix(mistake) }, "\(found)")
        #expect(found.contains { $0.contains("users.page_size: \"0\" is out of range") }, "\(found)")
    }

    @Test(arguments: [
        ("users: {fields: {id: /id}}", "1: users.fields: has no meaning where users.format is randomuser"),
        ("users: {format: scim}", "1: users.format: scim needs users.url"),
        (
            "users: {format: soap, url: \"http://a/\"}",
            "1: users.format: \"soap\" is not a format; expected one of randomuser, scim, graph"
        ),
        ("users: {format: skim, url: \"http://a/\"}", "did you mean scim?"),
        ("users: {format: json, url: \"http://a/\"}", "1: users.format: json needs users.fields"),
        ("facts: {format: scim, url: \"http://a/\"}", "expected one of catfact, json"),
        ("facts: {format: json, url: \"http://a/\", fields: {id: /id}}", "1: facts.fields: has no text"),
        ("facts: {records: /a}", "1: facts.records: has no meaning where facts.format is catfact"),
        ("me: [anna]", "1: me: is not one text"), ("me: \"\"", "1: me: is empty"),
        ("columns: [name, emial]", "1: columns: holds \"emial\", which is not a column (did you mean"),
        ("desktop: [false]", "1: desktop: \"[false]\" is neither true nor false"),
        ("notifications: maybe", "\" is neither true nor false"),
        ("colour: red", "1: colour: is not a setting"),
        ("users: [", "not valid YAML"),
    ])
    func `settings that do not go together are one mistake`(yaml: String, mistake: String) {
        let found = mistakes(yaml + "\n")
        #expect(found.count == 1 && found[0].contains(mistake), "\(found)")
    }

    @Test(arguments: [
        ("headers:\n    Cookie: a", "6: users.headers.Cookie: can't be set"),
        (
            "headers: {Authorization: a}\n  basic: {password_file: /p}",
            "5: users.headers: conflicts with users.basic.password_file, which is set too"
        ),
        ("basic: {user: a}\n  token_file: /t", "5: users.basic.user: conflicts with users.token_file"),
        (
            "paging: {style: number, param: /page}",
            "5: users.paging.param: is a pointer into users.body, which is not set"
        ),
        (
            "body: a=b\n  paging: {style: number, param: /a/b}",
            "6: users.paging.param: finds no place in users.body"
        ),
    ])
    func `mistakes in headers, passwords and bodies have a line`(lines: String, mistake: String) {
        let users = "users:\n  format: json\n  url: https://a.test/\n  fields: {id: /id}\n"
        let found = mistakes("\(users)  \(lines)\n")
        #expect(found.contains { $0.hasPrefix(mistake) }, "\(found)")
    }

    @Test(arguments: ["headers: {A: b}", "body: {a: b}", "basic: {user: u, password_file: /p}"])
    func `settings of HTTP need an HTTP address`(line: String) {
        let ldap = mistakes("users:\n  format: ldap\n  url: ldapi://%2Frun%2Fldapi/dc=a\n  \(line)\n")
        #expect(ldap.contains { $0.contains("has no meaning with LDAP") }, "\(ldap)")
        let none = mistakes("users:\n  \(line)\n")
        #expect(none.contains { $0.contains("also needs users.url") && $0.contains("randomuser.me") })
    }

    @Test(
        arguments: [
            (["record": "/a.har"], "--record: records only HTTP"),
            (
                ["users.starttls": "true", "users.url": "ldaps://h/dc=org"],
                "--users-starttls: works only with ldap:// addresses"
            ),
            (["users.url": "http://h/"], "is not an LDAP URL"),
            (["users.bind_dn": ""], "needs users.bind_dn"),
            (["users.format": "scim"], "is an LDAP address; set users.format to ldap"),
            (["users.query": "a=b"], "the filter is a part of users.url"),
            (["users.url": "ldap://h/dc=org?mail"], "names attributes"),
            (["users.token_file": "/a"], "has no meaning with LDAP"),
            (["users.sasl": "gssapi"], "conflicts with users.bind_dn"),
            (["mock": "data"], nil), (["users.password_file": "/p"], nil),
        ] as [([String: String], String?)])
    func `a directory over LDAP needs a name, a password and an LDAP address`(
        settings: [String: String], mistake: String?
    ) {
        let all = [
            "users.format": "ldap", "users.url": "ldap://h/dc=org??sub?(uid=*)", "users.query": "",
            "users.bind_dn": "cn=a", "users.password_file": "/p",
        ].merging(settings) { $1 }
        let found = mistakes("", all)
        guard let mistake else { return #expect(found == []) }
        #expect(found.contains { $0.contains(mistake) }, "\(found)")
    }

    @Test(arguments: [
        (["users.url": "ldap://127.0.0.1/dc=a"], "Kerberos needs the server's name"),
        (["users.url": "ldapi:///dc=a"], "has no meaning with ldapi://"),
        (["users.url": "ldap:///ou=a"], "has no host, and its base names no domain"),
        (["users.url": "ldaps:///dc=a"], "needs a host with ldaps://"),
        (["users.url": "https://a.test/", "users.format": "scim"], "set users.format to ldap"),
    ])
    func `Kerberos needs the name of a server, or a domain`(settings: [String: String], mistake: String) {
        let all = ["users.format": "ldap", "users.sasl": "gssapi", "users.query": ""]
        let found = mistakes("", all.merging(settings) { $1 })
        #expect(found.contains { $0.contains(mistake) }, "\(found)")
    }

    private static let oauth = ["users.oauth.client_id": "a", "users.oauth.client_secret_file": "/a"]

    @Test(arguments: [
        (
            oauth.merging(["users.oauth.token_url": "https://a.test/", "users.token_file": "/b"]) { $1 },
            "--users-oauth-token-url: conflicts with users.token_file"
        ),
        (["users.oauth.client_id": "a"], "--users-oauth-client-id: also needs users.oauth.token_url"),
        (["users.token_file": "/b"], "--users-token-file: also needs users.url, since the token would go to"),
        (
            oauth.merging(["users.oauth.token_url": "https://a.test/"]) { $1 },
            "--users-oauth-token-url: also needs users.url, since the token would go to https://randomuser.me/api/"
        ),
        (["http.ca_file": "/nowhere.pem"], "--http-ca-file: /nowhere.pem can't be read"),
        (["users.pages": "many"], "--users-pages: \"many\" is not a whole number"),
    ])
    func `impossible credentials and values are mistakes of their option`(
        settings: [String: String], mistake: String
    ) {
        let found = mistakes("", settings)
        #expect(found.contains { $0.hasPrefix(mistake) }, "\(found)")
    }

    @Test func `a variable's mistake names the variable`() {
        let found = mistakes(environment: ["USERD_USERS_TOKEN_FILE": "/b"])
        #expect(found.contains { $0.hasPrefix("USERD_USERS_TOKEN_FILE: also needs users.url") }, "\(found)")
    }

    @Test func `a file of certificates without one is a mistake`() throws {
        let folder = try TemporaryDirectory()
        let path = folder.path + "/ca.pem"
        try Data().write(to: URL(filePath: path))
        #expect(
            mistakes("", ["http.ca_file": path]).contains {
                $0.hasPrefix("--http-ca-file: \(path) can't be read")
            })
    }

    @Test(arguments: DirectoryFormat.names.filter { $0 != "json" })
    func `each built-in format is valid as settings`(name: String) throws {
        let text = try #require(DirectoryFormat.text(of: name))
        // A client's id comes with a format, and is no setting beside its pointers.
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            .filter { !$0.hasPrefix("client_id:") }.map { "  " + $0 }
        // LDAP's pointers are names of attributes, which only the format ldap takes.
        let (format, url) =
            name == "ldap" ? (name, "ldap://a.example/dc=a") : ("json", "http://a.example/")
        let yaml = "users:\n  format: \(format)\n  url: \(url)\n\(lines.joined(separator: "\n"))\n"
        #expect(mistakes(yaml) == [])
    }

    @Test func `the example of the article about privacy is valid`() throws {
        let root = #filePath.prefix(#filePath.count - "Tests/SettingsTests/MistakeTests.swift".count)
        let article = try String(
            contentsOfFile: root + "Sources/Daemon/userd/userd.docc/Privacy.md", encoding: .utf8)
        let blocks = article.components(separatedBy: "```yaml\n").dropFirst()
        let example = try #require(blocks.first?.components(separatedBy: "```").first)
        #expect(mistakes(example) == [])
    }
}
