import Model
import UserdAPI

/// The settings that a `SettingsLoader` found, with their origins and warnings.
struct LoadedSettings: Sendable {
    var settings: Settings
    /// By the names of the settings.
    var origins: [String: Origin]
    /// The paths of the configuration files that there are.
    let configFiles: [String]
    /// One line each, for the log.
    let warnings: [String]
    /// Nil if it does not matter.
    var readAt: Timestamp?
    /// Whether userd waits for a directory.
    var asksNobody = false

    /// A copy with the old values of these settings.
    func keeping(_ names: Set<String>, of old: LoadedSettings) -> LoadedSettings {
        var kept = self
        for name in names {
            Setting.named[name]?.copy(old.settings, &kept.settings)
            kept.origins[name] = old.origins[name]
        }
        return kept
    }

    /// True for the default cache of a replay or mock: userd deletes it at each start.
    var beginsCacheAnew: Bool { origins["database"] == .default && settings.hasStandIn }

    /// True if only the replayed recording sets `paused`.
    var isPausedByRecording: Bool {
        if case .recording = origins["paused"] { settings.paused } else { false }
    }

    /// The settings as a configuration file, each with its origin.
    ///
    /// - Parameter redacted: returns a value without its secrets, such as a key in an address.
    func printed(_ redacted: (String) -> String = { $0 }) -> String {
        Setting.configuration { setting in
            guard let value = shown(setting, redacted), let origin = origins[setting.name] else {
                return ["# \(setting.key): no value"]
            }
            return ["\(setting.line(value))  # \(origin)"]
        }
    }

    /// - Parameter hints: by the names of settings.
    func listed(_ redacted: (String) -> String = { $0 }, _ hints: [String: String] = [:]) -> [SettingValue] {
        Setting.all.map {
            SettingValue(
                name: $0.name, value: shown($0, redacted), origin: "\(origins[$0.name] ?? .default)",
                hint: hints[$0.name])
        }
    }

    /// A DN is not redacted: it looks like a URL's query, but holds no secret.
    private func shown(_ setting: Setting, _ redacted: (String) -> String) -> String? {
        setting.shown(settings).map { setting.name == "users.bind_dn" ? $0 : redacted($0) }
    }
}
