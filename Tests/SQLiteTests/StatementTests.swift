import CSQLite
import SQLite
import Testing

@Suite("Statements")
struct StatementTests {
    private struct Stop: Error {}

    @Test("The same SQL is prepared once")
    func reused() throws {
        let connection = try memory()
        for number in 1...3 { #expect(try connection.ints("SELECT ?", [number.value]) == [number]) }
        #expect(try connection.prepared() == ["SELECT ?"])
    }

    @Test("Only a limited number of prepared statements is kept, the last used ones")
    func bounded() throws {
        let connection = try memory()
        for number in 1..<200 {
            _ = try connection.ints("SELECT \(number)")
            _ = try connection.ints("SELECT 0")
        }
        let prepared = try connection.prepared()
        #expect(prepared.count == 64)
        #expect(Set(prepared) == Set((137..<200).map { "SELECT \($0)" } + ["SELECT 0"]))
    }

    @Test("The same SQL can be used again while it runs")
    func reentrant() throws {
        let connection = try memory()
        let sql = "SELECT value FROM json_each(?)"
        var seen: [[Int]] = []
        try connection.forEach(sql, ["[1,2]".value]) { row in
            let outer = try row.int(0)
            try connection.forEach(sql, ["[3,4]".value]) { seen.append([outer, try $0.int(0)]) }
        }
        #expect(seen == [[1, 3], [1, 4], [2, 3], [2, 4]])
    }

    @Test("A statement whose rows were not all read starts again")
    func reset() throws {
        let connection = try memory()
        let sql = "VALUES (1), (2), (3)"
        #expect(throws: Stop.self) { try connection.forEach(sql) { _ in throw Stop() } }
        #expect(try connection.first(sql) { try $0.int(0) } == 1)
        #expect(try connection.ints(sql) == [1, 2, 3])
        #expect(try connection.value("SELECT count(*) FROM sqlite_stmt WHERE busy") == .integer(1))
    }

    @Test("A statement's bound values are dropped after its use")
    func cleared() throws {
        let connection = try memory()
        let sql = "SELECT ?"
        #expect(throws: Stop.self) {
            try connection.forEach(sql, [String(repeating: "x", count: 1_000_000).value]) { _ in throw Stop()
            }
        }
        let memory = try connection.value("SELECT mem FROM sqlite_stmt WHERE sql = ?", [sql.value])
        guard case .integer(let bytes) = memory else { throw Stop() }
        #expect(bytes < 1_000_000)
    }

    @Test("A connection that is closed while a statement runs ends it")
    func closedMeanwhile() throws {
        let connection = try memory()
        var count = 0
        #expect(throws: SQLiteError.self) {
            try connection.forEach("VALUES (1), (2)") { _ in
                count += 1
                connection.close()
                _ = try connection.ints("SELECT 1")
            }
        }
        #expect(count == 1)
    }

    @Test(
        "Anything except one whole statement is refused",
        arguments: ["", " ", "-- nothing", "SELECT 1; SELECT 2", "SELECT 1; é", "SELECT 1;\0SELECT 2", ";"])
    func notOne(sql: String) throws {
        let connection = try memory()
        #expect(error { try connection.run(sql) }?.sql == sql)
        #expect(try connection.prepared() == [])
    }

    @Test("One statement may end in a semicolon and white space")
    func semicolon() throws {
        #expect(try memory().ints("SELECT 1; \n") == [1])
    }

    @Test("Too few and too many values are refused", arguments: [0, 1, 3])
    func bindings(count: Int) throws {
        let connection = try memory()
        let error = error {
            try connection.run("SELECT ?, ?", Array(repeating: "secret".value, count: count))
        }
        #expect(error?.code == SQLITE_RANGE)
        #expect(error.map { "\($0)".contains("secret") } == false)
    }

    @Test("A statement returns how many rows it has changed")
    func changes() throws {
        let connection = try memory()
        try connection.execute("CREATE TABLE t (x UNIQUE)")
        #expect(try connection.run("INSERT INTO t VALUES (1), (2), (3)") == 3)
        #expect(try connection.run("INSERT OR IGNORE INTO t VALUES (1)") == 0)
        #expect(try connection.run("UPDATE t SET x = x + 10 WHERE x > ?", [1.value]) == 2)
        #expect(try connection.run("DELETE FROM t") == 3)
    }

    @Test("An error has the extended code, the reason and the SQL, but no bound values")
    func errors() throws {
        let connection = try memory()
        try connection.execute(
            "CREATE TABLE t (x UNIQUE, y NOT NULL, z INTEGER PRIMARY KEY CHECK (z > 0))")
        let insert = "INSERT INTO t VALUES (?, ?, ?)"
        try connection.run(insert, ["secret".value, 1.value, 1.value])
        for (values, code) in [
            (["secret".value, 1.value, 2.value], SQLITE_CONSTRAINT | (8 << 8)),
            (["a".value, .null, 2.value], SQLITE_CONSTRAINT | (5 << 8)),
            (["a".value, "secret".value, 1.value], SQLITE_CONSTRAINT | (6 << 8)),
            (["a".value, "secret".value, 0.value], SQLITE_CONSTRAINT | (1 << 8)),
        ] as [([Value], Int32)] {
            let error = try #require(error { try connection.run(insert, values) })
            #expect(error.code == code)
            #expect(error.primaryCode == SQLITE_CONSTRAINT)
            #expect(error.sql == insert)
            #expect("\(error)".contains(insert) && !"\(error)".contains("secret"))
        }
        #expect(error { try connection.run("SELECT missing") }?.message == "no such column: missing")
        #expect(error { try connection.execute("SELEC") }?.sql == "SELEC")
    }

    @Test("An error without a reason from SQLite is described by its code")
    func description() {
        #expect("\(SQLiteError(code: SQLITE_BUSY, message: ""))" == "SQLite error 5 (database is locked)")
        #expect(
            "\(SQLiteError(code: SQLITE_FULL, message: "why", sql: "COMMIT"))"
                == "SQLite error 13 (database or disk is full: why) in: COMMIT")
    }
}
