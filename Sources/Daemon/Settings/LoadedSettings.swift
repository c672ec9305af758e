/// What a `SettingsLoader` gives: the settings, and what is to be known of them.
package struct LoadedSettings: Sendable {
    package internal(set) var settings: Settings
    /// Of each setting, by name.
    package internal(set) var origins: [String: Origin]
    /// Where they were read from; nil where there is no configuration file.
    package let configFile: String?
    /// One line each, for the log.
    package let warnings: [String]

    /// The same with other values of these settings.
    package func keeping(_ names: Set<String>, of old: LoadedSettings) -> LoadedSettings {
        var kept = self
        for name in names {
            Setting.named[name]?.copy(old.settings, &kept.settings)
            kept.origins[name] = old.origins[name]
        }
        return kept
    }

    /// Whether nothing of the cache outlives userd: one that nobody named, and that what stands in for the upstreams fills.
    package var beginsCacheAnew: Bool { origins["database"] == .default && settings.hasStandIn }

    /// Whether it was when the recording was made that is replayed, and nothing else says so.
    package var isPausedByRecording: Bool {
        if case .recording = origins["paused"] { settings.paused } else { false }
    }

    /// The settings as a configuration file that gives the same again, each with where it came from.
    ///
    /// - Parameter redacted: a value without what is secret in it, such as a key in an address.
    package func printed(_ redacted: (String) -> String = { $0 }) -> String {
        Setting.configuration { setting in
            guard let value = shown(setting, redacted), let origin = origins[setting.name] else {
                return ["# \(setting.key): no value"]
            }
            return ["\(setting.line(value))  # \(origin)"]
        }
    }

    /// Each setting with its value, nil for none, and with where it came from.
    package func listed(_ redacted: (String) -> String = { $0 }) -> [(
        name: String, value: String?, origin: String
    )] {
        Setting.all.map {
            ($0.name, shown($0, redacted), (origins[$0.name] ?? .default).description)
        }
    }

    /// The name of an entry is no query of a URL, and holds no secret.
    private func shown(_ setting: Setting, _ redacted: (String) -> String) -> String? {
        setting.shown(settings).map { setting.name == "users.bind_dn" ? $0 : redacted($0) }
    }
}
