import Dispatch
import Foundation
import SQLite
import Synchronization
import TestSupport
import Testing

@Suite("Migrations")
struct MigratorTests {
    let directory: TemporaryDirectory
    let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("c.db")
    }

    private static let first: Migration = (name: "first", sql: "CREATE TABLE a (x); CREATE TABLE b (x);")
    private static let second: Migration = (name: "second", sql: "ALTER TABLE a ADD COLUMN y;")

    private func migrator(_ migrations: Migration..., id: Int32 = 77) -> Migrator {
        Migrator(applicationID: id, migrations: migrations)
    }

    private func open(_ access: Connection.Access = .readWriteCreate) throws -> Connection {
        try Connection(path: path, access: access)
    }

    private func recorded(_ connection: Connection) throws -> [[String]] {
        try connection.rows("SELECT version, name, applied_at FROM migrations ORDER BY version") {
            [String(try $0.int(0)), try $0.text(1), try $0.text(2)]
        }
    }

    @Test(
        "A new database gets all migrations, an old one the missing ones, a current one none; each adds a row"
    )
    func migrates() throws {
        let connection = try open()
        try migrator(Self.first).migrate(connection, now: "then")
        #expect(try recorded(connection) == [["1", "first", "then"]])
        for _ in 1...2 {
            try migrator(Self.first, Self.second).migrate(connection, now: "now")
            #expect(try recorded(connection) == [["1", "first", "then"], ["2", "second", "now"]])
        }
        #expect(try connection.value("PRAGMA user_version") == .integer(2))
        #expect(try connection.value("PRAGMA application_id") == .integer(77))
        #expect(try connection.value("PRAGMA journal_mode") == .text("wal"))
        _ = try connection.ints("SELECT y FROM a")
        try migrator(Self.first, Self.second).check(connection)
    }

    @Test("A migration reports its beginning, and repeatedly its progress")
    func progress() throws {
        let connection = try open()
        let long: Migration = (
            name: "long",
            sql: """
            CREATE TABLE c AS WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 1000000)
            SELECT max(x) FROM n;
            """
        )
        var told: [Int] = []
        try migrator(Self.first, long).migrate(connection, now: "") { told.append($0) }
        #expect(told.filter { $0 == 1 }.count == 1)
        #expect(told.filter { $0 == 2 }.count > 5)
        #expect(told == told.sorted())
        // Nothing is reported afterwards.
        let count = told.count
        try connection.execute(long.sql.replacing("TABLE c", with: "TABLE d"))
        #expect(told.count == count)
    }

    @Test("A migration that fails half-way leaves the database unchanged")
    func halfWay() throws {
        let connection = try open()
        try migrator(Self.first).migrate(connection, now: "")
        let broken: Migration = (name: "broken", sql: "CREATE TABLE c (x); CREATE TABLE a (x);")
        let error = #expect(throws: MigrationError.self) {
            try migrator(Self.first, Self.second, broken).migrate(connection, now: "")
        }
        guard case .failed(found: 1, known: 3, let reason) = try #require(error) else {
            throw try #require(error)
        }
        #expect(reason.message == "table a already exists")
        #expect(try connection.value("PRAGMA user_version") == .integer(1))
        #expect(try recorded(connection).count == 1)
        #expect(try connection.value("SELECT count(*) FROM sqlite_schema WHERE name = 'c'") == .integer(0))
        try migrator(Self.first, Self.second).migrate(connection, now: "")
        #expect(try recorded(connection).count == 2)
    }

    @Test("A first migration that fails leaves a database without an owner")
    func firstFails() throws {
        let connection = try open()
        let broken: Migration = (name: "broken", sql: "CREATE TABLE a (x); rubbish")
        #expect(throws: MigrationError.self) { try migrator(broken).migrate(connection, now: "") }
        try migrator(Self.first).migrate(connection, now: "")
        #expect(try recorded(connection).count == 1)
    }

    @Test(
        "Another program's file, a newer one, and for readers an older one are refused and left unchanged",
        arguments: [false, true])
    func refused(hasLog: Bool) throws {
        let log = hasLog ? "PRAGMA journal_mode = WAL;" : ""
        for (name, script, migrated, checked) in [
            ("foreign", "PRAGMA application_id = 5;", .foreign(applicationID: 5), .foreign(applicationID: 5)),
            ("anonymous", "", .foreign(applicationID: 0), .foreign(applicationID: 0)),
            (
                "newer", "PRAGMA application_id = 77; PRAGMA user_version = 2;", .newer(found: 2, known: 1),
                .newer(found: 2, known: 1)
            ),
            ("older", "PRAGMA application_id = 77;", nil, .older(found: 0, known: 1)),
        ] as [(String, String, MigrationError?, MigrationError)] {
            let path = directory.file(name)
            let made = try Connection(path: path, access: .readWriteCreate)
            try made.execute("\(log) CREATE TABLE theirs (x); \(script)")
            made.close()
            let before = try bytes(of: path)
            let connection = try Connection(path: path, access: .readWrite)
            #expect(throws: checked) { try migrator(Self.first).check(connection) }
            if let migrated {
                #expect(throws: migrated) { try migrator(Self.first).migrate(connection, now: "") }
            }
            connection.close()
            #expect(try bytes(of: path) == before, "\(name)")
        }
        #expect(try files(in: directory.path) == ["foreign", "anonymous", "newer", "older"])
    }

    @Test("An empty database is older than any schema")
    func empty() throws {
        let connection = try open()
        #expect(throws: MigrationError.older(found: 0, known: 1)) {
            try migrator(Self.first).check(connection)
        }
    }

    @Test("Connections that migrate at the same time apply each migration once, and all succeed")
    func concurrent() throws {
        for round in 0..<5 {
            let path = directory.file("c\(round).db")
            let problems = Mutex<[String]>([])
            DispatchQueue.concurrentPerform(iterations: 4) { _ in
                do {
                    let connection = try Connection(path: path, access: .readWriteCreate)
                    try migrator(Self.first, Self.second).migrate(connection, now: "")
                    try migrator(Self.first, Self.second).check(connection)
                } catch {
                    problems.withLock { $0.append("\(error)") }
                }
            }
            #expect(problems.withLock { $0 } == [])
            #expect(try recorded(Connection(path: path, access: .readOnly)).count == 2)
        }
    }
}
