import YAML

/// One setting, whatever its type: how sources spell it, and how its value is read and written. Its option on the command
/// line, its environment variable and its key in the file follow from its name.
package struct Setting: Sendable {
    /// `users.page_size`
    package let name: String
    /// One line for people, without a full stop.
    package let help: String
    package let placeholder: String
    package let expected: String
    /// The default as people would write it.
    package let defaultText: String
    let isQuoted: Bool
    /// Whether a `~/` at the beginning stands for the home directory.
    let isPath: Bool
    /// An environment variable that it answers to beside the one of its name.
    let otherVariable: String?
    /// What the option stands for on the command line without a value; nil: it needs one.
    let textAlone: String?
    let read: @Sendable (String, inout Settings) throws(InvalidValue) -> Void
    /// Takes a value that has structure, with its lines; nil for a setting that is one text.
    let take: (@Sendable (YAMLNode, inout Settings) -> Void)?
    /// Writes the setting as `read` would have it; nil where there is no value.
    let write: @Sendable (Settings) -> String?

    /// Whether its value has structure: it is in the configuration file alone, with neither option nor variable.
    package var isStructured: Bool { take != nil }

    /// `users-page-size`, without the dashes before it.
    package var optionName: String {
        String(name.map { $0 == "." || $0 == "_" ? "-" : $0 })
    }

    /// `USERD_USERS_PAGE_SIZE`
    package var environmentName: String {
        "USERD_" + name.uppercased().map { $0 == "." ? "_" : String($0) }.joined()
    }

    /// The variables that it is set by, the first that is set going before the other.
    var variables: [String] {
        isStructured ? [] : [environmentName] + (otherVariable.map { [$0] } ?? [])
    }

    /// `users.oauth` of `users.oauth.token_url`; nil for a setting outside any section.
    var section: Substring? {
        name.lastIndex(of: ".").map { name[..<$0] }
    }

    /// `token_url` of `users.oauth.token_url`.
    var key: Substring {
        section.map { name.dropFirst($0.count + 1) } ?? name[...]
    }

    /// `users` and `users.oauth` of `users.oauth.token_url`.
    var sections: [Substring] {
        name.indices.filter { name[$0] == "." }.map { name[..<$0] }
    }

    package static func changes(from old: Settings, to new: Settings) -> [String] {
        all.filter { $0.write(old) != $0.write(new) }.map(\.name)
    }

    /// All that is set of users, in one text.
    package static func users(of settings: Settings) -> String {
        all.filter { $0.sections.first == "users" }.map { "\($0.name): \($0.write(settings) ?? "")" }
            .joined(separator: "\n")
    }

    /// As `SettingsTable` declares them.
    package static let all = declared(in: SettingsTable())

    package static let named = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

    private static func declared(in table: Any) -> [Setting] {
        Mirror(reflecting: table).children.flatMap { child in
            (child.value as? any SettingDeclaration).map { [$0.setting] } ?? declared(in: child.value)
        }
    }
}

package struct Declared<Value: Sendable>: SettingDeclaration {
    let setting: Setting
    let defaultValue: Value

    /// - Parameter defaultText: where the default depends on the environment.
    init(
        _ name: String, _ kind: SettingKind<Value>, default defaultValue: Value, defaultText: String? = nil,
        variable: String? = nil, alone: String? = nil, _ help: String
    ) {
        self.defaultValue = defaultValue
        setting = Setting(
            name: name, help: help, placeholder: kind.placeholder, expected: kind.expected,
            defaultText: defaultText ?? kind.write(defaultValue) ?? "", isQuoted: kind.isQuoted,
            isPath: kind.isPath, otherVariable: variable, textAlone: alone,
            read: { text, settings throws(InvalidValue) in settings[name] = try kind.read(text) },
            take: nil, write: { kind.write($0[name] ?? defaultValue) })
    }
}

extension Declared<YAMLNode?> {
    /// Its default is none, and what that stands for is told.
    init(_ name: String, of structure: SettingStructure, default defaultText: String, _ help: String) {
        defaultValue = nil
        setting = Setting(
            name: name, help: help, placeholder: "yaml", expected: structure.expected,
            defaultText: defaultText, isQuoted: false, isPath: false, otherVariable: nil, textAlone: nil,
            read: { text, settings throws(InvalidValue) in
                settings[name] = try SettingStructure.read(text)
            },
            take: { $1[name] = Value.some($0) },
            write: { settings in (settings[name] as Value?).flatMap { $0?.flowText } })
    }
}

private protocol SettingDeclaration {
    var setting: Setting { get }
}
