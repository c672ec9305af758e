import ArgumentParser

/// The settings as options of the command line, for an `@OptionGroup`.
struct SettingsOptions: ParsableArguments {
    private(set) var config: String?
    /// The settings that the command line gives, by name, as they were written.
    private(set) var commandLine: [String: String] = [:]

    init() {}

    init(from decoder: any Decoder) throws {
        let options = try decoder.container(keyedBy: Key.self)
        func text(_ name: String) throws -> String? {
            try options.decode(Option<String?>.self, forKey: Key(stringValue: name)).wrappedValue
        }
        config = try text("config")
        for setting in Setting.all where !setting.isStructured {
            commandLine[setting.name] = try text(setting.name)
        }
    }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}

/// The argument parser finds options in a value's mirror, and decodes each by its label there.
extension SettingsOptions: CustomReflectable {
    var customMirror: Mirror {
        let config = Option<String?>(
            help: ArgumentHelp(
                """
                Read settings from this file, which must exist. \
                (default: $XDG_CONFIG_HOME/userd/config.yaml, else ~/.config/userd/config.yaml)
                """, valueName: "path"))
        return Mirror(
            self,
            children: [("config", config)]
                + Setting.all.filter { !$0.isStructured }.map { ($0.name, Option<String?>($0)) })
    }
}

extension Option<String?> {
    fileprivate init(_ setting: Setting) {
        let name = NameSpecification.customLong(setting.optionName)
        let help = ArgumentHelp(
            setting.help + "." + (setting.defaultText.isEmpty ? "" : " (default: \(setting.defaultText))"),
            valueName: setting.placeholder)
        if let alone = setting.textAlone {
            self.init(name: name, defaultAsFlag: alone, parsing: .next, help: help)
        } else {
            self.init(name: name, help: help)
        }
    }
}
