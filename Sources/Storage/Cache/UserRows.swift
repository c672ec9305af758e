import Model
import SQLite

/// Users mirror upstream: a commit replaces all users with the staged ones, or applies changes that are staged. Unchanged
/// rows are not written.
enum UserRows {
    static func commit(
        _ rule: RemovalRule, _ connection: Connection, _ decide: (RowChanges) throws -> Change
    ) throws -> Change {
        if try StagedChanges.exist(connection) { return try commitChanges(connection, decide) }
        let same = try Staging.recordsThatAreSame(.users, connection)
        // staged_row has no gaps, so the maximum is the count, without reading all rows.
        let staged = try count("ifnull(max(staged_row), 0) FROM temp.staged_users", connection) + same
        let known = try count("count(*) FROM temp.staged_users WHERE number IS NOT NULL", connection)
        let before = try count("count(*) FROM users", connection)
        let added = staged - same - known
        let changed = try touchChanged(connection)
        let isShort = before + added > staged
        let isLacked = """
            NOT EXISTS (SELECT 1 FROM temp.staged_users s WHERE s.number = users.number)
            \(same == 0 ? "" : "AND NOT \(Staging.isSame(.users, "users.number"))")
            """
        let removed = try isShort ? touch("\(rule.condition) AND \(isLacked)", connection) : 0
        let lacked =
            try isShort && rule != .atOnce
            ? count("count(*) FROM users WHERE \(isLacked)", connection) : removed
        let changes = RowChanges(
            added: added, changed: changed, removed: removed, before: before,
            after: before + added - removed, others: try others(connection), missing: lacked - removed,
            unnamed: try StagedChanges.unnamed(connection))
        let change = try decide(changes)
        try noteMissing(lacked - removed, isLacked, rule, connection)
        try apply(changes, connection)
        try Pages.commit(.users, connection)
        try Stamps.commitList(connection)
        return change
    }

    /// Whoever no change names stays as they are.
    private static func commitChanges(
        _ connection: Connection, _ decide: (RowChanges) throws -> Change
    ) throws -> Change {
        let before = try count("count(*) FROM users", connection)
        let added = try count("count(*) FROM temp.staged_users WHERE number IS NULL", connection)
        let changed = try touchChanged(connection)
        let removed = try touch("id IN (SELECT id FROM temp.named_users WHERE is_gone)", connection)
        let isMissing = "missing_since_ms IS NOT NULL"
        let missing = try count(
            "count(*) FROM users WHERE \(isMissing) AND id NOT IN (SELECT id FROM temp.named_users)",
            connection)
        let changes = RowChanges(
            added: added, changed: changed, removed: removed, before: before,
            after: before + added - removed, others: try others(connection), missing: missing)
        let change = try decide(changes)
        try connection.run(
            """
            UPDATE users SET missing_since_ms = NULL
            WHERE \(isMissing) AND id IN (SELECT id FROM temp.named_users WHERE NOT is_gone)
            """)
        // As upstream sent them, these pages have other records.
        try Pages.forget(recordsIn: "SELECT number FROM temp.touched_users", [], of: .users, connection)
        try apply(changes, connection)
        try Stamps.commitChanges(connection)
        return change
    }

    private static func count(_ selected: String, _ connection: Connection) throws -> Int {
        try connection.firstInt("SELECT \(selected)") ?? 0
    }

    /// Call after `touched_users` is filled.
    static func others(_ connection: Connection) throws -> OtherRows {
        let staged = "count(*) FROM temp.staged_users WHERE kind IS NOT NULL"
        let touched = "count(*) FROM users JOIN temp.touched_users t USING (number) WHERE kind IS NOT NULL"
        let before = try count("count(*) FROM users WHERE kind IS NOT NULL", connection)
        return OtherRows(
            added: try count("\(staged) AND number IS NULL", connection),
            removed: try count("\(touched) AND t.staged_row IS NULL", connection), before: before,
            after: try before + count(staged, connection) - count(touched, connection))
    }

    private static func touchChanged(_ connection: Connection) throws -> Int {
        try connection.run(
            """
            INSERT INTO temp.touched_users (number, staged_row)
            SELECT number, staged_row FROM temp.staged_users WHERE number IS NOT NULL AND id IS NOT NULL
            """)
    }

    /// Notes that these users go.
    private static func touch(_ condition: String, _ connection: Connection) throws -> Int {
        try connection.run(
            "INSERT INTO temp.touched_users (number) SELECT number FROM users WHERE \(condition)")
    }

    /// Keeps since when users have been missing.
    private static func noteMissing(
        _ count: Int, _ isLacked: String, _ rule: RemovalRule, _ connection: Connection
    ) throws {
        try connection.run(
            """
            UPDATE users SET missing_since_ms = NULL
            WHERE missing_since_ms IS NOT NULL \(count == 0 ? "" : "AND NOT (\(isLacked))")
            """)
        guard count > 0, let now = rule.now else { return }
        // A clock that was ahead would keep them for longer.
        try connection.run(
            """
            UPDATE users SET missing_since_ms = ?1
            WHERE ifnull(missing_since_ms > ?1, TRUE) AND \(isLacked)
            """, [now.milliseconds.value])
    }

