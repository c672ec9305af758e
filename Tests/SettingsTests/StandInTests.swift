import Settings
import Testing

/// What answers in place of the upstreams, and what writes down their answers.
struct StandInTests {
    @Test(arguments: [("record", "/a.har"), ("replay", "/b.har"), ("mock", "data")])
    func `one of them alone is no mistake`(name: String, text: String) throws {
        #expect(try load([name: text]).origins[name] == .commandLine)
    }

    @Test func `two of them exclude one another, whichever sources they are from`() throws {
        #expect(
            try failure { try load(["record": "/a.har", "replay": "/b.har"]) }
                == "--replay: excludes record, which is set too (command line); leave out one of them, or set it to nothing with --record ''"
        )
        #expect(
            try failure {
                try load(environment: ["USERD_RECORD_RESPONSES": "/a.har"], file: "mock: data\n")
            }.hasPrefix(
                "\(configPath):1: mock: excludes record, which is set too (environment USERD_RECORD_RESPONSES)"
            ))
        #expect(
            try failure { try load(["mock": "hang"], file: "replay: /a.har\n") }.hasPrefix(
                "--mock: excludes replay, which is set too (file \(configPath):1)"))
        let check = loader(["record": "/a.har", "replay": "/b.har", "mock": "data"]).check()
        #expect(check.mistakes.count == 2)
    }

    @Test func `one that is set to nothing excludes none`() throws {
        let loaded = try load(["mock": "", "replay": "/a.har"], file: "mock: data\n")
        #expect(loaded.settings.replay == "/a.har")
        #expect(loaded.settings.mock == nil)
    }

    @Test func `what stands in for upstreams has a cache of its own, made anew at each start`() throws {
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
                #"the cache "/b.db" of the configuration is left alone: name it with --database if it is meant"#
            ])
        let recording = try load(["record": "/a.har"])
        #expect(recording.settings.database == "/home/ann/.cache/userd/userd.db")
        #expect(!recording.beginsCacheAnew)
    }
}
