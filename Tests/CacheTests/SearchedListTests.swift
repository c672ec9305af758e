import Cache
import Model
import SQLite
import TestSupport
import Testing

@Suite("Query plans of searches")
struct SearchedListTests {
    let directory: TemporaryDirectory
    let path: String

    /// 11,000 of 12,000 users have a Z in their names, at the list's end. Five others have it in their
    /// streets. A quarter is in Ystad, every thousandth in Xanten.
    init() async throws {
        directory = try TemporaryDirectory()
        path = directory.file("c.db")
        let cache = try await openCache(path)
        try await cache.sync(
            users: (0..<12_000).map { number in
                var person = user("\(number)", "Ada", number < 1000 ? "Abel" : "Zabel")
                person.address.city = number % 1000 == 0 ? "Xanten" : number % 4 == 3 ? "Ystad" : nil
                person.address.street = 1..<6 ~= number ? "Zabelweg" : nil
                return person
            })
        await cache.close()
    }

    @Test(
        "All matches are listed once in the list's order, however many there are",
        arguments: ["ada", "zab", "abel", "ystad zabel", "xanten"], [false, true])
    func pages(search: String, descending: Bool) throws {
        let connection = try Connection(path: path, access: .readOnly)
        let wanted = try connection.rows(
            """
            SELECT record FROM users JOIN user_records USING (number) WHERE number IN (SELECT rowid FROM user_words WHERE user_words MATCH ?)
            ORDER BY name_key \(descending ? "DESC" : "ASC"), number \(descending ? "DESC" : "ASC")
            """, [FullText.prefixes(search.split(separator: " "))]
        ) { try $0.bytes(0) }
        var query = UserQuery(search: search, descending: descending, limit: 400)
        var read: [UInt8] = []
        repeat {
            let page = try query.page(connection)
            #expect(page.total == min(wanted.count, 10_001))
            if !read.isEmpty { read.append(UInt8(ascii: ",")) }
            read += page.records
            query.cursor = page.next
        } while query.cursor != nil
        #expect(read == Array(wanted.joined(separator: [UInt8(ascii: ",")])))
    }

    @Test("A page of a search with very many matches sorts nothing", arguments: ["ada", "zab"])
    func sorts(search: String) throws {
        let connection = try Connection(path: path, access: .readOnly)
        let page = try UserQuery(search: search, limit: 20).page(connection)
        #expect(page.count == 20)
        #expect(try UserQuery(search: search, limit: 20, cursor: page.next).page(connection).count == 20)
        #expect(try connection.firstInt("SELECT sum(nsort) FROM sqlite_stmt") == 0)
    }

    @Test("Few who are not found by their names are read alone, although very many are")
    func others() throws {
        let connection = try Connection(path: path, access: .readOnly)
        let page = try UserQuery(search: "zab", order: .match, descending: true, limit: 5).page(connection)
        #expect(try page.users.map(\.id) == ["5", "4", "3", "2", "1"])
        #expect(page.total == 10_001)
        let steps = "SELECT sum(nstep) FROM sqlite_stmt WHERE sql LIKE 'SELECT users.number %'"
        #expect(try #require(try connection.firstInt(steps)) < 20_000)
    }

    @Test("If nearly all users match, every page reads few users")
    func dense() throws {
        let connection = try Connection(path: path, access: .readOnly)
        let first = try UserQuery(search: "ada", limit: 20).page(connection)
        let steps = "SELECT sum(nstep) FROM sqlite_stmt WHERE sql LIKE '%FROM users%'"
        let before = try #require(try connection.firstInt(steps))
        #expect(before < 3000)
        _ = try UserQuery(search: "ada", limit: 20, cursor: first.next).page(connection)
        #expect(try #require(try connection.firstInt(steps)) < 2 * before + 1000)
    }

    @Test(
        "Matches that are close together are sorted, without reading the whole list",
        arguments: [false, true])
    func together(descending: Bool) async throws {
        let cache = try await openCache(path)
        let people = (0..<2000).map { user("z\($0)", "Zoe", "Zzyzx") }
        try await cache.sync(users: (0..<12_000).map { user("\($0)", "Ada", "Abel") } + people, number: 2)
        await cache.close()
        let connection = try Connection(path: path, access: .readOnly)
        let page = try UserQuery(search: "zoe", descending: descending, limit: 20).page(connection)
        #expect(page.count == 20)
        #expect(page.total == 2000)
        #expect(
            try connection.firstInt("SELECT sum(nstep) FROM sqlite_stmt WHERE sql LIKE '%AS place%'") ?? 0
                < 60_000)
    }

    @Test("Filters narrow a search with very many matches, and its total")
    func filtered() throws {
        let connection = try Connection(path: path, access: .readOnly)
        for gender in ["male", nil] {
            let page = try UserQuery(search: "ada", gender: gender, limit: 20).page(connection)
            #expect(page.count == (gender == nil ? 20 : 0))
            #expect(page.total == (gender == nil ? 10_001 : 0))
        }
    }

    @Test("A list without a search takes its total from the state, without counting")
    func counts() throws {
        let connection = try Connection(path: path, access: .readOnly)
        #expect(try UserQuery(limit: 20).page(connection).total == 12_000)
        // This statement itself is counted, too.
        let counting = try connection.rows("SELECT sql FROM sqlite_stmt WHERE sql LIKE '%count(%'") {
            try $0.text(0)
        }
        #expect(counting.count == 1)
    }
}
