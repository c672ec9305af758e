/// A setting of any type: how sources spell it, and how its value is read and written. Its option, its
/// environment variable and its key in the file follow from its name.
struct Setting: Sendable {
    /// `users.page_size`
    let name: String
    /// One line for people, without a full stop.
    let help: String
    let placeholder: String
    let expected: String
    /// The default as people would write it.
    let defaultText: String
    /// True if only the configuration file can set it: it has no option and no variable.
    let isStructured: Bool
    /// True if the configuration file may have a list, and other sources a text.
    let isList: Bool
    let isQuoted: Bool
    /// True if a leading `~/` stands for the home directory.
    let isPath: Bool
    /// A second environment variable.
    let otherVariable: String?
    /// The value of the option if it is given without one; nil if it needs one.
    let textAlone: String?
    let read: @Sendable (GivenValue, inout Settings) throws(InvalidValue) -> Void
    /// Writes the setting as `read` accepts it; nil if it has no value.
    let write: @Sendable (Settings) -> String?
    /// Writes the setting like `write`, without secrets.
    let shown: @Sendable (Settings) -> String?
    let copy: @Sendable (_ from: Settings, _ to: inout Settings) -> Void

    /// - Parameter defaultText: the default in words, if it depends on the environment or on other settings.
    init<Value>(
        _ name: String, _ property: any WritableKeyPath<Settings, Value> & Sendable,
        _ kind: SettingKind<Value>, default defaultText: String? = nil, variable: String? = nil,
        alone: String? = nil, _ help: String
    ) {
        (self.name, self.help) = (name, help)
        (placeholder, expected) = (kind.placeholder, kind.expected)
        self.defaultText = defaultText ?? kind.write(Settings()[keyPath: property]) ?? ""
        (isStructured, isList) = (kind.isStructured, kind.isList)
        (isQuoted, isPath) = (kind.isQuoted, kind.isPath)
        (otherVariable, textAlone) = (variable, alone)
        read = { given, settings throws(InvalidValue) in
            settings[keyPath: property] = try kind.read(given)
        }
        write = { kind.write($0[keyPath: property]) }
        shown = { (kind.shown ?? kind.write)($0[keyPath: property]) }
        copy = { $1[keyPath: property] = $0[keyPath: property] }
    }

    /// `users-page-size`, without the dashes before it.
    var optionName: String {
        String(name.map { $0 == "." || $0 == "_" ? "-" : $0 })
    }

    /// `USERD_USERS_PAGE_SIZE`
    var environmentName: String { "USERD_" + name.uppercased().replacing(".", with: "_") }

    /// The environment variables that set it; the first overrides the second.
    var variables: [String] {
        isStructured ? [] : [environmentName] + (otherVariable.map { [$0] } ?? [])
    }

    /// `token_url` of `users.oauth.token_url`.
    var key: Substring { name.split(separator: ".").last ?? "" }

    /// `users` and `users.oauth` of `users.oauth.token_url`.
    var sections: [Substring] {
        name.indices.filter { name[$0] == "." }.map { name[..<$0] }
    }

    static func changes(from old: Settings, to new: Settings) -> [String] {
        all.filter { $0.write(old) != $0.write(new) }.map(\.name)
    }

    /// All settings of users, in one text.
    static func users(of settings: Settings) -> String {
        users.map { "\($0.name): \($0.write(settings) ?? "")" }.joined(separator: "\n")
    }

    static let named = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })
}