    /// Finds a user's record. An id takes precedence over an equal username or address.
    static func find(
        _ key: String, of kinds: Set<UserKind> = [.person], _ connection: Connection
    ) throws -> [UInt8] {
        func records(_ condition: String) throws -> [(id: String, record: [UInt8])] {
            var filter = Filter()
            filter.add(condition, key.value)
            try filter.add(kinds, byIndex: false, connection)
            // The limit bounds the ids in `CacheError.ambiguous`.
            let sql = """
                SELECT id, record FROM users JOIN user_records USING (number) \(filter.clause)
                ORDER BY id LIMIT 100
                """
            return try connection.rows(sql, filter.bindings) { (try $0.text(0), try $0.bytes(1)) }
        }
        if let found = try records("id = ?1").first { return found.record }
        let found = try records("(username = ?1 OR email = ?1)")
        guard let first = found.first else { throw CacheError.notFound(key: key) }
        guard found.count == 1 else { throw CacheError.ambiguous(key: key, ids: found.map(\.id)) }
        return first.record
    }

    /// SQL condition: the cached row `u` and the staged row `s` differ in this column.
    private static func differs(_ column: String) -> String {
        "u.\(column) IS NOT s.\(column) COLLATE BINARY"
    }

    private static func apply(_ changes: RowChanges, _ connection: Connection) throws {
        if changes.changed > 0 { try Moves.record(connection) }
        let last = try newest(connection)
        try connection.run(
            """
            INSERT INTO temp.new_users (number, staged_row, page)
            SELECT ? + row_number() OVER (ORDER BY name_key, staged_row), staged_row, page FROM temp.staged_users
            WHERE number IS NULL
            """, [last.value])
        if changes.added + changes.changed + changes.removed > changes.after / 2 {
            try rebuildingIndexes(connection) { try write(changes, connection) }
        } else {
            try writeWords(connection)
            try write(changes, connection)
        }
        if changes.added + changes.changed + changes.removed > 0 {
            try connection.run("UPDATE cache SET users_version = users_version + 1")
            try BookRows.renewChangeToken(connection)
        }
        try Moves.removeLeftovers(changes, connection)
        try PictureRows.follow(changes, usersAfter: last, connection)
    }

    /// The highest number that a user has ever had.
    static func newest(_ connection: Connection) throws -> Int {
        try connection.firstInt("SELECT newest_user FROM cache") ?? 0
    }

    /// Updates the search index. Call before the rows are written, because FTS5 needs the old words to remove
    /// them.
    private static func writeWords(_ connection: Connection) throws {
        try connection.run(
            """
            INSERT INTO user_words (user_words, rowid, words)
            SELECT 'delete', u.number, u.words FROM temp.touched_users t CROSS JOIN users u ON u.number = t.number
            LEFT JOIN temp.staged_users s ON s.staged_row = t.staged_row WHERE \(differs("words"))
            """)
        try connection.run(
            """
            INSERT INTO user_words (rowid, words)
            SELECT u.number, s.words FROM temp.touched_users t CROSS JOIN users u ON u.number = t.number
            CROSS JOIN temp.staged_users s ON s.staged_row = t.staged_row WHERE \(differs("words"))
            """)
        try connection.run(
            "INSERT INTO user_words (rowid, words) SELECT new.number, words FROM \(new) ORDER BY new.number")
    }

    /// A changed user keeps its number; numbers are never reused. New users get numbers in the order of their
    /// names, so that users who are listed together are close together in a large file.
    private static func write(_ changes: RowChanges, _ connection: Connection) throws {
        if changes.removed > 0 {
            let removed = "SELECT number FROM temp.touched_users WHERE staged_row IS NULL"
            try connection.run("DELETE FROM users WHERE number IN (\(removed))")
            try connection.run("DELETE FROM user_records WHERE number IN (\(removed))")
        }
        if changes.changed > 0 {
            // Updates each column on its own, so that indexes of equal columns are not written.
            for column in UserRow.columns.dropFirst() { try update(column, of: "users", connection) }
            try update("record", of: "user_records", connection)
        }
        guard changes.added > 0 else { return }
        let columns = UserRow.columns.joined(separator: ", ")
        try connection.run(
            """
            INSERT INTO users (number, \(columns)) SELECT new.number, \(columns) FROM \(new) ORDER BY new.number
            """)
        try connection.run(
            """
            INSERT INTO user_records (number, record) SELECT new.number, record FROM \(new) ORDER BY new.number
            """)
        try connection.run("UPDATE cache SET newest_user = (SELECT max(number) FROM users)")
    }

    /// Updates a column where it differs. The IN keeps SQLite from reading all users.
    private static func update(_ column: String, of table: String, _ connection: Connection) throws {
        try connection.run(
            """
            UPDATE \(table) SET \(column) = (
                SELECT s.\(column) FROM temp.touched_users t CROSS JOIN temp.staged_users s ON s.staged_row = t.staged_row
                WHERE t.number = \(table).number
            ) WHERE number IN (
                SELECT u.number FROM temp.touched_users t CROSS JOIN \(table) u ON u.number = t.number
                CROSS JOIN temp.staged_users s ON s.staged_row = t.staged_row WHERE \(differs(column))
            )
            """)
    }

    private static let new =
        "temp.new_users new CROSS JOIN temp.staged_users s ON s.staged_row = new.staged_row"

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

extension RemovalRule {
    /// SQL condition: a user whom the list lacks goes.
    fileprivate var condition: String {
        switch self {
        case .atOnce: "TRUE"
        case .ifMissingBefore: "missing_since_ms IS NOT NULL"
        case .ifMissingForADay(let now): "missing_since_ms <= \(now.milliseconds - 86_400_000)"
        }
    }

    fileprivate var now: Timestamp? {
        switch self {
        case .atOnce: nil
        case .ifMissingBefore(let now), .ifMissingForADay(let now): now
        }
    }
}
