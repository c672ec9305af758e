import Platform
import Testing

@testable import Daemon

@Suite("Where secrets go")
struct SecretDirectionTests {
    /// From the most important.
    enum Source: String, CaseIterable {
        case commandLine, credential, environment, own, found, machine
    }

    private static let machine = "/etc/xdg/userd/config.yaml"
    private static let folder = "/home/ann/.config/userd"
    private static let credentials = "/run/credentials/userd.service"
    private static let here = "https://idp.example/Users"

    /// Settings whose parts come from these sources.
    private func loaded(
        _ settings: [(source: Source, name: String, value: String)], files more: [String: String] = [:],
        configFile: String? = nil
    ) throws -> LoadedSettings {
        var (arguments, environment) = ([String: String](), [String: String]())
        var files = more
        for (source, name, value) in settings {
            let key = name.split(separator: ".").dropFirst().joined(separator: ".")
            // Nested keys in YAML's flow style.
            let parts = key.isEmpty ? [name[...]] : key.split(separator: ".")
            let line = "  \(parts[0]): " + (parts.count > 1 ? "{\(parts[1]): \"\(value)\"}" : value) + "\n"
            switch source {
            case .commandLine: arguments[name] = value
            case .environment: environment[Setting.named[name]?.environmentName ?? ""] = value
            case .own: files[configPath, default: "users:\n"] += line
            case .machine: files[Self.machine, default: "users:\n"] += line
            case .found: files["\(Self.folder)/\(value)"] = "s3cret"
            case .credential:
                files["\(Self.credentials)/\(value)"] = "s3cret"
                environment["CREDENTIALS_DIRECTORY"] = Self.credentials
            }
        }
        return try loader(arguments, configFile: configFile, environment: environment, files: files).load()
    }

