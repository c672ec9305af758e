import Model
import UserdAPI

extension [SettingValue] {
    /// The setting's value; nil if it is missing or empty.
    package func value(of name: String) -> String? {
        first { $0.name == name }?.value.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The settings that words of userctl or of the table of advice name, as `users.records is /data (file /home/a/config.yaml:4)`.
    package func named(in text: String) -> [String] {
        let words = Set(text.split { !($0.isLetter || $0.isNumber || "._".contains($0)) })
        return filter { setting in
            // They may name a key within a setting: users.fields.email.
            words.contains { $0 == setting.name || $0.hasPrefix(setting.name + ".") }
        }.map { "\($0.name) is \($0.value.flatMap { $0.isEmpty ? nil : $0 } ?? "not set") (\($0.origin))" }
    }
}

extension State {
    /// Says that upstream has more records than the settings fetch; nil if it is not known to have more.
    package func shortfall(_ settings: [SettingValue]) -> (text: String, settings: [String])? {
        for name in ["\(resource).fields", "\(resource).paging"] {
            if let hint = settings.first(where: { $0.name == name })?.hint { return (hint, [name]) }
        }
        guard resource == .users, let pages = settings.value(of: "users.pages").flatMap(Int.init),
            let size = settings.value(of: "users.page_size").flatMap(Int.init), count > 0, size > 0,
            count / size >= pages
        else { return nil }
        return (
            "as many as users.pages × users.page_size ask for; upstream may have more",
            ["users.pages", "users.page_size"]
        )
    }
}
