import Cache
import Model
import Platform
import UserdAPI

/// The user who calls userctl.
struct OwnUser {
    let user: User
    /// How the user was found, for people; nil if that is sure.
    var guess: String?
}

extension UserdOrCache {
    /// The user whom the setting `me` names, else who has signed in or holds the ticket, else the user with the login name, if the
    /// full name or address fits, too.
    func ownUser(_ console: Console) async throws -> OwnUser {
        if let (path, line, key) = console.configured("me") {
            do { return OwnUser(user: try await named(key)) } catch {
                guard error.isUserNotFound else { throw error }
                try await refuseOther(key, at: "\(path):\(line): me: ")
                throw CommandError(
                    "\(path):\(line): me: no user has the id, username or email address “\(key)”", .failed,
                    advice: "find yourself with `userctl who \(canSearch(key) ? shellQuoted(key) : "WORDS")`")
            }
        }
        if let account = try await daemonState()?.decoded().account, account.signedIn,
            let name = account.name,
            let user = try? await named(name)
        {
            return OwnUser(user: user)
        }
        if settings().value(of: "users.sasl") != nil, let principal = console.person.principal() {
            if let user = try? await named(principal) { return OwnUser(user: user) }
            if let user = try? await named(String(principal.prefix { $0 != "@" })) {
                return OwnUser(user: user, guess: "by your Kerberos ticket")
            }
        }
        if let login = console.person.login(), let user = try? await named(login.name), user.fits(login) {
            return OwnUser(user: user, guess: "by your login name")
        }
        throw CommandError(
            "userctl does not know which of the users you are", .failed,
            advice: [
                "name a user after the command, such as anna@example.com",
                "or write `me: anna@example.com` into \(console.baseDirectories.configFile ?? "config.yaml")",
            ])
    }

    private func named(_ key: String) async throws -> User {
        try await namingAmbiguous { try await read(.getUser, \.getUser, GetUser(key: key)) }.decoded().user
    }
}

extension User {
    /// Whether the full name or the address of the login is this user's.
    fileprivate func fits(_ login: Person.Login) -> Bool {
        !login.fullName.isEmpty && hasName(login.fullName)
            || allEmails.contains { $0.value.lowercased() == login.address?.lowercased() }
    }
}
