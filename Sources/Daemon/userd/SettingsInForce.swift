import Services
import Settings
import Synchronization
import UserdAPI

/// The settings in force, for clients that ask for them.
final class SettingsInForce: Sendable {
    private let started: [SettingInForce]
    private let current: Mutex<[SettingInForce]>

    init(_ loaded: LoadedSettings) {
        started = Self.list(loaded)
        current = Mutex(started)
    }

    /// Keeps those that need a restart.
    func adopt(_ loaded: LoadedSettings) {
        let new = zip(started, Self.list(loaded)).map { old, new in
            Reload.untilTheEnd.contains(old.name) ? old : new
        }
        current.withLock { $0 = new }
    }

    var list: [SettingInForce] { current.withLock { $0 } }

    private static func list(_ loaded: LoadedSettings) -> [SettingInForce] {
        loaded.listed(recorded(setting:)).map {
            SettingInForce(name: $0.name, value: $0.value, origin: $0.origin)
        }
    }
}
