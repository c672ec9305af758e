import SQLite

/// Values that users are filtered by, whose beginnings shells complete.
package enum FilterValue: String, Sendable {
    case department, city

    /// Maximum number of results.
    private static let few = 100

    /// Opens the cache file, read-only.
    package func beginning(with prefix: String, path: String) throws -> [String] {
        try beginning(with: prefix, CacheFile.openToRead(path, busyTimeout: .zero))
    }

    /// The values with this prefix, without regard to case and accents, as the first of their users spells
    /// them.
    package func beginning(with prefix: String, _ connection: Connection) throws -> [String] {
        let key = UserRow.key(prefix)
        let member = self == .city ? "$.address.city" : "$.department"
        return try connection.rows(
            """
            SELECT record ->> '\(member)' FROM (
                SELECT min(number) AS number FROM users WHERE \(rawValue)_key >= ?1 AND \(rawValue)_key < ?2
                GROUP BY \(rawValue)_key ORDER BY \(rawValue)_key LIMIT \(Self.few)
            ) JOIN user_records USING (number) WHERE record ->> '\(member)' IS NOT NULL
            """, [key.value, (key + "\u{10FFFF}").value]
        ) { try $0.text(0) }
    }
}
