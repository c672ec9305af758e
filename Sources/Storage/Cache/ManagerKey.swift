import Model
import SQLite

/// How managers are compared: by the id, username or address that upstream sends, else by the name. Of a
/// distinguished name, the value of its first part counts.
enum ManagerKey {
    static func of(_ manager: User.Manager) -> String? { (manager.id ?? manager.name).map(of) }

    static func of(_ text: String) -> String { UserRow.key(name(text)) }

    static func name(_ text: String) -> String {
        let isDN = text.contains(",") && text.contains("=")
        return (isDN ? DistinguishedName.name(in: text) : nil) ?? text
    }

    /// Everything by which an upstream may name this manager: if it is a cached user, by what this one has.
    /// - Parameter key: an id, username, address or name.
    static func all(named key: String, _ connection: Connection) throws -> Set<String> {
        var keys: Set = [of(key)]
        guard let record = try? UserRows.find(key, connection),
            let user = try? decoded(User.self, from: String(decoding: record, as: UTF8.self))
        else { return keys }
        let names = ["\(user.name.first) \(user.name.last)", user.displayName]
        for name in [user.id, user.username, user.email] + names {
            if let name { keys.insert(of(name)) }
        }
        return keys
    }
}
