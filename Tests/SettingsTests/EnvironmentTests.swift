import Testing

@testable import Daemon

struct EnvironmentTests {
    @Test func `names of options and variables follow from a setting's name`() throws {
        let setting = try #require(Setting.named["http.max_response_bytes"])
        #expect(setting.optionName == "http-max-response-bytes")
        #expect(setting.environmentName == "USERD_HTTP_MAX_RESPONSE_BYTES")
    }

    @Test func `a bad value is an error that names the variable`() throws {
        #expect(
            try failure { try load(environment: ["USERD_USERS_PAGES": "x"]) }
                == "USERD_USERS_PAGES: \"x\" is not a whole number; expected a whole number, from 1 to 10000, or empty for all"
        )
    }

    @Test func `unknown variables are warned about, without their values`() throws {
        let environment = [
            "USERD_USERS_INTERVALL": "hunter2", "USERD_": "", "USERD_MOKC": "data", "USERDX": "",
            "userd_paused": "",
            "USERD_PAUSED": "true",
        ]
        #expect(
            try load(environment: environment).warnings == [
                "the environment variable USERD_ is not a setting",
                "the environment variable USERD_MOKC is not a setting; did you mean USERD_MOCK?",
                "the environment variable USERD_USERS_INTERVALL is not a setting; did you mean USERD_USERS_INTERVAL?",
            ])
    }

    @Test func `recordings have variables of two names, and that of the setting's goes first`() throws {
        let record = try load(environment: ["USERD_RECORD_RESPONSES": "/a.har"])
        #expect(record.settings.record == "/a.har")
        #expect(record.origins["record"] == .environment(variable: "USERD_RECORD_RESPONSES"))
        let replay = try load(environment: [
            "USERD_REPLAY_RESPONSES": "/b.har", "USERD_REPLAY": "/c.har",
        ])
        #expect(replay.settings.replay == "/c.har")
        #expect(replay.origins["replay"] == .environment(variable: "USERD_REPLAY"))
        #expect((record.warnings + replay.warnings).isEmpty)
    }

    @Test func `there are no more warnings than somebody would read`() throws {
        let environment = Dictionary(uniqueKeysWithValues: (0..<1000).map { ("USERD_X\($0)", "") })
        #expect(try load(environment: environment).warnings.count == 20)
    }

    @Test func `without XDG directories, cache and configuration are in the home`() throws {
        let files = [configPath: "paused: true"]
        let loaded = try loader(files: files).load()
        #expect(loaded.settings.paused)
        #expect(loaded.settings.database == "/home/ann/.cache/userd/userd.db")
        #expect(loaded.settings.socket == "/run/user/7/userd/userd.sock")
    }

    @Test func `XDG directories go before the home`() throws {
        let loaded = try loader(
            environment: ["XDG_CACHE_HOME": "/c", "XDG_CONFIG_HOME": "/f", "XDG_RUNTIME_DIR": "/r"],
            files: ["/f/userd/config.yaml": "paused: true"]
        ).load()
        #expect(loaded.settings.paused)
        #expect(loaded.settings.database == "/c/userd/userd.db")
        #expect(loaded.settings.socket == "/r/userd/userd.sock")
    }

    @Test(arguments: ["", "relative", "./x", "~/x"])
    func `XDG directories that are not absolute are ignored`(path: String) throws {
        let names = ["XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR", "CACHE_DIRECTORY"]
        let loaded = try loader(
            environment: Dictionary(uniqueKeysWithValues: names.map { ($0, path) }),
            files: [configPath: "paused: true"]
        ).load()
        #expect(loaded.settings.paused)
        #expect(loaded.settings.database == "/home/ann/.cache/userd/userd.db")
        #expect(loaded.settings.socket == nil)
    }

    @Test(arguments: ["/var/cache/a", "/var/cache/a:/var/cache/b"])
    func `systemd's cache directory, the first of them, goes before XDG's`(value: String) throws {
        let loaded = try load(environment: ["CACHE_DIRECTORY": value, "XDG_CACHE_HOME": "/c"])
        #expect(loaded.settings.database == "/var/cache/a/userd.db")
        #expect(loaded.origins["database"] == .default)
    }

    @Test func `a missing socket is an error for those who need one`() throws {
        let loaded = try loader(environment: ["XDG_RUNTIME_DIR": ""]).load()
        let message = try failure { try loaded.settings.requiredSocket() }
        #expect(message.contains("--socket"))
        #expect(message.contains("USERD_SOCKET"))
        #expect(try load(["socket": "/s"]).settings.requiredSocket() == "/s")
    }

    @Test func `without a home directory, the database must be named`() throws {
        let message = try failure { try loader(home: "").load() }
        #expect(message.hasPrefix("database: "))
        #expect(message.contains("--database or USERD_DATABASE"))
        #expect(try loader(["database": "/d"], home: "").load().settings.database == "/d")
    }
}
