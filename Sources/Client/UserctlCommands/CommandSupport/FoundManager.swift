import Cache
import Model
import UserdAPI

extension UserdOrCache {
    /// The cached user whom upstream names as this user's manager, by an id, a username, an address, a
    /// distinguished name or a name. Nil if no user has it, or several have.
    func manager(of user: User) async -> User? {
        guard let manager = user.manager else { return nil }
        for key in [manager.id, manager.name] {
            guard let key, !key.isEmpty else { continue }
            let reply = try? await read(.getUser, \.getUser, GetUser(key: key)).decoded()
            if let user = reply?.user { return user }
        }
        guard let name = manager.shownName else { return nil }
        let query = ListUsers(search: name, limit: CommandError.mostAmbiguous)
        let found = try? await read(.listUsers, \.listUsers, query).decoded()
        guard let found, found.total == found.users.count else { return nil }
        let named = found.users.filter { $0.isNamed(name) }
        return named.count == 1 ? named[0] : nil
    }
}

extension User.Manager {
    /// The name; of a distinguished name, the value of its first part.
    var shownName: String? {
        if let name, !name.isEmpty { return name }
        guard let id else { return nil }
        let isDN = id.contains("=") && id.contains(",")
        return (isDN ? DistinguishedName.name(in: id) : nil) ?? id
    }
}
