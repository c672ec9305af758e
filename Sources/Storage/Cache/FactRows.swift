import Model
import SQLite

/// Facts accumulate up to a limit; then the oldest are removed.
struct FactRows {
    static let columns = ["id", "text", "length", "record"]

    var maximum: Int

    static func values(_ fact: Fact) throws -> [Value] {
        [fact.id.value, fact.text.value, fact.length.value, try json(fact).value]
    }

    func commit(_ connection: Connection, _ decide: (RowChanges) throws -> Change) throws -> Change {
        let before = try Self.count(connection)
        let added =
            try connection.firstInt(
                "SELECT count(*) FROM temp.staged_facts WHERE id NOT IN (SELECT id FROM facts)") ?? 0
        let after = min(before + added, maximum)
        let change = try decide(
            RowChanges(added: added, removed: before + added - after, before: before, after: after))
        try insert("SELECT id, text, length, record FROM temp.staged_facts ORDER BY rowid", [], connection)
        return change
    }

    func add(_ fact: Fact, _ connection: Connection) throws -> (fact: Fact, count: Int) {
        try insert("VALUES (?, ?, ?, ?)", Self.values(fact), connection)
        let count = try Self.count(connection)
        try connection.run(
            "UPDATE resources SET state = json_set(state, '$.count', ?) WHERE resource = 'facts'",
            [count.value])
        let record = try connection.first("SELECT record FROM facts WHERE id = ?", [fact.id.value]) {
            try $0.text(0)
        }
        return (record.flatMap { try? decoded(Fact.self, from: $0) } ?? fact, count)
    }

    static func any(
        maximumLength: Int?, choosing random: (Range<Int>) -> Int, _ connection: Connection
    ) throws -> [UInt8] {
        var filter = Filter()
        filter.add("length <= ?", maximumLength?.value)
        let count = try filter.count(in: "facts", connection)
        guard count > 0 else { throw CacheError.noFacts }
        let record = try connection.first(
            "SELECT record FROM facts \(filter.clause) ORDER BY length, number LIMIT 1 OFFSET ?",
            filter.bindings + [random(0..<count).value]
        ) { try $0.bytes(0) }
        guard let record else { throw CacheError.noFacts }
        return record
    }

    private func insert(_ source: String, _ bindings: [Value], _ connection: Connection) throws {
        let last = try Self.newest(connection)
        try connection.run("INSERT OR IGNORE INTO facts (id, text, length, record) \(source)", bindings)
        let excess = try Self.count(connection) - maximum
        if excess > 0 {
            let oldest = "SELECT number FROM facts ORDER BY number LIMIT ?"
            // Before words are added: FTS5 of SQLite 3.40 first writes added words, and ignores a failure of
            // that.
            try connection.run(
                """
                INSERT INTO fact_words (fact_words, rowid, text)
                SELECT 'delete', number, text FROM facts WHERE number IN (\(oldest)) AND number <= ?
                """, [excess.value, last.value])
            try Pages.forget(recordsIn: oldest, [excess.value], of: .facts, connection)
            try connection.run("DELETE FROM facts WHERE number IN (\(oldest))", [excess.value])
        }
        try connection.run(
            "INSERT INTO fact_words (rowid, text) SELECT number, text FROM facts WHERE number > ?",
            [last.value])
    }

    private static func count(_ connection: Connection) throws -> Int {
        try connection.firstInt("SELECT count(*) FROM facts") ?? 0
    }

    static func newest(_ connection: Connection) throws -> Int {
        try connection.firstInt("SELECT ifnull(max(number), 0) FROM facts") ?? 0
    }
}
