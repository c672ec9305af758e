import ArgumentParser
import Testing

@testable import Daemon

struct OptionsTests {
    @Test(arguments: Setting.texts.map(\.name))
    func `each setting has the option of its name`(name: String) throws {
        let setting = try #require(Setting.named[name])
        let value = setting.samples[0]
        let options = try SettingsOptions.parse(["--\(setting.optionName)", value])
        #expect(options.commandLine == [name: value])
        #expect(options.config == nil)
    }

    @Test func `each option but --config is a setting's, with its help`() throws {
        let words = SettingsOptions.helpMessage(columns: 1000).filter { !"[]".contains($0) }
            .split(whereSeparator: \.isWhitespace)
        let options = words.filter { $0.hasPrefix("--") }.map { $0.dropFirst(2) }
        #expect(options == ["config"] + Setting.texts.map { $0.optionName[...] } + ["help"])

        let text = words.joined(separator: " ")
        for setting in Setting.texts {
            #expect(text.contains("--\(setting.optionName) <\(setting.placeholder)> \(setting.help)."))
            if !setting.defaultText.isEmpty {
                #expect(text.contains("\(setting.help). (default: \(setting.defaultText)"))
            }
        }
    }

    @Test func `--paused needs no value, and takes one`() throws {
        #expect(
            try SettingsOptions.parse(["--paused", "--users-pages", "2"]).commandLine["paused"] == "true")
        #expect(try SettingsOptions.parse(["--paused=false"]).commandLine["paused"] == "false")
    }

    @Test func `without options there are no values`() throws {
        #expect(try SettingsOptions.parse([]).commandLine.isEmpty)
    }

    @Test func `--config names a file`() throws {
        #expect(try SettingsOptions.parse(["--config", "/a"]).config == "/a")
    }

    @Test func `the table has each name once, and its defaults are valid`() throws {
        #expect(Setting.named.count == Setting.all.count)
        // A default that depends on the environment or on other settings is described in words.
        for setting in Setting.texts where !setting.defaultText.contains(where: { "$ ".contains($0) }) {
            let given = try load(environment: [setting.environmentName: setting.defaultText])
            #expect(given.settings == (try load().settings))
        }
    }
}
