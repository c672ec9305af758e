import Model

/// What a person is asked for, and what an administrator reads who has to provide it.
struct Needed {
    let question: String
    /// For an empty answer; nil if the setting is then left out.
    var usual: String?
    /// Whether nothing works without it.
    var isRequired = true

    init(_ setting: String, in folder: String) {
        switch setting {
        case "users.url": question = "the address of the list of users"
        case "users.format":
            question = "its format, such as scim or json"
            usual = "scim"
        case "users.oauth.client_id":
            question = "the client id that userd is registered under (Enter if there is none yet)"
        case "users.oauth.client_secret_file":
            question = "the file with the client's secret"
            usual = folder + "/users-client-secret"
        case "users.token_file":
            question =
                "the file with the token; or, to sign in as yourself, the address of the provider (issuer)"
            usual = folder + "/users-token"
        case "users.bind_dn":
            question = "the name to bind with, such as userd@corp.example (Enter to bind anonymously)"
            isRequired = false
        case "users.password_file":
            question = "the file with its password"
            usual = folder + "/users-password"
        case "users.oauth.scope":
            question = "the scope to ask for"
            usual = "openid profile offline_access"
        default: question = setting
        }
    }
}

/// The text for whoever can register userd at the provider.
package func administratorText(_ directory: DiscoveredDirectory) throws -> [String] {
    let values = Dictionary(directory.settings.map { ($0.name, $0.value) }) { first, _ in first }
    let redirect = values["users.oauth.redirect"] ?? "http://127.0.0.1/callback"
    let lines = try configurationLines(
        directory.settings + [
            DiscoveredSetting("users.oauth.client_id", "the id that the registration gives")
        ])
    return [
        "Please register a client for userd, which keeps our directory on our own machines, so that I can sign in as",
        "myself. It asks for nothing that my account may not see.", "",
        "  At               \(values["users.oauth.issuer"] ?? directory.name)",
        "  Kind             a native (desktop) program without a secret, authorization code with PKCE",
        "  Redirect address \(redirect)", "  Scope            \(values["users.oauth.scope"] ?? "")",
        "  Consent          for everybody, if people may not consent themselves", "",
        "With these lines in /etc/xdg/userd/config.yaml, nobody here has to set anything:", "",
    ] + lines.map { "  " + $0 }
}
