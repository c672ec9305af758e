import YAML

extension SettingKind<Settings.Grant?> {
    static let grant = SettingKind<Settings.Grant>.word().orNothing("or empty for the default")
}

extension SettingKind<Settings.Parameters?> {
    static let parameters: Self = {
        let structure = SettingKind<YAMLNode?>.structure(
            "names of parameters with their values, such as {audience: https://api.example.org}",
            isSecret: true)
        return SettingKind(
            placeholder: structure.placeholder, expected: structure.expected, isStructured: true,
            read: { given throws(InvalidValue) in
                let all = try structure.members(of: given, "parameters") { member throws(InvalidValue) in
                    (name: member.name, value: try value(of: member))
                }
                return all.flatMap { $0.isEmpty ? nil : Settings.Parameters(all: $0) }
            },
            write: { $0?.written(\.quoted) }, shown: { $0?.written { _ in "REDACTED" } })
    }()
}

/// Parameters of OAuth that userd sets for each request.
private let ownParameters: Set = [
    "client_id", "client_secret", "code", "code_challenge", "code_challenge_method", "code_verifier",
    "device_code", "grant_type", "nonce", "redirect_uri", "refresh_token", "response_mode", "response_type",
    "scope", "state", "token", "token_type_hint",
]

private func value(of member: YAMLMember) throws(InvalidValue) -> String {
    guard !ownParameters.contains(member.name) else {
        throw InvalidValue(problem: "can't be set, since userd sets it")
    }
    if member.name == "prompt", member.value.isNull { return "" }
    guard case .scalar(let text, _) = member.value.content, !member.value.isNull else {
        throw InvalidValue(problem: "has \(member.value.noun), not a text")
    }
    guard 1...100 ~= member.name.utf8.count, 1...2048 ~= text.utf8.count,
        (member.name + text).utf8.allSatisfy({ 0x20...0x7E ~= $0 })
    else { throw InvalidValue(problem: "is not one line of ASCII characters") }
    return text
}
