/// A setting, or a file that settings are read from, that cannot be used: which, and why, and what would be right.
package struct SettingsError: Error, Equatable, CustomStringConvertible {
    /// What is wrong, in the spelling of where it was found: `--users-interval`, `USERD_USERS_INTERVAL`,
    /// `/home/a/.config/userd/config.yaml:3: users.interval`.
    package let subject: String
    package let reason: String

    /// In the configuration file.
    let line: Int?

    init(_ subject: String, _ reason: String, line: Int? = nil) {
        self.subject = subject
        self.reason = reason
        self.line = line
    }

    package var description: String { "\(subject): \(reason)" }
}

/// What is wrong with a setting, told by those who know what it means.
package struct SettingMistake: Sendable {
    /// Its name.
    let setting: String
    /// Within a setting with structure, such as `users.fields.email`.
    let key: String?
    /// Of the key, in the configuration file.
    let line: Int?
    let reason: String

    package init(_ setting: String, key: String? = nil, line: Int? = nil, _ reason: String) {
        (self.setting, self.key, self.line, self.reason) = (setting, key, line, reason)
    }
}
