import SQLite

/// What one may be about to type who has typed the beginning of a user's key.
package enum UserKeys {
    /// Of each kind, when there are many.
    private static let few = 24

    /// Opens the cache file for that alone.
    package static func beginning(with prefix: String, path: String) throws -> [String] {
        let (connection, asFound) = try CacheFile.openToRead(path, busyTimeout: .zero)
        let keys = try beginning(with: prefix, connection)
        try asFound?.refuseChanged()
        return keys
    }

    /// Usernames and email addresses that begin so, whatever their case; ids where there are none.
    ///
    /// Of many, the first few of each kind and the last: a shell types what all have in common, and what the first and
    /// the last of an order have in common all between them have.
    package static func beginning(with prefix: String, _ connection: Connection) throws -> [String] {
        let named = try keys("username", prefix, connection) + keys("email", prefix, connection)
        return named.isEmpty ? try keys("id", prefix, connection) : named
    }

    private static func keys(_ column: String, _ prefix: String, _ connection: Connection) throws -> [String]
    {
        func read(_ direction: String, _ limit: Int) throws -> [String] {
            try connection.rows(
                """
                SELECT DISTINCT \(column) FROM users WHERE \(column) >= ?1 AND \(column) < ?2
                ORDER BY \(column) \(direction) LIMIT \(limit)
                """, [prefix.value, (prefix + "\u{10FFFF}").value]
            ) { try $0.text(0) }
        }
        let first = try read("ASC", few)
        return try first + (first.count < few ? [] : read("DESC", 1).filter { $0 != first.last })
    }
}
