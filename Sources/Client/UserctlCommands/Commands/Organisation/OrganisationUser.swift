import ArgumentParser
import Model
import UserdAPI

/// The user whose place in the organisation is asked for.
struct OrganisationUser: ParsableArguments {
    @Argument(
        help: ArgumentHelp("An id, a username, an email address, or words to search for.", valueName: "user"),
        completion: .userKey)
    var words: [String] = []

    /// The id of the user, or of the one who calls userctl.
    func id(_ connection: UserdOrCache, _ console: Console) async throws -> String {
        guard words.isEmpty else {
            let key = words.joined(separator: " ")
            do {
                return try await connection.user(matching: key, console).decoded().user.id
            } catch {
                try await connection.refuseOther(key)
                throw error
            }
        }
        let own = try await connection.ownUser(console)
        if let guess = own.guess { console.notice("as \(own.user.shownName), \(guess)") }
        return own.user.id
    }
}

extension UserdOrCache {
    /// The managers of a user. Throws a `CommandError` if upstream names nobody's manager.
    func chain(of id: String, _ console: Console) async throws -> RawReply<ManagerChain> {
        let answer = try await read(.listManagers, \.listManagers, ListManagers(key: id))
        guard try !answer.decoded().named else { return answer }
        throw CommandError("upstream sent no managers", .failed, advice: missingManagers(settings()))
    }
}

/// Reasons that a directory may have sent no managers, with what to do about it.
func missingManagers(_ settings: [SettingValue]) -> [String] {
    func value(_ name: String) -> String { settings.value(of: name) ?? "" }
    let omitted = value("users.omit").split { !$0.isLetter && $0 != "_" }
    if omitted.contains(where: { $0.hasPrefix("manager") }) {
        return ["users.omit leaves managers out, so userd does not keep them"]
    }
    switch value("users.format") {
    case "graph":
        let scopes = value("users.oauth.scope")
        if !value("users.query").contains("manager") {
            return [
                "Microsoft Graph sends them with $expand=manager($select=id,displayName) in users.query, "
                    + "and only if an administrator has consented to User.Read.All"
            ]
        }
        return scopes.contains("User.ReadBasic.All")
            ? [
                "User.ReadBasic.All in users.oauth.scope does not read managers: an administrator consents to User.Read.All"
            ]
            : ["the account may lack User.Read.All, to which an administrator consents"]
    case "google":
        return ["they come with projection=full in users.query, if an administrator has entered them"]
    case "google-people":
        return ["they come if relations is in readMask of users.query, and an administrator has entered them"]
    case "okta": return ["the profiles need managerId, which an administrator maps from its source"]
    case "scim":
        return [
            "they come in the enterprise extension of SCIM, if the server has it and the token may read it"
        ]
    case "ldap":
        return [
            "the entries have no attribute manager, or the account may not read it: `users.fields` can name another"
        ]
    case "gitlab", "keycloak", "randomuser": return ["this API has no managers"]
    case "": return []
    default: return ["`users.fields` names where a record has manager_id or manager_name"]
    }
}