    @Test("A token goes only to addresses that its own source, or a less important one, has set")
    func table() throws {
        let allowed: [Source: Set<Source>] = [
            .commandLine: [.commandLine, .environment, .own, .machine],
            .credential: [.commandLine, .environment, .own, .machine],
            .environment: [.environment, .own, .machine],
            // What is found beside config.yaml has its rank.
            .own: [.own, .machine], .found: [.own, .machine],
            .machine: [.machine],
        ]
        for (token, addresses) in allowed {
            for address in [Source.commandLine, .environment, .own, .machine] {
                let isFile = [.credential, .found].contains(token)
                let settings = try loaded([
                    (token, "users.token_file", isFile ? "users-token" : "/t"),
                    (address, "users.url", Self.here),
                ]).settings
                #expect(settings.users.tokenFile != nil, "\(token) \(address)")
                #expect(
                    (settings.misdirection == nil) == addresses.contains(address),
                    "token: \(token), address: \(address): \(settings.misdirection ?? "may go")")
            }
        }
    }

    @Test(
        "The rule is the same for every secret, and the reason names both places",
        arguments: [
            ("users.token_file", "/t"), ("users.password_file", "/t"), ("users.headers", "{X-Key: s3cret}"),
            ("users.headers", "{X-Key: {file: /t}}"), ("users.basic.password_file", "/t"),
            ("users.body", "{key: s3cret}"), ("users.oauth.client_secret_file", "/t"),
        ])
    func secrets(name: String, value: String) throws {
        let own = try loaded([(.own, name, value), (.environment, "users.url", Self.here)])
        let reason = try #require(own.settings.misdirection)
        #expect(reason.hasPrefix("\(name) (file \(configPath):2) is not sent to the address in users.url"))
        #expect(
            reason.contains("(environment USERD_USERS_URL)") && reason.contains("set both in the same place"))
        #expect(own.warnings.contains(reason))
        let machine = try loaded([
            (.machine, name, value), (.machine, "users.url", Self.here),
            (.own, "users.url", "https://elsewhere.example/"),
        ])
        #expect(machine.settings.misdirection != nil)
        #expect(
            try loaded([(.own, name, value), (.machine, "users.url", Self.here)]).settings.misdirection == nil
        )
        // A check reports it.
        let check = loader(
            environment: ["USERD_USERS_URL": Self.here],
            files: [configPath: "users:\n  headers: {X-Key: s3cret}\n"]
        ).check()
        #expect(check.mistakes.contains { "\($0)".contains("is not sent to the address in users.url") })
    }

    @Test("A client's secret goes to no endpoint, and its tokens to no directory, from elsewhere")
    func client() throws {
        for name in ["users.url", "users.oauth.token_url", "users.oauth.revocation_url"] {
            let reason = try loaded([
                (.machine, "users.url", Self.here), (.machine, "users.oauth.client_secret_file", "/t"),
                (.environment, name, "https://elsewhere.example/"),
            ]).settings.misdirection
            #expect(
                reason?.contains("is not sent to the address in \(name) (environment") == true,
                "\(reason ?? "")")
        }
    }

    @Test("A query and headers without a secret go anywhere; userd finds out which have one")
    func open() throws {
        let url: (Source, String, String) = (.environment, "users.url", Self.here)
        #expect(
            try loaded([(.own, "users.headers", "{Accept-Language: de}"), url]).settings.misdirection == nil)
        let query = try loaded([(.own, "users.query", "key=s3cret"), url]).settings
        #expect(query.misdirection == nil)
        #expect(query.queryMisdirection?.contains("is not sent to the address in users.url") == true)
        #expect(
            try loaded([(.environment, "users.query", "key=s3cret"), url]).settings.queryMisdirection == nil)
        #expect(try loaded([url]).settings.queryMisdirection == nil)
    }

    @Test("Another address of the same origin is the same place; another scheme, port or host is not")
    func origin() throws {
        for (address, isSame) in [
            ("https://idp.example/other?a=b", true), ("https://IDP.example:443/Users", true),
            ("http://idp.example/Users", false), ("https://idp.example:8443/Users", false),
        ] {
            let settings = try loaded([
                (.own, "users.token_file", "/t"), (.own, "users.url", Self.here),
                (.commandLine, "users.url", address),
            ]).settings
            #expect((settings.misdirection == nil) == isSame, "\(address)")
        }
    }

    @Test("A file beside config.yaml belongs to the origin that it was written for, else to the first one")
    func found() throws {
        let origin = [Self.folder + "/users-token.origin": "https://idp.example\n"]
        func file(_ address: String, _ files: [String: String], _ source: Source = .own) throws
            -> LoadedSettings
        {
            try loaded(
                [(.found, "users.token_file", "users-token"), (source, "users.url", address)], files: files)
        }
        func reason(_ loaded: LoadedSettings, first: String = "") -> String? {
            loaded.settings.misdirection
                ?? loaded.settings.secretFiles.lazy.compactMap {
                    $0.misdirection { first.isEmpty ? $0.origin : first }
                }.first
        }
        #expect(try reason(file(Self.here, origin)) == nil)
        // It says itself where it goes, whoever names that address.
        #expect(try reason(file(Self.here, origin, .environment)) == nil)
        let elsewhere = try reason(file("https://b.example/", origin))
        #expect(
            elsewhere?.contains("is for https://idp.example, as \(Self.folder)/users-token.origin says")
                == true)
        #expect(elsewhere?.contains("is not sent to https://b.example (users.url)") == true)
        #expect(elsewhere?.contains("write https://b.example into \(Self.folder)/users-token.origin") == true)

        #expect(try reason(file(Self.here, [:])) == nil)
        #expect(try reason(file(Self.here, [:]), first: "https://idp.example") == nil)
        let changed = try reason(file("https://b.example/", [:]), first: "https://idp.example")
        #expect(changed?.contains("is for https://idp.example, where it was first used") == true)
        // A file that a setting names goes where that setting's source says, unless it says something else itself.
        let named: [(Source, String, String)] = [
            (.own, "users.token_file", "/t"), (.own, "users.url", "https://b.example/"),
        ]
        #expect(try reason(loaded(named), first: "https://idp.example") == nil)
        #expect(try reason(loaded(named, files: ["/t.origin": "https://idp.example"])) != nil)
    }

    @Test("Of an LDAP address without a host, the domain is the origin")
    func domain() {
        #expect(addressOrigin("ldap:///ou=a,dc=Corp,dc=example??sub?(a=b)") == "ldap:///dc=corp,dc=example")
        #expect(addressOrigin("ldap:///dc=evil,dc=example") != addressOrigin("ldap:///dc=corp,dc=example"))
        #expect(addressOrigin("ldaps://dc1.corp.example:636/dc=a") == "ldaps://dc1.corp.example")
    }

    @Test("A replay sends no secret, so none is misdirected")
    func replay() throws {
        let settings = try loaded([
            (.own, "users.token_file", "/t"), (.environment, "users.url", Self.here),
            (.commandLine, "mock", "data"),
        ]).settings
        #expect(settings.misdirection == nil)
    }
}
