import Synchronization
import Testing

@testable import Daemon

struct PrecedenceTests {
    @Test(arguments: Setting.texts.map(\.name))
    func `the command line goes before the environment, that before the file, that before the default`(
        name: String
    ) throws {
        let setting = try #require(Setting.named[name])
        let samples = setting.samples
        try #require(samples.count == 3)
        let variable = setting.environmentName
        let (first, second, third) = (samples[0], samples[1], samples[2])

        let fromAll = try load([name: first], environment: [variable: second], file: file(setting, third))
        #expect(fromAll.origins[name] == .commandLine)
        #expect(try fromAll.settings == load([name: first]).settings)

        let fromTwo = try load(environment: [variable: second], file: file(setting, third))
        #expect(fromTwo.origins[name] == .environment(variable: variable))
        #expect(try fromTwo.settings == load([name: second]).settings)
        #expect(fromTwo.settings != fromAll.settings)

        let fromFile = try load(file: file(setting, third))
        #expect(fromFile.origins[name] == .file(path: configPath, line: name.split(separator: ".").count))
        #expect(try fromFile.settings == load([name: third]).settings)
        #expect(fromFile.settings != fromTwo.settings)

        let fromNone = try load()
        #expect(fromNone.origins[name] == .default)
        #expect(fromNone.settings != fromFile.settings)
    }

    @Test func `a setting changes no other`() throws {
        for setting in Setting.texts {
            let loaded = try load([setting.name: setting.samples[0]])
            let others = loaded.origins.filter { $0.key != setting.name }
            #expect(others.count == Setting.all.count - 1)
            #expect(others.values.allSatisfy { $0 == .default })
        }
    }

    @Test func `the same loader sees a changed file`() throws {
        let content = Mutex("paused: false")
        let loader = SettingsLoader(
            commandLine: [:], environment: [:], homeDirectory: "/home/ann",
            readFile: { _ in content.withLock { Array($0.utf8) } })
        #expect(try !loader.load().settings.paused)
        content.withLock { $0 = "paused: true" }
        #expect(try loader.load().settings.paused)
    }

    @Test func `an environment variable that is empty is a value, and not as good as none`() throws {
        #expect(try load(environment: ["USERD_USERS_QUERY": ""]).settings.users.query == "")
        #expect(
            try failure { try load(environment: ["USERD_SOCKET": ""]) }.hasPrefix(
                "USERD_SOCKET: \"\" is empty"))
    }

    @Test func `a name that is no setting is refused on the command line`() throws {
        #expect(
            try failure { try load(["users.intervals": "1s"]) }
                == "users.intervals: is not a setting; did you mean users.interval?")
    }
}
