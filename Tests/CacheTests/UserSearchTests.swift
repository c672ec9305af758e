import Cache
import Model
import Testing

@Suite("Searches for users")
struct UserSearchTests {
    private let people: [User] = {
        var ada = user("ada", "Ada", "King", email: "ada@example.com")
        ada.displayName = "Countess of Lovelace"
        ada.emails = [
            .init(value: "ada@example.com", kind: "work"), .init(value: "poetical@science.example"),
        ]
        ada.phone = "+49 (0)30 1234-567"
        ada.cell = "0176.555/0142"
        ada.jobTitle = "Analyst"
        ada.office = "Tower 9/2207"
        ada.department = "Engines & Mills"
        ada.address = .init {
            ($0.street, $0.state, $0.postcode) = ("12 St James’s Square", "Middlesex", "SW1Y 4JH")
        }
        var olha = user("olha", "Ольга", "Гук")
        olha.phones = [.init(value: "(067) 518-4060"), .init(value: "۰۲۱ ۸۸۷۶ ۵۴۳۲", kind: "mobile")]
        olha.department = "Відділ кадрів"
        olha.address.postcode = "10115"
        var jo = user("jo", "Jo", "Doe")
        jo.address.street = "Main Street 55501"
        return [ada, olha, jo]
    }()

    private func found(_ search: String) async throws -> [String] {
        let cache = try await openCache()
        try await cache.sync(users: people)
        return try await cache.ids(UserQuery(search: search)).sorted()
    }

    @Test(
        "Words are found in address, department, job title, office, display name and all email addresses",
        arguments: [
            ("square", "ada"), ("middle", "ada"), ("sw1y", "ada"), ("4jh st", "ada"), ("10115", "olha"),
            ("engines", "ada"), ("analyst king", "ada"), ("tower 2207", "ada"), ("countess", "ada"),
            ("poetical", "ada"),
            ("@science.example", "ada"), ("poetical@science", "ada"), ("відділ", "olha"), ("КАДР", "olha"),
            ("main", "jo"),
        ])
    func words(search: String, id: String) async throws {
        #expect(try await found(search) == [id])
    }

    @Test(
        "Pasted and half addresses find their people, a half one by name only if no address is like that",
        arguments: [
            ("mailto:ada@example.com", ["ada"]), ("MAILTO:Ada@Example.com?subject=Hi%20there", ["ada"]),
            ("<mailto:poetical@science.example>", ["ada"]), ("mailto:ada", ["ada"]),
            ("@ada", ["ada"]), ("@ada.king", ["ada"]), ("king@", ["ada"]), ("lovelace@", ["ada"]),
            ("@countess", ["ada"]), ("@science", ["ada"]), ("jo@", ["jo"]), ("@jo", ["jo"]),
            // These are parts of addresses, so they find nobody else.
            ("poetical@", ["ada"]), ("@example", ["ada", "example"]), ("example@", ["example"]),
            // Whole addresses that nobody has.
            ("ada@other.example", []), ("king@example.com", []), ("mailto:", []), ("@nobody", []),
        ])
    func addresses(search: String, ids: [String]) async throws {
        let cache = try await openCache()
        let example = user("example", "Exa", "Mple", email: "example@example.com")
        let named = user("named", "Example", "Poetical")
        try await cache.sync(users: people + [example, named])
        #expect(try await cache.ids(UserQuery(search: search)).sorted() == ids)
    }

    @Test(
        "A telephone number is found by some of its digits in a row, in any notation",
        arguments: [
            ("1234", ["ada"]), ("1234567", ["ada"]), ("1234-567", ["ada"]), ("30.1234/567", ["ada"]),
            ("+49(0)301234567", ["ada"]), ("+49 (0)30 1234-567", ["ada"]), ("30 123 45", ["ada"]),
            ("01765550142", ["ada"]), ("0176 5550142 king", ["ada"]), ("king 1234", ["ada"]),
            ("1234567 5550142", ["ada"]), ("0675184060", ["olha"]), ("(067) 518-4060", ["olha"]),
            ("02188765432", ["olha"]), ("۸۸۷۶", ["olha"]), ("8876 10115", ["olha"]),
            // A word and a telephone number.
            ("5550", ["ada", "jo"]),
            // Too short, digits of two telephone numbers, or not part of any.
            ("234", []), ("12 3", []), ("5670176", []), ("99999", []), ("1234 518-4060", []),
        ])
    func telephones(search: String, ids: [String]) async throws {
        #expect(try await found(search) == ids)
    }

