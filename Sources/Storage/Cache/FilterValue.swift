import Model
import SQLite

extension FilterValue {
    /// Maximum number of results.
    private static let few = 100

    /// Opens the cache file, read-only.
    package func beginning(with prefix: String, path: String) throws -> [String] {
        try beginning(with: prefix, CacheFile.openToRead(path, busyTimeout: .zero))
    }

    /// The values with this prefix, without regard to case and accents, as the first of their users spells
    /// them.
    package func beginning(with prefix: String, _ connection: Connection) throws -> [String] {
        let begins = begins(with: prefix)
        let member = self == .city ? "$.address.city" : "$.department"
        return try connection.rows(
            """
            SELECT record ->> '\(member)' FROM (
                SELECT min(number) AS number FROM users WHERE \(begins.sql)
                GROUP BY \(rawValue)_key ORDER BY \(rawValue)_key LIMIT \(Self.few)
            ) JOIN user_records USING (number) WHERE record ->> '\(member)' IS NOT NULL
            """, begins.bindings
        ) { try $0.text(0) }
    }

    /// A condition for users whose value has this prefix.
    func begins(with prefix: String) -> (sql: String, bindings: [Value]) {
        let key = UserRow.key(prefix)
        return (
            "users.\(rawValue)_key >= ? AND users.\(rawValue)_key < ?",
            [key.value, (key + "\u{10FFFF}").value]
        )
    }
}
