import Cache
import Model
import SQLite
import TestSupport
import Testing

@Suite("Completion of users' keys")
struct UserKeysTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("c.db")
    }

    private func fill(_ users: [User]) async throws {
        let cache = try await openCache(path)
        try await cache.sync(users: users)
        await cache.close()
    }

    private func user(_ id: String, _ username: String?, _ email: String? = nil) -> User {
        User(id: id, name: .init(first: "A", last: "B")) {
            $0.username = username
            $0.email = email
        }
    }

    private func keys(_ prefix: String) throws -> [String] {
        try UserKeys.beginning(with: prefix, path: path)
    }

    @Test("Usernames and email addresses with the prefix are completed in any case, each once")
    func named() async throws {
        try await fill([
            user("1", "Annabel", "z@example.com"), user("2", "bob", "anna@example.com"),
            user("3", "ann_b", "ANNA@example.com"), user("4", nil, nil), user("5", "an", "x'an@example.com"),
        ])
        #expect(try keys("ANN") == ["ann_b", "Annabel", "anna@example.com"])
        #expect(try keys("ann_") == ["ann_b"])
        #expect(try keys("x'") == ["x'an@example.com"])
        #expect(try keys("%") == [])
    }

    @Test("Ids are completed if no username or address has the prefix")
    func ids() async throws {
        try await fill([user("fe12", "fee"), user("fa34", "bob"), user("FA56", "kim")])
        #expect(try keys("f") == ["fee"])
        #expect(try keys("fa") == ["fa34"])
    }

    @Test("Of many keys, only the first few and the last are returned")
    func many() async throws {
        try await fill((100..<400).map { user("\($0)", "u\($0)", "U\($0)@example.com") })
        let found = try keys("u")
        #expect(found.count == 50)
        #expect(found[..<2] == ["u100", "u101"])
        #expect(found.contains("u399"))
        #expect(found.last == "U399@example.com")
        #expect(try keys("u39").count == 20)
        #expect(try keys("").count == 50)
    }

    @Test("Keys are read from an index, however many users there are", arguments: ["", "u1", "12"])
    func plans(prefix: String) async throws {
        try await fill((0..<2000).map { user("\($0)", "u\($0)", "u\($0)@example.com") })
        let connection = try Connection(path: path, access: .readOnly)
        #expect(try !UserKeys.beginning(with: prefix, connection).isEmpty)
        let statements = try connection.rows(
            "SELECT sql, nstep, nsort FROM sqlite_stmt WHERE sql LIKE 'SELECT DISTINCT%'"
        ) { (sql: try $0.text(0), steps: try $0.int(1), sorts: try $0.int(2)) }
        #expect(statements.count >= 2)
        for statement in statements {
            let plan = try connection.rows("EXPLAIN QUERY PLAN " + statement.sql, [.null, .null]) {
                try $0.text(3)
            }
            #expect(plan.count == 1)
            #expect(plan.first?.hasPrefix("SEARCH users USING COVERING INDEX") == true)
            #expect(statement.steps < 1000)
            #expect(statement.sorts == 0)
        }
    }

    @Test("Without a cache, completion fails and creates none")
    func absent() {
        for _ in 0..<2 { #expect(throws: SQLiteError.self) { try keys("a") } }
    }
}
