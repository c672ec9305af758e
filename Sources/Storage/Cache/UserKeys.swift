import SQLite

/// Completes the beginning of a user's key, for shells.
package enum UserKeys {
    /// Maximum number of results of each kind.
    private static let few = 24

    /// Opens the cache file, read-only.
    package static func beginning(with prefix: String, path: String) throws -> [String] {
        try beginning(with: prefix, CacheFile.openToRead(path, busyTimeout: .zero))
    }

    /// Usernames and email addresses with this prefix, in any case; ids if there are none.
    ///
    /// If there are many, returns the first few and the last of each kind: shells insert the common prefix of
    /// all results, which the first and last of a sorted list determine.
    package static func beginning(with prefix: String, _ connection: Connection) throws -> [String] {
        let named = try keys("username", prefix, connection) + keys("email", prefix, connection)
        return named.isEmpty ? try keys("id", prefix, connection) : named
    }

    private static func keys(_ column: String, _ prefix: String, _ connection: Connection) throws -> [String]
    {
        // A cache of an earlier version, whose userd still runs, has persons alone.
        let isPerson = (try? Kinds.andPerson(connection)) ?? ""
        func read(_ direction: String, _ limit: Int) throws -> [String] {
            try connection.rows(
                """
                SELECT DISTINCT \(column) FROM users WHERE \(column) >= ?1 AND \(column) < ?2 \(isPerson)
                ORDER BY \(column) \(direction) LIMIT \(limit)
                """, [prefix.value, (prefix + "\u{10FFFF}").value]
            ) { try $0.text(0) }
        }
        let first = try read("ASC", few)
        return try first + (first.count < few ? [] : read("DESC", 1).filter { $0 != first.last })
    }
}
