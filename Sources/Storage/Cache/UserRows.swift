import Model
import SQLite

/// Users mirror upstream: the staged users replace all others. Unchanged rows are not written.
enum UserRows {
    static func commit(_ connection: Connection, _ decide: (RowChanges) throws -> Change) throws -> Change {
        func count(_ table: String) throws -> Int { try Filter().count(in: table, connection) }
        let same = try Staging.recordsThatAreSame(.users, connection)
        let staged = try count("temp.staged_users") + same
        let before = try count("users")
        // All are the same.
        if staged == same, staged == before { return try decide(RowChanges(before: before, after: before)) }
        try connection.run("DELETE FROM temp.touched_users")
        let changed = try connection.run(
            """
            INSERT INTO temp.touched_users SELECT u.number, FALSE FROM temp.staged_users s JOIN users u USING (id)
            WHERE u.record <> s.record OR u.name_key <> s.name_key OR u.words <> s.words
            OR u.digits IS NOT s.digits OR u.age_key IS NOT s.age_key
            """)
        // In the order of the ids, which neither table's rows are read for.
        try connection.run("DELETE FROM temp.added_users")
        let added = try connection.run(
            """
            INSERT INTO temp.added_users SELECT s.rowid FROM temp.staged_users s
            WHERE NOT EXISTS (SELECT 1 FROM users WHERE users.id = s.id)
            """)
        let removed = before + added - staged
        if removed > 0 {
            try connection.run(
                """
                INSERT INTO temp.touched_users SELECT number, TRUE FROM users
                WHERE NOT EXISTS (SELECT 1 FROM temp.staged_users s WHERE s.id = users.id)
                \(same == 0 ? "" : "AND NOT \(Staging.isSame(.users, "users.number"))")
                """)
        }
        let changes = RowChanges(
            added: added, changed: changed, removed: removed, before: before,
            after: staged)
        let change = try decide(changes)
        try apply(changes, connection)
        return change
    }

    private static let byID = "SELECT id, record FROM users WHERE id = ?1"
    /// The limit is one of the ids in `CacheError.ambiguous`.
    private static let byName =
        "SELECT id, record FROM users WHERE username = ?1 OR email = ?1 ORDER BY id LIMIT 100"

    /// An id takes precedence over an equal username or address.
    static func find(_ key: String, _ connection: Connection) throws -> [UInt8] {
        func records(_ sql: String) throws -> [(id: String, record: [UInt8])] {
            try connection.rows(sql, [key.value]) { (try $0.text(0), try $0.bytes(1)) }
        }
        if let found = try records(byID).first { return found.record }
        let found = try records(byName)
        guard let first = found.first else { throw CacheError.notFound(key: key) }
        guard found.count == 1 else { throw CacheError.ambiguous(key: key, ids: found.map(\.id)) }
        return first.record
    }

    private static func apply(_ changes: RowChanges, _ connection: Connection) throws {
        if changes.changed > 0 { try Moves.record(connection) }
        let touched = changes.added + changes.changed + changes.removed
        if touched > changes.after / 2 {
            try rebuildingIndexes(connection) { _ = try write(changes, connection) }
        } else if touched > 0 {
            // To remove a row from the index, FTS5 needs its old words.
            try connection.run(
                """
                INSERT INTO user_words (user_words, rowid, words)
                SELECT 'delete', number, words FROM temp.touched_users JOIN users USING (number)
                """)
            let last = try write(changes, connection)
            try connection.run(
                """
                INSERT INTO user_words (rowid, words)
                SELECT number, words FROM temp.touched_users JOIN users USING (number) WHERE NOT is_removed
                UNION ALL SELECT number, words FROM users WHERE number > ?
                """, [last.value])
        }
    }

    /// The highest number that any user has ever had.
    static func newest(_ connection: Connection) throws -> Int {
        try connection.firstInt("SELECT newest_user FROM cache") ?? 0
    }

    /// A changed user keeps its number; numbers are never reused.
    /// - Returns: new users have numbers above this.
    private static func write(_ changes: RowChanges, _ connection: Connection) throws -> Int {
        try connection.run(
            "DELETE FROM users WHERE number IN (SELECT number FROM temp.touched_users WHERE is_removed)")
        let assignments = UserRow.columns.dropFirst().map { "\($0) = s.\($0)" }.joined(separator: ", ")
        try connection.run(
            """
            UPDATE users SET \(assignments) FROM temp.touched_users t, temp.staged_users s
            WHERE users.number = t.number AND NOT t.is_removed AND s.id = users.id
            """)
        let last = try newest(connection)
        if changes.added > 0 {
            let columns = UserRow.columns.joined(separator: ", ")
            // Does not read the users: SQLite would copy all new rows into a temporary table first.
            try connection.run(
                """
                INSERT INTO users (number, \(columns)) SELECT ? + s.rowid, \(columns)
                FROM temp.added_users a CROSS JOIN temp.staged_users s ON s.rowid = a.place ORDER BY a.place
                """, [last.value])
            try connection.run("UPDATE cache SET newest_user = (SELECT max(number) FROM users)")
        }
        try PictureRows.follow(usersAfter: last, connection)
        return last
    }

    /// If most rows change, drops and recreates the indexes, which takes a fraction of the time of row-by-row updates
    /// at random places in large files.
    private static func rebuildingIndexes(_ connection: Connection, _ body: () throws -> Void) throws {
        let indexes = try connection.rows(
            "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'users' AND sql IS NOT NULL"
        ) { (name: try $0.text(0), sql: try $0.text(1)) }
        for index in indexes { try connection.execute("DROP INDEX \(index.name)") }
        try body()
        for index in indexes { try connection.execute(index.sql) }
        try connection.run("INSERT INTO user_words (user_words) VALUES ('rebuild')")
    }
}
