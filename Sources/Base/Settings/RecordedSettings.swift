import NearMatch

/// The settings of a recording, by which it can be asked for once more what it was asked when it was made.
package struct RecordedSettings: Sendable {
    let path: String
    let texts: [String: String]
    let mistakes: [SettingsError]

    var origin: Origin { .recording(path: path) }

    /// - Parameter texts: by the names of their settings.
    package init(_ texts: [String: String], path: String) {
        self.path = path
        self.texts = texts.filter { Setting.named[$0.key]?.isRecorded == true }
        mistakes = texts.keys.sorted().prefix(ConfigFile.maximumMistakes).compactMap { name in
            if Setting.named[name]?.isRecorded == true { return nil }
            let shown = (name.count > 100 ? name.prefix(100) + "…" : name).visible
            let reason =
                Setting.named[name] == nil
                ? "is not a setting" + didYouMean(name, among: Setting.recorded.map(\.name))
                : "is not for a recording to say"
            return SettingsError("\(path.visible): \(shown)", reason)
        }
    }
}

extension Setting {
    /// Whether it says what is asked of upstreams, and when. Where userd keeps and finds things on this machine is not for a
    /// file to say that came from another.
    fileprivate var isRecorded: Bool {
        switch section {
        case "users":
            ![
                "users.token_file", "users.token_scheme", "users.bind_dn", "users.password_file",
                "users.starttls",
            ].contains(name)
        case "http": !["http.proxy", "http.no_proxy", "http.ca_file"].contains(name)
        case "facts", "retry": true
        default: name == "paused"
        }
    }

    fileprivate static let recorded = all.filter(\.isRecorded)

    /// What a recording holds of the settings, each in the text that gives it again: the defaults as well, since there may be
    /// other settings where it is replayed. Addresses are as they are, secrets in them included.
    package static func recorded(of settings: Settings) -> [String: String] {
        Dictionary(
            uniqueKeysWithValues: recorded.compactMap { setting in
                // Nothing is what undoes a structure of the file's.
                (setting.write(settings) ?? (setting.isStructured ? "" : nil)).map { (setting.name, $0) }
            })
    }
}
