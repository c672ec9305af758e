import Logging
import Testing

@testable import Daemon

@Suite("The machine's configuration")
struct SystemConfigTests {
    private static let path = "/etc/xdg/userd/config.yaml"
    private static let company = """
        users:
          format: scim
          url: https://idp.example/Users
          interval: 1h
          oauth: {issuer: "https://idp.example", client_id: userd}

        """

    private func loaded(
        _ machine: String, own: String? = nil, environment: [String: String] = [:],
        at path: String = Self.path
    ) throws -> LoadedSettings {
        var files = [path: machine]
        files[configPath] = own
        return try loader(environment: environment, files: files).load()
    }

    @Test("Its settings are in force, below the person's own, and named as origins")
    func below() throws {
        let loaded = try loaded(Self.company, own: "users:\n  interval: 5min\n")
        #expect(loaded.settings.users.oauth.issuer == "https://idp.example")
        #expect(loaded.settings.users.interval == .seconds(300))
        #expect(loaded.origins["users.url"] == .file(path: Self.path, line: 3))
        #expect(loaded.origins["users.interval"] == .file(path: configPath, line: 2))
        #expect(loaded.printed().contains("url: \"https://idp.example/Users\"  # file \(Self.path):3\n"))
        #expect(loaded.configFiles == [configPath, Self.path])
        let other = try self.loaded(Self.company, environment: ["USERD_USERS_INTERVAL": "2min"])
        #expect(other.settings.users.interval == .seconds(120))
        #expect(other.configFiles == [Self.path])
    }

    @Test("XDG_CONFIG_DIRS names its folders, the most important one first; relative ones do not count")
    func folders() throws {
        let environment = ["XDG_CONFIG_DIRS": "etc:/a:/b"]
        let files = [
            "/a/userd/config.yaml": "log_level: debug\n", "etc/userd/config.yaml": "log_level: error\n",
            "/b/userd/config.yaml": "log_level: trace\npaused: true\n", Self.path: "replay_speed: 2\n",
        ]
        let settings = try loader(environment: environment, files: files).load().settings
        #expect((settings.logLevel, settings.paused, settings.replaySpeed) == (.debug, true, 0))
        #expect(try loaded(Self.company, environment: ["XDG_CONFIG_DIRS": ""]).configFiles == [Self.path])
    }

    @Test("--config names the only file")
    func only() throws {
        let files = ["/c.yaml": "paused: true\n", Self.path: Self.company, configPath: "log_level: debug\n"]
        #expect(try loader(configFile: "/c.yaml", files: files).load().configFiles == ["/c.yaml"])
    }

    @Test("A mistake in either file is told with its place")
    func mistakes() throws {
        let files = [Self.path: "users:\n  pages: x\n", configPath: "pausd: true\n"]
        let mistakes = loader(files: files).check().mistakes.map { "\($0)" }
        #expect(mistakes.count == 2)
        #expect(mistakes.contains { $0.hasPrefix("\(Self.path):2: users.pages") })
        #expect(mistakes.contains { $0.hasPrefix("\(configPath):1: pausd") })
    }
}
