import Model
import Recordings
import Settings
import Synchronization
import UserdAPI

/// The settings in force.
final class CurrentSettings: Sendable {
    /// The settings at userd's start.
    let started: LoadedSettings
    private let current: Mutex<LoadedSettings>

    init(_ loaded: LoadedSettings) {
        started = loaded
        current = Mutex(loaded)
    }

    /// Keeps the settings that need a restart.
    func adopt(_ loaded: LoadedSettings) {
        current.withLock { $0 = loaded.keeping(Reload.untilTheEnd, of: started) }
    }

    var loaded: LoadedSettings { current.withLock { $0 } }

    /// The settings, for clients.
    /// - Parameter more: signs that upstream has more records, for people.
    func list(_ more: [Resource: String]) -> [SettingValue] {
        loaded.listed(redacted(setting:)).map { listed in
            let more = more.first { "\($0.key).paging" == listed.name }?.value
            return SettingValue(
                name: listed.name, value: listed.value, origin: listed.origin,
                hint: more.map { "upstream seems to have more: \($0)" })
        }
    }
}
