import MessageText
import Model

/// A question to a person about a setting, other than secrets.
struct Needed {
    private let question: String
    /// The value of an empty answer.
    private var usual: String?
    /// Whether an empty answer leaves the setting out.
    private var isOptional = false
    private var isAddress = false

    init(_ setting: String) {
        switch setting {
        case "users.url":
            question = "the address of the list of users"
            isAddress = true
        case "users.format":
            question = "its format, such as scim or json"
            usual = "scim"
        case "users.oauth.client_id":
            question = "the client id that userd is registered under (Enter if there is none yet)"
            isOptional = true
        case "users.bind_dn":
            question = "the name to bind with, such as userd@corp.example (Enter to bind anonymously)"
            isOptional = true
        case "users.oauth.scope":
            question = "the scope to ask for"
            usual = "openid profile offline_access"
        default: question = setting
        }
    }

    var text: String { question + (usual.map { " [\($0)]" } ?? "") + ": " }

    /// The setting with its usual value; nil without one.
    func assumed(as setting: String) -> DiscoveredSetting? { usual.map { DiscoveredSetting(setting, $0) } }

    /// - Returns: nil if the setting is left out.
    func value(of answer: String) throws(WrongAnswer) -> String? {
        if answer.isEmpty, isOptional { return nil }
        guard let value = answer.isEmpty ? usual : answer else { throw WrongAnswer("it is needed") }
        if isAddress, !value.contains("://") {
            throw WrongAnswer(
                "“\(value.shown(upTo: 60))” is no address, such as https://idp.example.org/scim/v2/Users")
        }
        return value
    }
}

/// The text for whoever can register userd at the provider.
package func administratorText(_ directory: DiscoveredDirectory) throws -> [String] {
    let redirect = directory.settings.value(of: "users.oauth.redirect") ?? "http://127.0.0.1/callback"
    let lines = try configurationLines(
        directory.settings + [
            DiscoveredSetting("users.oauth.client_id", "the id that the registration gives")
        ])
    return [
        "Please register a client for userd, which keeps our directory on our own machines, so that I can sign in as",
        "myself. It asks for nothing that my account may not see.", "",
        "  At               \(directory.settings.value(of: "users.oauth.issuer") ?? directory.name)",
        "  Kind             a native (desktop) program without a secret, authorization code with PKCE",
        "  Redirect address \(redirect)",
        "  Scope            \(directory.settings.value(of: "users.oauth.scope") ?? "")",
        "  Consent          for everybody, if people may not consent themselves", "",
        "With these lines in /etc/xdg/userd/config.yaml, nobody here has to set anything:", "",
    ] + lines.map { "  " + $0 }
}
