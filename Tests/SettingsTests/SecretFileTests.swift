import Platform
import Testing

@testable import Daemon

/// Files of secrets beside config.yaml.
struct SecretFileTests {
    private let folder = "/home/ann/.config/userd/"
    private let names = ["users-token", "users-client-secret", "users-password"]

    private func loader(
        _ commandLine: [String: String], configFile: String? = nil, environment: [String: String] = [:],
        files: [String: String]? = nil
    ) -> SettingsLoader {
        let secrets = Dictionary(uniqueKeysWithValues: names.map { (folder + $0, "s3cret") })
        return SettingsTests.loader(
            commandLine, configFile: configFile, environment: environment, files: files ?? secrets)
    }

    @Test func `a token's file is used where it is there, for an upstream of one's own`() throws {
        let url = ["users.url": "https://users.example/"]
        let loaded = try loader(url).load()
        #expect(loaded.settings.users.tokenFile?.text == folder + "users-token")
        #expect(loaded.printed().contains("  token_file: \"\(folder)users-token\"  # default\n"))
        #expect(loaded.settings.users.passwordFile == nil)
        #expect(loaded.settings.users.oauth.clientSecretFile == nil)
        #expect(try loader(url, files: [:]).load().settings.users.tokenFile == nil)

        let others = [
            [:], url.merging(["users.token_file": ""]) { $1 },
            url.merging(["users.oauth.token_url": "https://a.test/"]) { $1 },
            ["users.url": "ldap://a.test/dc=a", "users.format": "ldap"],
        ]
        for other in others {
            let loaded = try loader(other).load()
            #expect(loaded.settings.users.tokenFile == nil, "\(other)")
            // The command line names addresses that what is found beside config.yaml is not for.
            #expect(loaded.warnings == [loaded.settings.misdirection].compactMap(\.self))
        }
    }

    @Test func `a client's secret and a password are awaited there, and a check does without them`() throws {
        let needed = ["users.oauth.token_url": "https://a.test/", "users.bind_dn": "cn=userd"]
        for files in [[:], nil] as [[String: String]?] {
            let settings = try loader(needed, files: files).load().settings.users
            #expect(settings.oauth.clientSecretFile?.text == folder + "users-client-secret")
            #expect(settings.passwordFile?.text == folder + "users-password")
        }
        let check = loader(needed, files: [:]).check()
        #expect(check.mistakes.isEmpty)
        #expect(check.warnings.contains("users.password_file: there is no file \"\(folder)users-password\""))
    }

    @Test func `a setting and a credential go before it`() throws {
        let credentials = "/run/credentials/userd.service"
        let settings = ["users.url": "https://users.example/", "users.bind_dn": "cn=userd"]
        func load(_ more: [String: String] = [:]) throws -> Settings {
            try loader(
                settings.merging(more) { $1 }, environment: ["CREDENTIALS_DIRECTORY": credentials],
                files: [
                    "\(credentials)/users-token": "a", "\(credentials)/users-password": "\n",
                    folder + "users-token": "b",
                ]
            ).load().settings
        }
        #expect(try load().users.tokenFile?.text == credentials + "/users-token")
        // A blank credential counts as missing.
        #expect(try load().users.passwordFile?.text == folder + "users-password")
        let given = try load(["users.token_file": "/a", "users.password_file": "/b"]).users
        #expect(given.tokenFile == "/a" && given.passwordFile == "/b")
    }

    @Test func `it is looked for beside the file that --config names`() throws {
        let files = ["/etc/userd/a.yaml": "users: { bind_dn: cn=userd }", folder + "users-password": "a"]
        let loaded = try loader([:], configFile: "/etc/userd/a.yaml", files: files).load()
        #expect(loaded.settings.users.passwordFile?.text == "/etc/userd/users-password")
    }
}
