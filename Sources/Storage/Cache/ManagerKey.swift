import Model
import SQLite

/// How managers are compared: by the id, username or address that upstream sends, else by the name. Of a
/// distinguished name, the value of its first part counts.
enum ManagerKey {
    /// Users of a name who are looked at.
    private static let candidates = 500

    static func of(_ manager: User.Manager) -> String? { (manager.id ?? manager.name).map(of) }

    static func of(_ text: String) -> String { UserRow.key(name(text)) }

    static func name(_ text: String) -> String {
        let isDN = text.contains(",") && text.contains("=")
        return (isDN ? DistinguishedName.name(in: text) : nil) ?? text
    }

    /// Everything by which an upstream may name this manager: if it is a cached user's key, by what this one has. Else, if
    /// nobody's manager is called so, the one manager whose name has the words; throws `ambiguous` if several have.
    /// - Parameter key: an id, username, address or name.
    static func all(named key: String, _ connection: Connection) throws -> Set<String> {
        let keys: Set = [of(key)]
        if let record = try? UserRows.find(key, connection),
            let user = try? decoded(User.self, from: String(decoding: record, as: UTF8.self))
        {
            // A directory that names managers by ids may have a namesake's reports under the name.
            return try keys.union(Organisation(connection).isByID ? all(of: user, names: []) : all(of: user))
        }
        guard try counts(of: keys, connection).isEmpty else { return keys }
        let users = try users(called: key, connection)
        let named = users.filter { $0.isNamed(key) }
        let managers = try managers(among: named.isEmpty ? users : named, connection).map(\.manager)
        guard managers.count < 2 else {
            throw CacheError.ambiguous(key: key, ids: managers.map(\.id).sorted())
        }
        return managers.first.map { all(of: $0) } ?? keys
    }

    /// Users whose names have the words of this one.
    static func users(called name: String, _ connection: Connection) throws -> [User] {
        guard (try? FullText.words(of: name)) != nil,
            let search = try UserSearch(name, connection)?.byMatch.first
        else { return [] }
        let found = search.narrowing(try Kinds.persons(connection))
        return try connection.rows(
            "SELECT record FROM users JOIN user_records USING (number) \(found.clause) LIMIT ?",
            found.bindings + [candidates.value]
        ) { try decoded(User.self, from: try $0.text(0)) }
    }

    /// Those of these users who are somebody's manager, and how many users have each.
    static func managers(
        among users: [User], _ connection: Connection
    ) throws -> [(manager: User, count: Int)] {
        let counts = try counts(of: Set(users.flatMap { all(of: $0) }), connection)
        return users.map { user in (user, all(of: user).reduce(0) { $0 + (counts[$1] ?? 0) }) }
            .filter { $0.1 > 0 }
    }

    private static func all(of user: User, names: [String]? = nil) -> Set<String> {
        Set(([user.id, user.username, user.email] + (names ?? user.writtenNames)).compactMap { $0.map(of) })
    }

    /// The number of users whose manager has each key.
    static func counts(of keys: Set<String>, _ connection: Connection) throws -> [String: Int] {
        let isPerson = try Kinds.andPerson(connection)
        let rows = try connection.rows(
            """
            SELECT manager_key, count(*) FROM users WHERE manager_key IN (SELECT value FROM json_each(?)) \(isPerson)
            GROUP BY manager_key
            """, [.text(try json(Array(keys)))]
        ) { (try $0.text(0), try $0.int(1)) }
        return Dictionary(uniqueKeysWithValues: rows)
    }
}

extension User {
    /// Whether the text is this user's whole name, or username.
    package func isNamed(_ text: String) -> Bool {
        let text = folded(text)
        return (writtenNames + [username].compactMap(\.self)).contains { folded($0) == text }
    }

    /// Whether the text is this user's whole name.
    package func hasName(_ text: String) -> Bool {
        let text = folded(text)
        return writtenNames.contains { folded($0) == text }
    }

    /// The name in the orders in which people and directories write it.
    var writtenNames: [String] {
        Self.writtenNames(first: name.first, last: name.last, displayName: displayName)
    }

    static func writtenNames(first: String, last: String, displayName: String?) -> [String] {
        let names =
            first.isEmpty || last.isEmpty
            ? [first + last] : ["\(first) \(last)", "\(last) \(first)", "\(last), \(first)"]
        return (names + [displayName ?? ""]).filter { !$0.isEmpty }
    }
}
