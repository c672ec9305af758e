import Model
import Platform
import UserdAPI

extension [SettingValue] {
    /// The setting's value; nil if it is missing or empty.
    func value(of name: String) -> String? {
        first { $0.name == name }?.value.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The settings that words of userctl or of the table of advice name, as `users.records is /data (file /home/a/config.yaml:4)`.
    func named(in text: String) -> [String] {
        let words = Set(text.split { !($0.isLetter || $0.isNumber || "._".contains($0)) })
        return filter { setting in
            // They may name a key within a setting: users.fields.email.
            words.contains { $0 == setting.name || $0.hasPrefix(setting.name + ".") }
        }.map { "\($0.name) is \($0.value.flatMap { $0.isEmpty ? nil : $0 } ?? "not set") (\($0.origin))" }
    }
}

extension [SettingValue] {
    /// The task of a person; nil if there is none.
    func toDo(_ state: State) -> String? {
        guard let failure = state.failure, state.resource == .users, state.phase == .error,
            failure.isAboutCredentials,
            [nil, .checkToken, .checkPassword, .checkBind, .checkClientSecret].contains(failure.advice?.kind),
            let words = onRefusal(failure)
        else { return state.advice }
        return [failure.advice?.words, words].compactMap(\.self).joined(separator: "; ")
    }

    private func onRefusal(_ failure: Failure) -> String? {
        guard let url = first(where: { $0.name == "users.url" }), let address = url.value else { return nil }
        let grant = value(of: "users.oauth.grant")
        if grant.map({ $0 != "client_credentials" }) ?? (value(of: "users.oauth.issuer") != nil) {
            // Whoever signs in may still lack the right to read users.
            return failure.httpStatus == 403
                ? "ask whoever administers the directory for the right to read users"
                : Advice(.signIn).words
        }
        let secrets = SecretKind.allCases.map { ($0.setting, $0.noun) } + [("users.headers", "value")]
        let found = secrets.lazy.compactMap { name, noun in
            self.first { $0.name == name && $0.value?.isEmpty == false }.map { ($0, noun) }
        }.first
        let machine = [url.origin, found?.0.origin].compactMap(\.self).first(where: isOfMachine)
        let (asking, connect) = (
            machine.map { "ask whoever administers this machine (\($0))" },
            "`userctl connect \(shellQuoted(address))` asks for"
        )
        guard let (secret, noun) = found else { return asking ?? "\(connect) what it needs" }
        let new = failure.httpStatus == 403 ? "a \(noun) that may read users" : "a new \(noun)"
        let isFile = noun != "value" && !secret.origin.hasPrefix("credential ")
        let place =
            isFile ? "\(secret.value ?? "") (\(secret.name))" : "\(secret.name) (\(secret.origin))"
        let putting = "\(place)\(isFile ? ": userd tries it within seconds" : ", and restart userd")"
        guard let asking else { return "put \(new) into \(putting); or \(connect) it" }
        return "\(asking) for \(new)"
            + (isOfMachine(secret.origin) ? " in \(place)" : ", and put it into \(putting)")
    }

    /// Whether an administrator's file has the setting.
    private func isOfMachine(_ origin: String) -> Bool {
        origin.hasPrefix("file ") && origin.contains("/etc/")
    }
}

extension [SettingValue] {
    /// Why each sync reads the full list, although the directory could say what changed; nil if it does not.
    var reasonForFullLists: String? { first { $0.name == "users.full_interval" }?.hint }
}

extension State {
    /// Says that upstream has more records than the settings fetch; nil if it is not known to have more.
    func shortfall(_ settings: [SettingValue]) -> (text: String, settings: [String])? {
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
