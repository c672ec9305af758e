import Foundation
import Model
import SQLite

/// The contents of a cache, read by a plain connection after checks of the file's structure.
struct CacheFindings {
    /// Names by id.
    var users: [String: String] = [:]
    var facts: [String] = []
    var history: [State] = []
    var states: [State] = []
    var lastIndex = 0
    /// The token of the users' changes, if it is a number.
    var token: Int?

    /// A file without a schema holds nothing.
    init(_ path: String) throws {
        guard FileManager.default.fileExists(atPath: path) else { return }
        let connection = try Connection(path: path, access: .readWrite)
        defer { connection.close() }
        let report = try connection.rows("PRAGMA integrity_check") { try $0.text(0) }
        guard report == ["ok"] else { throw Violation("integrity_check: \(report.prefix(3))") }
        func has(_ table: String) throws -> Bool {
            try connection.firstInt("SELECT 1 FROM sqlite_schema WHERE name = ?", [.text(table)]) != nil
        }
        guard try has("transitions") else { return }
        for table in ["user_words", "fact_words"] where try has(table) {
            try connection.run("INSERT INTO \(table) (\(table), rank) VALUES ('integrity-check', 1)")
        }
        let records = try has("user_records") ? "users JOIN user_records USING (number)" : "users"
        let rows = try connection.rows("SELECT id, record ->> '$.name.last' FROM \(records)") {
            (try $0.text(0), try $0.text(1))
        }
        users = Dictionary(uniqueKeysWithValues: rows)
        facts = try connection.rows("SELECT id FROM facts ORDER BY id") { try $0.text(0) }
        history = try connection.rows("SELECT state FROM transitions ORDER BY number") {
            try decoded(State.self, from: try $0.bytes(0))
        }
        states = try connection.rows("SELECT state FROM resources") {
            try decoded(State.self, from: try $0.bytes(0))
        }
        let hasChanges = try connection.firstInt(
            "SELECT 1 FROM pragma_table_info('resources') WHERE name = 'changes'")
        if hasChanges != nil {
            token = try connection.firstInt(
                """
                SELECT CAST(changes ->> '$.token' AS INTEGER) FROM resources
                WHERE resource = 'users' AND changes ->> '$.token' IS NOT NULL
                """)
        }
        lastIndex = try connection.firstInt("SELECT last_index FROM cache") ?? 0
    }

    /// - Parameters:
    ///   - told: all published transitions, from the first.
    ///   - maximum: number of transitions that the history keeps.
    func check(told: [State], maximum: Int) throws {
        let last = max(lastIndex, 0)
        let kept = Array(max(1, last - maximum + 1)..<last + 1)
        guard history.map(\.index) == kept else {
            throw Violation("the history is \(history.map(\.index)), up to \(last)")
        }
        guard last >= told.count else {
            throw Violation("#\(told.count) was published and is lost: \(last) is the last")
        }
        for state in history where state.index <= told.count && state != told[state.index - 1] {
            throw Violation("#\(state.index) is \(state), but published was \(told[state.index - 1])")
        }
        for state in states {
            let count = state.resource == .users ? users.count : facts.count
            guard state.count == count else { throw Violation("\(count) rows in \(state)") }
        }
    }
}
