/// A setting, or a file of settings, that can't be used, with the reason.
struct SettingsError: Error, Equatable, CustomStringConvertible {
    /// The setting or file, spelled as in its source: `--users-interval`, `USERD_USERS_INTERVAL`,
    /// `/home/a/.config/userd/config.yaml:3: users.interval`.
    let subject: String
    let reason: String

    /// The line in the configuration file.
    let line: Int?

    init(_ subject: String, _ reason: String, line: Int? = nil) {
        self.subject = subject
        self.reason = reason
        self.line = line
    }

    var description: String { "\(subject): \(reason)" }
}

/// A mistake in a setting, found by the code that uses the setting.
struct SettingMistake: Sendable {
    /// The setting's name.
    let setting: String
    /// The key inside a structured setting, such as `users.fields.email`.
    let key: String?
    /// The key's line in the configuration file.
    let line: Int?
    let reason: String

    init(_ setting: String, key: String? = nil, line: Int? = nil, _ reason: String) {
        (self.setting, self.key, self.line, self.reason) = (setting, key, line, reason)
    }

    /// Nil if the setting is right.
    init?(_ setting: String, if isWrong: Bool, _ reason: String) {
        guard isWrong else { return nil }
        self.init(setting, reason)
    }
}
