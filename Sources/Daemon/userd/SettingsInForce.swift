import Services
import Settings
import Synchronization
import UserdAPI

/// The settings in force.
final class SettingsInForce: Sendable {
    /// Those of userd's start.
    let started: LoadedSettings
    private let current: Mutex<LoadedSettings>

    init(_ loaded: LoadedSettings) {
        started = loaded
        current = Mutex(loaded)
    }

    /// Keeps those that need a restart.
    func adopt(_ loaded: LoadedSettings) {
        current.withLock { $0 = loaded.keeping(Reload.untilTheEnd, of: started) }
    }

    var loaded: LoadedSettings { current.withLock { $0 } }

    /// For clients that ask for them.
    var list: [SettingInForce] {
        loaded.listed(recorded(setting:)).map {
            SettingInForce(name: $0.name, value: $0.value, origin: $0.origin)
        }
    }
}
