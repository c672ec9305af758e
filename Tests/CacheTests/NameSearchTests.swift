import Cache
import Model
import Testing

@Suite("People by the beginnings of their names")
struct NameSearchTests {
    private static let people = [
        user("keller", "Anna", "Keller"), user("maria", "Maria Anna", "Keller"), user("ann", "Ann", "Li"),
        user("annis", "Peter", "Annis"),
        user("display", "Joanna", "Sophia") { $0.displayName = "Annie (Sales)" },
        user("login", "Zoe", "Winter") { $0.username = "anno7" },
        user("double", "Eva", "Schmidt-Annel"), user("müller", "Jürgen", "Müller"),
        user("yamada", "太郎", "山田"), user("suzuki", "イチロー", "スズキ"), user("kim", "민준", "김"),
        user("berg", "Bert", "van den Berg"),
        user("dept", "Bob", "Smith") { ($0.department, $0.jobTitle) = ("Announcements", "Annotator") },
        user("other", "Carl", "Jones") { ($0.company, $0.email) = ("Annex", "annex@annex.test") },
        user("number", "Dora", "Evans") { $0.employeeNumber = "ANN1" },
        user("team", "", "Ann team") { $0.kind = .group },
    ]

    private static func user(
        _ id: String, _ first: String, _ last: String, _ fill: (inout User) -> Void = { _ in }
    ) -> User {
        User(id: id, name: User.Name(first: first, last: last)) {
            $0.username = "login-\(id)"
            fill(&$0)
        }
    }

    private static let ample = Duration.seconds(60)

    private func found(_ text: String, limit: Int = 20, among users: [User] = people) async throws -> [String]
    {
        let cache = try await openCache()
        try await cache.sync(users: users)
        return try await cache.reader.people(named: text, limit: limit, within: Self.ample).map(\.id)
    }

    @Test(
        "Who is called so comes before those with other parts of names, and shorter names first",
        arguments: [
            ("ann", ["ann", "login", "annis", "keller", "display", "maria", "double"]),
            ("ANNA", ["keller", "maria"]), ("anna keller", ["keller", "maria"]),
            ("Keller, Anna", ["keller", "maria"]), ("kel", ["keller", "maria"]),
            ("anno7", ["login"]), ("login-ber", ["berg"]), ("vandenberg", ["berg"]), ("den berg", ["berg"]),
            ("mueller", ["müller"]), ("muell", ["müller"]), ("MÜL jür", ["müller"]),
            ("announcements", []), ("annex", []), ("annex@annex.test", []), ("ann1", []), ("kelle rr", []),
            ("smiht", []),
        ] as [(String, [String])])
    func order(text: String, ids: [String]) async throws {
        #expect(try await found(text) == ids)
    }

    @Test(
        "One letter of Han, kana or Hangul is enough",
        arguments: [
            ("山", ["yamada"]), ("山田", ["yamada"]), ("山田太", ["yamada"]), ("太郎", ["yamada"]),
            ("ス", ["suzuki"]), ("ｽｽﾞ", ["suzuki"]), ("김", ["kim"]), ("김민준", ["kim"]), ("田", []),
        ] as [(String, [String])])
    func eastAsian(text: String, ids: [String]) async throws {
        #expect(CacheReader.isSearchable(text))
        #expect(try await found(text) == ids)
    }

    @Test(
        "Fewer than three letters, and more than a search may have, find nobody",
        arguments: [
            "", " ", "a", "an", "a n", "a.n", "--- !", "\0", "\"\"\"\"", "***", "\u{202E}an",
            String(repeating: "a", count: 10_000), String(repeating: "ann ", count: 17),
        ])
    func notSearched(text: String) async throws {
        #expect(!CacheReader.isSearchable(text))
        #expect(try await found(text) == [])
    }

    @Test(
        "What is special to SQLite is a text like any other",
        arguments: [
            "\"ann\"*", "ann*", "ann\0", "(ann)", "ann' --", "^ann", "##ann", "\u{202E}ann\u{202C}", "-ann",
        ])
    func hostile(text: String) async throws {
        #expect(try await found(text).first == "ann")
    }

    @Test(
        "A query in the index's language is no query",
        arguments: ["ann OR bob", "ann NOT keller", "NEAR(ann)"])
    func noQuery(text: String) async throws {
        #expect(try await found(text) == [])
    }

    @Test("Without time, nobody is found")
    func noTime() async throws {
        let cache = try await openCache()
        try await cache.sync(users: Self.people)
        #expect(try await cache.reader.people(named: "ann", limit: 5, within: .zero) == [])
        #expect(try await cache.reader.people(named: "ann", limit: 0, within: Self.ample) == [])
    }

    @Test("A statement that takes longer is stopped")
    func stopped() async throws {
        let cache = try await openCache()
        try await cache.sync(users: (0..<5000).map { Self.user("\($0)", "Anna", "Name\($0)") })
        #expect(try await cache.reader.people(named: "ann", limit: 5, within: .nanoseconds(1)) == [])
        #expect(try await cache.reader.people(named: "ann", limit: 5, within: Self.ample).count == 5)
    }

    @Test("Of 5,000 people, the right five, although 500 work in a department that begins so")
    func many() async throws {
        let users = (0..<5000).map { number in
            Self.user("\(number)", "Given\(number)", "Family\(number)") {
                if number % 10 == 0 { $0.department = "Annuities" }
            }
        }
        let ids = try await found("ann", limit: 5, among: users + Self.people)
        #expect(ids == ["ann", "login", "annis", "keller", "display"])
        #expect(try await found("annui", among: users) == [])
    }
}
