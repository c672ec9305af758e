import Model
import SQLite

/// Users mirror upstream: what is staged becomes all there is, and what is unchanged is not written again.
enum UserRows {
    static func commit(_ connection: Connection, _ decide: (RowChanges) throws -> Change) throws -> Change {
        func count(_ sql: String) throws -> Int { try connection.first(sql, []) { try $0.int(0) } ?? 0 }
        let staged = try count("SELECT count(*) FROM temp.staged_users")
        let before = try count("SELECT count(*) FROM users")
        let known = try count("SELECT count(*) FROM temp.staged_users JOIN users USING (id)")

        try connection.run("DELETE FROM temp.touched_users", [])
        let changed = try connection.run(
            """
            INSERT INTO temp.touched_users SELECT u.number FROM temp.staged_users s JOIN users u USING (id)
            WHERE u.record <> s.record OR u.name_key <> s.name_key OR u.words <> s.words
            """, [])
        let removed = try connection.run(
            """
            INSERT INTO temp.touched_users SELECT number FROM users
            WHERE NOT EXISTS (SELECT 1 FROM temp.staged_users s WHERE s.id = users.id)
            """, [])
        let changes = RowChanges(
            added: staged - known, changed: changed, removed: removed, before: before, after: staged)
        let change = try decide(changes)
        if changes.added + changed + removed > 0 { try apply(connection) }
        return change
    }

    /// An id wins over a username or address that reads the same.
    static func find(_ key: String, _ connection: Connection) throws -> [UInt8] {
        func record(_ condition: String, _ limit: Int) throws -> [(id: String, record: [UInt8])] {
            try connection.rows(
                "SELECT id, record FROM users WHERE \(condition) ORDER BY id LIMIT \(limit)", [key.value]
            ) {
                (try $0.text(0), try $0.bytes(1))
            }
        }
        if let found = try record("id = ?1", 1).first { return found.record }
        let found = try record("username = ?1 OR email = ?1", maximumNamed)
        guard let first = found.first else { throw CacheError.notFound(key: key) }
        guard found.count == 1 else { throw CacheError.ambiguous(key: key, ids: found.map(\.id)) }
        return first.record
    }

    /// Of those who share a username or address, so many are named.
    private static let maximumNamed = 100

    /// A changed user is taken out and put in again under its old number.
    private static func apply(_ connection: Connection) throws {
        let columns = UserRow.columns.joined(separator: ", ")
        try connection.run(
            """
            INSERT INTO user_words (user_words, rowid, words)
            SELECT 'delete', number, words FROM users WHERE number IN (SELECT number FROM temp.touched_users)
            """, [])
        try connection.run(
            """
            DELETE FROM users WHERE number IN (SELECT number FROM temp.touched_users)
            AND id NOT IN (SELECT id FROM temp.staged_users)
            """, [])
        let assignments = UserRow.columns.dropFirst().map { "\($0) = s.\($0)" }.joined(separator: ", ")
        try connection.run(
            """
            UPDATE users SET \(assignments) FROM temp.staged_users s
            WHERE users.id = s.id AND users.number IN (SELECT number FROM temp.touched_users)
            """, [])
        let last = try connection.first("SELECT ifnull(max(number), 0) FROM users", []) { try $0.int(0) } ?? 0
        try connection.run(
            """
            INSERT INTO users (\(columns)) SELECT \(columns) FROM temp.staged_users s
            WHERE NOT EXISTS (SELECT 1 FROM users WHERE users.id = s.id)
            """, [])
        try connection.run(
            """
            INSERT INTO user_words (rowid, words)
            SELECT number, words FROM users WHERE number > ?1 OR number IN (SELECT number FROM temp.touched_users)
            """, [last.value])
    }
}
