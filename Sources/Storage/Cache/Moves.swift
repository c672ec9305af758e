import Model
import SQLite

/// Who changed places in an order of the users, and when: by it, a list that began before goes on as it began.
enum Moves {
    /// So many are kept. A list that has to look at more, page for page, would be slow for everybody: where a commit has
    /// moved that many, lists that began before end.
    static let maximum = 10_000

    private static let columns = UserOrder.allCases.map(\.column)

    /// Within a commit, before anything is written: what the touched users who will be sorted by something else are
    /// sorted by now.
    static func record(_ connection: Connection) throws {
        let transition = try Transitions.sequence(connection).last + 1
        let differs = columns.map { "users.\($0) IS NOT s.\($0)" }.joined(separator: " OR ")
        let moved = try connection.run(
            """
            INSERT INTO moves (transition, number, \(columns.joined(separator: ", ")))
            SELECT ?, users.number, \(columns.map { "users.\($0)" }.joined(separator: ", "))
            FROM temp.touched_users t CROSS JOIN users ON users.number = t.number AND NOT t.is_removed
            CROSS JOIN temp.staged_users s ON s.id = users.id WHERE \(differs) LIMIT ?
            """, [transition.value, (maximum + 1).value])
        if moved > 0 { try forget(connection) }
    }

    /// A transition's moves are forgotten together.
    private static func forget(_ connection: Connection) throws {
        let last = try connection.first(
            "SELECT transition FROM moves ORDER BY transition DESC LIMIT 1 OFFSET ?", [maximum.value]
        ) { try $0.int(0) }
        guard let last else { return }
        try connection.run("DELETE FROM moves WHERE transition <= ?", [last.value])
        try connection.run("UPDATE cache SET moves_known_after = ?", [last.value])
    }

    /// Whether all is known that a list needs which began at that transition.
    static func areKnown(since transition: Int, _ connection: Connection) throws -> Bool {
        try connection.first(
            "SELECT 1 FROM cache WHERE ? BETWEEN moves_known_after AND last_index", [transition.value]
        ) { _ in true } ?? false
    }

    static func exist(since transition: Int, _ connection: Connection) throws -> Bool {
        try connection.first("SELECT 1 FROM moves WHERE transition > ? LIMIT 1", [transition.value]) { _ in
            true
        } ?? false
    }

    /// Of users who are where they were when a list began: binds the transition of that time.
    static let hasStayed = """
        NOT EXISTS (SELECT 1 FROM moves WHERE moves.number = users.number AND transition > ?)
        """

    /// Of the move that took a user away from there: binds that transition twice.
    static let isFirst = """
        moves.transition > ? AND NOT EXISTS (
            SELECT 1 FROM moves AS earlier
            WHERE earlier.number = moves.number AND earlier.transition > ? AND earlier.transition < moves.transition
        )
        """
}
