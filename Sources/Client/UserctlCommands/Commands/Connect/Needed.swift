import Model

/// A question to a person about a setting, other than secrets.
struct Needed {
    private var question: String
    /// The value of an empty answer.
    private var usual: String?
    /// Whether an empty answer leaves the setting out.
    private var isOptional = false
    private var isAddress = false

    private static let all = [
        "users.url": Needed(question: "the address of the list of users", isAddress: true),
        "users.format": Needed(question: "its format, such as scim or json", usual: "scim"),
        "users.oauth.client_id": Needed(
            question:
                "the client id that userd is registered under (Enter if there is none yet, for a text to your administrator)",
            isOptional: true),
        "users.bind_dn": Needed(
            question: "the name to bind with, such as userd@corp.example (Enter to bind anonymously)",
            isOptional: true),
        "users.oauth.scope": Needed(
            question: "the scope to ask for", usual: "openid profile offline_access"),
    ]

    static func of(_ setting: String) -> Needed { all[setting] ?? Needed(question: setting) }

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
