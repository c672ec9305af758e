import Model
import Platform
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

extension [SettingValue] {
    /// The task of a person; nil if there is none.
    package func toDo(_ state: State) -> String? {
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
        let signsIn = grant.map { $0 != "client_credentials" } ?? (value(of: "users.oauth.issuer") != nil)
        // Whoever signs in may still lack the right to read users.
        if signsIn, failure.kind == .credentials || failure.httpStatus == 401 {
            return Advice(.signIn).words
        }
        let connect = "`userctl connect \(shellQuoted(address))`"
        let secrets = SecretKind.allCases.map { ($0.setting, $0.noun) } + [("users.headers", "value")]
        let found = secrets.lazy.compactMap { name, noun in
            self.first { $0.name == name && $0.value?.isEmpty == false }.map { ($0, noun) }
        }.first
        let machine = [url.origin, found?.0.origin].compactMap(\.self).first(where: isOfMachine)
        let asking = machine.map { "ask whoever administers this machine (\($0))" }
        guard let (secret, noun) = found, !signsIn else {
            return asking
                ?? (signsIn
                    ? "ask whoever administers the directory for the right to read users"
                    : connect + " asks for what it needs")
        }
        let new = failure.httpStatus == 403 ? "a \(noun) that may read users" : "a new \(noun)"
        let place =
            noun == "value"
            ? "users.headers, or into the file that it names" : "\(secret.value ?? "") (\(secret.name))"
        if secret.origin.hasPrefix("credential ") {
            return "put \(new) where the service's \(secret.origin) is from, and restart userd"
        }
        let now = "userd tries it within seconds"
        guard let asking else { return "put \(new) into \(place): \(now); or \(connect) asks for it" }
        return isOfMachine(secret.origin)
            ? "\(asking) to put \(new) into \(place)"
            : "\(asking) for \(new), and put it into \(place): \(now)"
    }

    /// Whether an administrator's file has the setting.
    private func isOfMachine(_ origin: String) -> Bool {
        origin.hasPrefix("file ") && origin.contains("/etc/")
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
