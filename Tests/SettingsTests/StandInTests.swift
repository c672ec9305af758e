import Testing

@testable import Daemon

/// Replays and mocks, which replace the upstreams, and recordings of their answers.
struct StandInTests {
    @Test(arguments: [("record", "/a.har"), ("replay", "/b.har"), ("mock", "data")])
    func `one of them alone is no mistake`(name: String, text: String) throws {
        #expect(try load([name: text]).origins[name] == .commandLine)
    }

    @Test(
        "Nobody is asked if no directory is named and nobody has agreed to the demo, and by hand only on request",
        arguments: [
            // The command line and the file; then: by a service manager, with the demo's users cached, by hand.
            ([:], nil, [true, false, false]),
            (["paused": "true"], "facts: {url: https://f.test/}", [true, false, false]),
            ([:], "users: {pages: 2}", [true, false, false]),
            ([:], "demo: true", [false, false, false]),
            ([:], "demo: false", [true, true, true]),
            (["demo": "true"], "demo: false", [false, false, false]),
            ([:], "users: {url: https://idp.test/}", [false, false, false]),
            ([:], "users: {url: https://idp.test/}\ndemo: false", [false, false, false]),
            (["users.url": "https://idp.test/"], nil, [false, false, false]),
            (["mock": "data"], "demo: false", [false, false, false]),
            (["replay": "/a.har"], nil, [false, false, false]),
        ] as [([String: String], String?, [Bool])])
    func asksNobody(commandLine: [String: String], file: String?, expected: [Bool]) throws {
        let loader = SettingsLoader(
            commandLine: commandLine, environment: ["XDG_RUNTIME_DIR": "/run/user/7"],
            homeDirectory: "/home/ann",
            readFile: { $0 == configPath ? file.map { Array($0.utf8) } : nil },
            // As userd's.
            complete: { settings, isGiven in
                settings.namesDirectory = isGiven("users.url")
                return []
            })
        let settings = try loader.load().settings
        let starts = [(true, false), (true, true), (false, false)]
        #expect(starts.map { settings.asksNobody(isService: $0, cachesDemo: $1) } == expected)
    }

    @Test func `two of them from one source exclude one another`() throws {
        #expect(
            try failure { try load(["record": "/a.har", "replay": "/b.har"]) }
                == "--replay: conflicts with record, which is set too (command line); remove one of them, or set it to nothing with --record ''"
        )
        #expect(
            try failure {
                try load(environment: ["USERD_RECORD_RESPONSES": "/a.har", "USERD_MOCK": "data"])
            }.hasPrefix(
                "USERD_MOCK: conflicts with record, which is set too (environment USERD_RECORD_RESPONSES)"
            ))
        #expect(
            try failure { try load(["mock": ""], file: "replay: /a.har\nrecord: /b.har\n") }.hasPrefix(
                "\(configPath):1: replay: conflicts with record, which is set too (file \(configPath):2)"))
        let check = loader(["record": "/a.har", "replay": "/b.har", "mock": "data"]).check()
        #expect(check.mistakes.count == 2)
    }

    @Test(arguments: ["record", "replay", "mock"], ["record", "replay", "mock"])
    func `the command line's goes before the environment's, and that before the file's`(
        higher: String, lower: String
    ) throws {
        guard higher != lower else { return }
        let text = ["record": "/a.har", "replay": "/b.har", "mock": "data"]
        let (first, second) = (text[higher] ?? "", text[lower] ?? "")
        let variable = "USERD_" + lower.uppercased()
        for (loaded, loser, winner) in [
            (
                try load([higher: first], environment: [variable: second]), variable, "command line"
            ),
            (
                try load([higher: first], file: "\(lower): \(second)\n"), "\(configPath):1: \(lower)",
                "command line"
            ),
            (
                try load(
                    environment: ["USERD_" + higher.uppercased(): first], file: "\(lower): \(second)\n"),
                "\(configPath):1: \(lower)", "environment USERD_\(higher.uppercased())"
            ),
        ] {
            #expect(loaded.warnings == ["\(loser): is overridden by \(higher) (\(winner))"])
            #expect(
                loaded.printed().split(separator: "\n").filter { $0.hasPrefix("\(lower): ") }
                    == ["\(lower): \"\"  # default"])
            #expect(loaded.printed().contains("\n\(higher): \"\(first)\"  # \(winner)\n"))
        }
    }

    @Test func `those that give way are no mistake of one another, and each has to be right`() throws {
        let loaded = try load(["replay": "/a.har"], file: "record: /b.har\nmock: data\n")
        #expect(loaded.settings.replay == "/a.har")
        #expect(loaded.settings.record == nil && loaded.settings.mock == nil)
        #expect(loaded.settings.database == "/home/ann/.cache/userd/replay.db")
        #expect(loaded.warnings.count == 2)
        #expect(try failure { try load(["replay": "/a.har"], file: "mock: datum\n") }.contains(":1: mock"))
    }

    @Test func `one that is set to nothing excludes none`() throws {
        let loaded = try load(["mock": "", "replay": "/a.har"], file: "mock: data\n")
        #expect(loaded.settings.replay == "/a.har")
        #expect(loaded.settings.mock == nil)
    }

    @Test func `what stands in for upstreams has a cache of its own, created again at each start`() throws {
        let replay = try load(["replay": "/a.har"])
        #expect(replay.settings.database == "/home/ann/.cache/userd/replay.db")
        #expect(replay.beginsCacheAnew)
        let mock = try load(environment: ["USERD_MOCK": "data", "CACHE_DIRECTORY": "/var/cache/of"])
        #expect(mock.settings.database == "/var/cache/of/mock.db")
        #expect(mock.beginsCacheAnew)
    }

    @Test func `a cache that was named is used as it is, and so is that of the upstreams`() throws {
        let named = [
            try load(["replay": "/a.har", "database": "/b.db"]),
            try load(["replay": "/a.har"], environment: ["USERD_DATABASE": "/b.db"]),
            try load(file: "database: /b.db\nmock: data\n"),
        ]
        for loaded in named {
            #expect(loaded.settings.database == "/b.db")
            #expect(!loaded.beginsCacheAnew)
        }
        let other = try load(["mock": "data"], file: "database: /b.db\n")
        #expect(other.settings.database == "/home/ann/.cache/userd/mock.db")
        #expect(other.beginsCacheAnew)
        #expect(
            other.warnings == [
                #"the cache "/b.db" of the configuration is not used; name it with --database to use it"#
            ])
        let recording = try load(["record": "/a.har"])
        #expect(recording.settings.database == "/home/ann/.cache/userd/userd.db")
        #expect(!recording.beginsCacheAnew)
    }
}
