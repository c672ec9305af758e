import Model

/// The settings of a recording. With them, a replay makes the recorded requests again.
struct RecordedSettings: Sendable {
    let path: String
    let texts: [String: String]
    let mistakes: [SettingsError]

    init(_ texts: [String: String], path: String) {
        let names = Setting.recorded.map(\.name)
        self.path = path
        self.texts = texts.filter { names.contains($0.key) }
        mistakes = texts.keys.sorted().filter { !names.contains($0) }.prefix(ConfigFile.maximumMistakes).map {
            SettingsError(
                "\(path.visible): \($0.beginning)",
                Setting.named[$0] == nil
                    ? "is not a setting" + didYouMean($0, among: names)
                    : "can't be set by a recording")
        }
    }
}

extension Setting {
    /// Settings that decide which requests are made, and when. Paths, credentials and proxies are not among
    /// them, because a recording may come from another machine.
    fileprivate static let recorded = all.filter { setting in
        let others = [
            "users.token_file", "users.token_scheme", "users.bind_dn", "users.password_file",
            "users.starttls", "users.headers", "http.proxy", "http.no_proxy", "http.ca_file",
        ]
        let isOfUpstreams = ["users", "http", "facts", "retry"].contains(setting.sections.last)
        return isOfUpstreams && !others.contains(setting.name) || setting.name == "paused"
    }

    /// The settings to store in a recording, as texts. Defaults are included, because the replaying machine
    /// may have other settings. Addresses include their secrets; of a body, only the names are kept.
    static func recorded(of settings: Settings) -> [String: String] {
        Dictionary(
            uniqueKeysWithValues: recorded.compactMap { setting in
                // An empty text overrides a structure of the configuration file.
                (setting.shown(settings) ?? (setting.isStructured ? "" : nil)).map { (setting.name, $0) }
            })
    }
}
