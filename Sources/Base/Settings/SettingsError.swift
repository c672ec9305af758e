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
