import Testing

@testable import Daemon

struct RecordedSettingsTests {
    private func load(
        _ recorded: [String: String], _ commandLine: [String: String] = [:],
        environment: [String: String] = [:], file: String? = nil
    ) throws -> LoadedSettings {
        var loader = loader(
            commandLine, environment: environment, files: file.map { [configPath: $0] } ?? [:])
        loader.recorded = RecordedSettings(recorded, path: "/a.har")
        return try loader.load()
    }

    @Test func `a recording's settings go before the file's, and after all others`() throws {
        let recorded = ["users.page_size": "3", "users.pages": "4", "facts.page_size": "5", "paused": "true"]
        let loaded = try load(
            recorded, ["users.pages": "6"], environment: ["USERD_FACTS_PAGE_SIZE": "7"],
            file: "users: { page_size: 8, pages: 9, interval: 10s }\nfacts: { page_size: 11 }\n")
        #expect(loaded.settings.users.pageSize == 3)
        #expect(loaded.settings.users.pages == 6)
        #expect(loaded.settings.users.interval == .seconds(10))
        #expect(loaded.settings.facts.pageSize == 7)
        #expect(loaded.settings.paused)
        #expect(loaded.origins["users.page_size"] == .recording(path: "/a.har"))
        #expect(loaded.origins["users.pages"] == .commandLine)
        #expect(loaded.origins["facts.page_size"] == .environment(variable: "USERD_FACTS_PAGE_SIZE"))
        #expect(loaded.origins["users.interval"] == .file(path: configPath, line: 1))
        #expect(loaded.printed().contains("  page_size: 3  # recording /a.har\n"))
    }

    @Test(arguments: [
        (
            ["users.page_sise": "3"],
            "/a.har: users.page_sise: is not a setting; did you mean users.page_size?"
        ),
        (["users.page_size": "none"], "/a.har: users.page_size: \"none\" is not a whole number"),
        (["users.page\u{1B}": "3"], "/a.har: users.page\\u001b: is not a setting"),
    ])
    func `one that is unknown or bad is refused`(recorded: [String: String], beginning: String) throws {
        #expect(try failure { try load(recorded) }.hasPrefix(beginning))
        // Another source overrides it, but the recording is still invalid.
        #expect(try failure { try load(recorded, ["users.page_size": "2"]) }.hasPrefix(beginning))
    }

    @Test(arguments: [
        "socket", "database", "users.token_file", "log_level", "limits.history", "record", "replay", "mock",
        "replay_speed",
    ])
    func `what is this machine's is not for a recording to say`(name: String) throws {
        let text = try #require(Setting.named[name]).samples[0]
        #expect(
            try failure { try load([name: text]) } == "/a.har: \(name): can't be set by a recording")
    }

    @Test func `what a recording holds of the settings gives them again, over all that a file says`() throws {
        let samples = Setting.texts.filter { !["record", "replay", "mock"].contains($0.name) }
            .map { ($0.name, $0.samples[0]) }
        let settings = try SettingsTests.load(Dictionary(uniqueKeysWithValues: samples)).settings
        let recorded = Setting.recorded(of: settings)
        #expect(recorded["users.page_size"] == "2")
        #expect(recorded["users.token_file"] == nil)
        #expect(recorded["socket"] == nil)
        let file = "users: { page_size: 8, url: 'http://other.example/' }\nretry: { cap: 3s }\n"
        let again = try load(recorded, file: file)
        #expect(Setting.recorded(of: again.settings) == recorded)
        let defaults = try load(Setting.recorded(of: SettingsTests.load().settings), file: file)
        #expect(defaults.settings == (try SettingsTests.load().settings))
    }
}
