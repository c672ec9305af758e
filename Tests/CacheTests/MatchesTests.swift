import Cache
import SQLite
import TestSupport
import Testing

@Suite("Matches of a search")
struct MatchesTests {
    let connection: Connection

    /// Every fourth number up to 8,000.
    init() throws {
        connection = try Connection(path: ":memory:", access: .readWriteCreate)
        try connection.execute(
            """
            CREATE TABLE numbers (number INTEGER PRIMARY KEY);
            WITH RECURSIVE n (i) AS (SELECT 4 UNION ALL SELECT i + 4 FROM n WHERE i < 8000) INSERT INTO numbers SELECT i FROM n
            """)
    }

    private func matches(upTo newest: Int = 10_000, _ body: (inout Matches) throws -> Void) throws {
        try connection.stepping("SELECT number FROM numbers ORDER BY number") { next in
            var matches = Matches(upTo: newest, next: next)
            try body(&matches)
        }
    }

    @Test("Matches are read only as far as needed")
    func lazily() throws {
        try matches { matches in
            try matches.read(100)
            #expect(matches.count == 100)
            #expect(try matches.contains(400))
            #expect(try matches.contains(399) == false)
            #expect(matches.count == 100)
            #expect(try matches.contains(480))
            #expect(try matches.contains(481) == false)
            #expect((120...122).contains(matches.count) && !matches.isComplete)
            #expect(try matches.contains(9000) == false)
            #expect(matches.count == 2000 && matches.isComplete)
        }
    }

    @Test("A number that belongs to no user finds nobody")
    func others() throws {
        try matches(upTo: 100) { (matches: inout Matches) throws in
            #expect(try matches.contains(100))
            #expect(try !matches.contains(104))
        }
    }
}
