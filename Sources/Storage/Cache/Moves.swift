import Model
import SQLite

/// Records when users change their position in a sort order, so that a list that began earlier can continue
/// unchanged.
enum Moves {
    /// Number of moves to keep. Each page of a list reads all moves since the list began, so more would be
    /// slow. When a commit exceeds this, older lists end with `InvalidCursor`.
    static let maximum = 10_000

    private static let columns = UserOrder.allCases.filter { $0 != .match }.map(\.column)

    /// Saves the old sort keys of users whose keys will change. Call in a commit before rows are written.
    static func record(_ connection: Connection) throws {
        let transition = try History.sequence(connection).last + 1
        let differs = columns.map { "users.\($0) IS NOT s.\($0)" }.joined(separator: " OR ")
        let moved = try connection.run(
            """
            INSERT INTO moves (transition, number, \(columns.joined(separator: ", ")))
            SELECT ?, users.number, \(columns.map { "users.\($0)" }.joined(separator: ", "))
            FROM temp.touched_users t CROSS JOIN users ON users.number = t.number
            CROSS JOIN temp.staged_users s ON s.staged_row = t.staged_row WHERE \(differs) LIMIT ?
            """, [transition.value, (maximum + 1).value])
        if moved > 0 { try forget(connection) }
    }

    /// Removes what is kept of removed users. If no user has one of the keys any more, perhaps because the
    /// settings leave out the field, removes all moves, and lists that began earlier end with
    /// `InvalidCursor`. Call in a commit after rows are written.
    static func removeLeftovers(_ changes: RowChanges, _ connection: Connection) throws {
        if changes.removed > 0 { try connection.run(removeGone) }
        let isLeft = try columns.contains { column in
            try connection.firstInt(
                """
                SELECT 1 FROM moves WHERE NOT EXISTS (SELECT 1 FROM users WHERE \(column) IS NOT NULL)
                AND \(column) IS NOT NULL LIMIT 1
                """) != nil
        }
        guard isLeft else { return }
        try connection.run("DELETE FROM moves")
        try connection.run("UPDATE cache SET moves_known_after = last_index + 1")
    }

    /// Removes the moves of removed users, which no list reads.
    private static let removeGone = """
        DELETE FROM moves WHERE number IN (SELECT number FROM temp.touched_users WHERE staged_row IS NULL)
        """

    /// Removes the oldest moves beyond the maximum, as whole transitions.
    private static func forget(_ connection: Connection) throws {
        let last = try connection.firstInt(
            "SELECT transition FROM moves ORDER BY transition DESC LIMIT 1 OFFSET ?", [maximum.value])
        guard let last else { return }
        try connection.run("DELETE FROM moves WHERE transition <= ?", [last.value])
        try connection.run("UPDATE cache SET moves_known_after = ?", [last.value])
    }

    static func areKnown(since transition: Int, _ connection: Connection) throws -> Bool {
        let sql = "SELECT 1 FROM cache WHERE ? BETWEEN moves_known_after AND last_index"
        return try connection.firstInt(sql, [transition.value]) != nil
    }

    static func exist(since transition: Int, _ connection: Connection) throws -> Bool {
        try connection.firstInt("SELECT 1 FROM moves WHERE transition > ? LIMIT 1", [transition.value]) != nil
    }

    /// Users who have not moved since the list began; binds that transition.
    static let hasStayed = """
        NOT EXISTS (SELECT 1 FROM moves WHERE moves.number = users.number AND transition > ?)
        """

    /// The first move of a user since the list began; binds that transition twice.
    static let isFirst = """
        moves.transition > ? AND NOT EXISTS (
            SELECT 1 FROM moves AS earlier
            WHERE earlier.number = moves.number AND earlier.transition > ? AND earlier.transition < moves.transition
        )
        """
}
