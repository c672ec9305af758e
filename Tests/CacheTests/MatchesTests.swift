import Cache
import SQLite
import TestSupport
import Testing

@Suite("Who matches a search")
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

    @Test("Numbers are read as far as they are needed")
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

    @Test("A user far ahead is tested, until as much is spent on tests as those before it cost")
    func tests() throws {
        var tested = 0
        try matches { matches in
            matches.test = { number in
                tested += 1
                return number % 4 == 0
            }
            try matches.read(100)
            // So near that its predecessors cost less.
            #expect(try matches.contains(420))
            #expect(tested == 0)
            for number in 7000...7100 { #expect(try matches.contains(number) == (number % 4 == 0)) }
            #expect((30...60).contains(tested))
            #expect((1700...1800).contains(matches.count))
        }
    }

    @Test("Those that lie together cost less to sort")
    func cost() throws {
        var costs: [Int] = []
        for factor in [1, 100] {
            try connection.stepping("SELECT number * ? FROM numbers LIMIT 500", [factor.value]) { next in
                var matches = Matches(upTo: .max, next: next)
                try matches.read(1000)
                costs.append(matches.costToSort)
            }
        }
        #expect(costs[0] * 3 / 2 < costs[1])
    }

    @Test("What is no user's number matches nobody")
    func others() throws {
        try matches(upTo: 100) { (matches: inout Matches) throws in
            #expect(try matches.contains(100))
            #expect(try !matches.contains(104))
        }
    }
}

@Suite("Sets of row numbers")
struct NumberSetTests {
    @Test("Numbers may come in any order, and twice, as a damaged index gives them")
    func order() {
        var set = NumberSet()
        let numbers = [700, 64, 1, 63, 64, 9000]
        for number in numbers { set.insert(number) }
        #expect((-1...10_000).filter { set.contains($0) } == [1, 63, 64, 700, 9000])
    }

    @Test("Groups are of eight neighbours")
    func groups() {
        var set = NumberSet()
        #expect(set.groups == 0)
        for number in 8...15 { set.insert(number) }
        #expect(set.groups == 1)
        for number in [16, 63, 64, 700] { set.insert(number) }
        #expect(set.groups == 5)
    }
}

@Suite("What FTS5 is asked for")
struct IndexedWordsTests {
    @Test(
        "A prefix of few words is replaced by these: all rows of a prefix are merged before the first is read",
        arguments: [
            (["love"], #"("lovelace" OR "loveless")"#), (["LOVELÁ"], #"("lovelace")"#), (["lo"], #""lo"*"#),
            (["ada", "loveless"], #"("ada") AND ("loveless")"#), (["wor"], #""wor"*"#),
            (["nobody"], #""nobody"*"#),
            (["o'neill", "ada"], #""o'neill"* AND ("ada")"#), (["-", "ada"], #"("ada")"#), (["-"], #""-"*"#),
        ])
    func expressions(words: [String], expression: String) async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("c.db")
        let cache = try await openCache(path)
        try await cache.sync(
            users: [
                user("1"), user("2", "Word", "Loveless"), user("3", "Worda", "Wordb"),
                user("4", "Wordc", "Wordd"),
            ])
        await cache.close()
        let connection = try Connection(path: path, access: .readOnly)
        for _ in 0..<2 {
            #expect(try IndexedWords.expression(words.map { $0[...] }, connection) == .text(expression))
        }
    }
}