    @Test(
        "A quotation mark separates words, even before a combining character",
        arguments: ["ada\"king", "poetical\"\u{301}", "\"\u{301} sw1y-4jh\"\u{20E3} king"])
    func quotes(search: String) async throws {
        #expect(try await found(search) == ["ada"])
    }

    @Test("16 words are searched for, and 17 refused")
    func limit() async throws {
        let cache = try await openCache()
        try await cache.sync(users: people)
        let most = Array(repeating: "1234", count: 16).joined(separator: " ")
        #expect(try await cache.ids(UserQuery(search: most)) == ["ada"])
        #expect(
            try await cache.ids(UserQuery(search: Array(repeating: "a", count: 16).joined(separator: " ")))
                == ["ada"])
        await #expect(throws: CacheError.invalidParameter("search")) {
            try await cache.ids(UserQuery(search: most + " 1"))
        }
    }

    @Test("The total of a search is exact up to 10,000, and more than that beyond")
    func total() async throws {
        let cache = try await openCache()
        try await cache.sync(
            users: (0..<10_002).map { user("\($0)", $0 == 0 ? "Eve" : $0 == 1 ? "Bo" : "Ada") })
        let exact = try await cache.reader.users(UserQuery(search: "ada", limit: 1))
        #expect(exact.total == 10_000)
        let more = try await cache.reader.users(UserQuery(search: "lovelace", limit: 1))
        #expect(more.total > 10_000)
        // Without a search, all users are counted.
        #expect(try await cache.reader.users(UserQuery(limit: 1)).total == 10_002)
        #expect(try await cache.reader.users(UserQuery(search: "-", limit: 1)).total == 10_002)
        #expect(try await cache.allIDs(UserQuery(search: "lovelace")).count == 10_002)
    }

    @Test("Users of a department are listed, regardless of case")
    func department() async throws {
        let cache = try await openCache()
        try await cache.sync(users: people)
        #expect(try await cache.ids(UserQuery(department: "engines & MILLS")) == ["ada"])
        #expect(try await cache.ids(UserQuery(department: "ВІДДІЛ кадрів")) == ["olha"])
        #expect(try await cache.ids(UserQuery(department: "Engines")) == [])
        #expect(try await cache.ids(UserQuery(search: "king", department: "Відділ кадрів")) == [])
    }

    @Test("A cursor belongs to its department")
    func cursor() async throws {
        let cache = try await openCache()
        try await cache.sync(
            users: (0..<4).map { number in
                var person = user("\(number)")
                person.department = "A"
                return person
            })
        let next = try await cache.reader.users(UserQuery(department: "A", limit: 2)).next
        #expect(try await cache.ids(UserQuery(department: "A", cursor: next)).count == 2)
        for department in ["B", nil] {
            await #expect(throws: CacheError.self) {
                try await cache.ids(UserQuery(department: department, cursor: next))
            }
        }
    }

    @Test("The order by age uses birthdays, or else ages")
    func ages() async throws {
        let cache = try await openCache()
        func person(_ id: String, _ born: String?, _ age: Int?) -> User {
            var person = user(id)
            person.bornAt = born.flatMap { Timestamp(rfc3339: "\($0)T12:00:00Z") }
            person.age = age
            return person
        }
        try await cache.sync(users: [
            // The birthday counts, not an outdated age.
            person("1990", "1990-05-02", 12), person("1990-later", "1990-05-03", 40),
            person("before 1970", "1969-12-31", nil), person("1970", "1970-01-01", nil),
            person("about 2000", nil, 26), person("about 1980", nil, 46), person("unknown", nil, nil),
            person("absurd", nil, .max), person("unborn", nil, .min),
        ])
        let ordered = [
            "unborn", "about 2000", "1990-later", "1990", "about 1980", "1970", "before 1970", "absurd",
        ]
        #expect(try await cache.ids(UserQuery(order: .age)) == ordered + ["unknown"])
        #expect(
            try await cache.ids(UserQuery(order: .age, descending: true)) == ordered.reversed() + ["unknown"])
    }
}
