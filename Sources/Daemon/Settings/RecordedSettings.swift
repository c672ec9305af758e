import MessageText

/// The settings of a recording, by which it can be asked for once more what it was asked when it was made.
package struct RecordedSettings: Sendable {
    let path: String
    let texts: [String: String]
    let mistakes: [SettingsError]

    /// - Parameter texts: by the names of their settings.
    package init(_ texts: [String: String], path: String) {
        let names = Setting.recorded.map(\.name)
        self.path = path
        self.texts = texts.filter { names.contains($0.key) }
        mistakes = texts.keys.sorted().filter { !names.contains($0) }.prefix(ConfigFile.maximumMistakes).map {
            SettingsError(
                "\(path.visible): \($0.beginning)",
                Setting.named[$0] == nil
                    ? "is not a setting" + didYouMean($0, among: names)
                    : "is not for a recording to say")
        }
    }
}

extension Setting {
    /// Those that say what is asked of upstreams, and when. Where userd keeps and finds things on this machine is not for a
    /// file to say that came from another.
    fileprivate static let recorded = all.filter { setting in
        let others = [
            "users.token_file", "users.token_scheme", "users.bind_dn", "users.password_file",
            "users.starttls", "users.headers", "http.proxy", "http.no_proxy", "http.ca_file",
        ]
        let isOfUpstreams = ["users", "http", "facts", "retry"].contains(setting.sections.last)
        return isOfUpstreams && !others.contains(setting.name) || setting.name == "paused"
    }

    /// What a recording holds of the settings, each in the text that gives it again: the defaults as well, since there may be
    /// other settings where it is replayed. Addresses are as they are, secrets in them included; of a body there are names alone.
    package static func recorded(of settings: Settings) -> [String: String] {
        Dictionary(
            uniqueKeysWithValues: recorded.compactMap { setting in
                // Nothing is what undoes a structure of the file's.
                (setting.shown(settings) ?? (setting.isStructured ? "" : nil)).map { (setting.name, $0) }
            })
    }
}
