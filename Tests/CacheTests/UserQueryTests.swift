import Cache
import Model
import Testing

@Suite("Lists of users")
struct UserQueryTests {
    @Test("Names are sorted by last, then first, ignoring case and accents")
    func names() async throws {
        let cache = try await openCache()
        let names = [
            ("1", "Zoë", "Adams"), ("2", "adam", "ÁDAMS"), ("3", "Bo", "Østberg"), ("4", "Al", "Olsen"),
            ("5", "Al", "Ozu"), ("6", "Єва", "Ющенко"), ("7", "Анна", "Ющенко"), ("8", "علی", "احمدی"),
            ("9", "Li", "Li"), ("10", "Lia", "Lima"),
        ]
        try await cache.sync(users: names.map { user($0.0, $0.1, $0.2) })
        #expect(
            try await cache.ids(UserQuery()) == ["2", "1", "9", "10", "4", "3", "5", "7", "6", "8"])
    }

    @Test(
        "Letters added to a script later sort in the order of their alphabets",
        arguments: [
            [
                "Гайовий", "Ґалаґан", "Ґудзь", "Дзюба", "Еней", "Єфремов", "Иванов", "Іваненко", "Їжак",
                "Коваль",
                "Яременко",
            ],
            [
                "Дамјановић", "Ђорђевић", "Елез", "Јовановић", "Костић", "Лазић", "Љубић", "Мандић", "Његош",
                "Чолић", "Џајић",
            ],
            [
                "باقری", "پارسا", "تهرانی", "جعفری", "چمران", "حسینی", "زارعی", "ژیان", "کریمی", "گلستان",
                "لطفی", "یزدانی",
            ],
        ])
    func alphabets(names: [String]) async throws {
        let cache = try await openCache()
        let people = names.enumerated().map { user("\($0)", "A", $1) }
        try await cache.sync(users: people.reversed())
        #expect(try await cache.reader.users(UserQuery()).users.map(\.name.last) == names)
    }

    @Test(
        "Pages follow each other without repeating or skipping a user",
        arguments: UserOrder.allCases)
    func pages(order: UserOrder) async throws {
        let cache = try await openCache()
        try await cache.sync(users: crowd)
        for descending in [false, true] {
            let whole = try await cache.ids(UserQuery(order: order, descending: descending))
            #expect(Set(whole) == Set(crowd.map(\.id)))
            for limit in [1, 2, 3, 7, 40] {
                let paged = try await cache.allIDs(
                    UserQuery(order: order, descending: descending, limit: limit))
                #expect(paged == whole, "\(order), descending \(descending), \(limit) a page")
            }
        }
    }

    @Test("Users without the sort key come last in both directions")
    func missing() async throws {
        let cache = try await openCache()
        try await cache.sync(users: crowd)
        for descending in [false, true] {
            let ages = try await cache.reader.users(UserQuery(order: .age, descending: descending)).users.map(
                \.age)
            let known = ages.compactMap { $0 }
            #expect(ages.prefix(known.count).allSatisfy { $0 != nil })
            #expect(known == known.sorted { descending ? $0 > $1 : $0 < $1 })
        }
    }

    @Test("Users added or removed between two pages do not move other users")
    func changing() async throws {
        let cache = try await openCache()
        try await cache.sync(users: (1...9).map { user("\($0)", "A", "N\($0)") })
        let first = try await cache.reader.users(UserQuery(limit: 4))
        #expect(try first.users.map(\.id) == ["1", "2", "3", "4"])
        try await cache.sync(
            users: (3...9).map { user("\($0)", "A", "N\($0)") } + [user("0", "A", "N0")], number: 2)
        #expect(try await cache.allIDs(UserQuery(limit: 4, cursor: first.next)) == ["5", "6", "7", "8", "9"])
    }

    @Test(
        "Each word is found as the beginning of a word in name, username, address, city or country",
        arguments: [
            ("søren", ["1"]), ("SOREN", ["1"]), ("sor kier", ["1"]), ("kierke soren@", ["1"]),
            ("ko", ["1", "2"]),
            ("københavn", ["1"]), ("kobenhavn", ["1"]), ("ющ", ["2"]), ("юЩЕНКО Анна", ["2"]),
            ("soren anna", []),
            ("ierkegaard", []), ("@example.com", ["1", "2"]), ("example.com", []), ("\"", ["1", "2"]),
            ("- *", ["1", "2"]),
            ("soren\" OR \"anna", []), ("user1", ["1"]), ("украї", ["2"]),
        ])
    func search(words: String, expected: [String]) async throws {
        let cache = try await openCache()
        var soren = user("1", "Søren", "Kierkegaard", email: "soren@example.com")
        soren.address.city = "København"
        var anna = user("2", "Анна", "Ющенко", email: "anna.ko@example.com")
        anna.address.country = "Україна"
        try await cache.sync(users: [soren, anna])
        let page = try await cache.reader.users(UserQuery(search: words))
        #expect(try page.users.map(\.id) == expected)
        #expect(page.total == expected.count)
    }

    @Test("The search follows changes and removals")
    func searchAfterChange() async throws {
        let cache = try await openCache()
        try await cache.sync(users: [user("1", "Ada", "King"), user("2", "Eve", "Stone")])
        try await cache.sync(users: [user("1", "Ada", "Lovelace")], number: 2)
        #expect(try await cache.ids(UserQuery(search: "king")) == [])
        #expect(try await cache.ids(UserQuery(search: "love")) == ["1"])
        #expect(try await cache.ids(UserQuery(search: "stone")) == [])
    }

    @Test("Filters narrow the list and its total")
    func filters() async throws {
        let cache = try await openCache()
        try await cache.sync(users: crowd)
        let page = try await cache.reader.users(UserQuery(nationality: "dk", gender: "FEMALE", limit: 2))
        let expected = crowd.filter { $0.nationality == "DK" && $0.gender == "female" }
        #expect(page.total == expected.count)
        #expect(try page.users.allSatisfy { $0.nationality == "DK" && $0.gender == "female" })
        #expect(page.next != nil)
    }

    @Test("A gender cached in capitals is found")
    func gender() async throws {
        let cache = try await openCache()
        var capital = user("1")
        capital.gender = "Female"
        try await cache.sync(users: [capital])
        #expect(try await cache.ids(UserQuery(gender: "female")) == ["1"])
        #expect(try await cache.ids(UserQuery(gender: "FEMALE")) == ["1"])
        await cache.close()
    }

    @Test("A cursor of another query and an invalid cursor are refused")
    func foreignCursor() async throws {
        let cache = try await openCache()
        try await cache.sync(users: crowd)
        let next = try #require(try await cache.reader.users(UserQuery(limit: 3)).next)
        for query in [
            UserQuery(search: "a", cursor: next), UserQuery(order: .age, cursor: next),
            UserQuery(descending: true, cursor: next), UserQuery(gender: "male", cursor: next),
            UserQuery(cursor: "rubbish"), UserQuery(cursor: ""), UserQuery(cursor: "e30="),
        ] {
            await #expect(throws: CacheError.self) { try await cache.reader.users(query) }
        }
        #expect(try await cache.ids(UserQuery(limit: 5, cursor: next)).count == 5)
    }

    @Test(
        "A limit below 1 and a search that is too long are refused",
        arguments: [UserQuery(limit: 0), UserQuery(limit: -1)])
    func limits(query: UserQuery) async throws {
        let cache = try await openCache()
        await #expect(throws: CacheError.invalidParameter("limit")) { try await cache.reader.users(query) }
        let endless = UserQuery(search: String(repeating: "a", count: 1001))
        await #expect(throws: CacheError.invalidParameter("search")) { try await cache.reader.users(endless) }
    }

    @Test("A page ends before it becomes too large, and the next one continues")
    func bytes() async throws {
        let cache = try await openCache()
        let long = String(repeating: "é", count: 20_000)
        try await cache.sync(users: (100..<150).map { user("\($0)", long, "L\($0)") })
        let page = try await cache.reader.users(UserQuery())
        #expect(page.records.count < StoredPage.maximumBytes + 200_000)
        #expect(page.next != nil)
        #expect(try await cache.allIDs(UserQuery()).count == 50)
    }

    @Test("The answer says how fresh it is")
    func freshness() async throws {
        let cache = try await openCache()
        #expect(try await cache.reader.users(UserQuery()).freshness?.phase == .initial)
        try await cache.sync(users: crowd)
        let freshness = try #require(try await cache.reader.users(UserQuery()).freshness)
        #expect(freshness == Freshness(phase: .loaded, syncedAt: start, age: 0, stale: false))
    }

    private let crowd: [User] = (0..<40).map { number in
        var person = user("u\(number)", "F\(number % 7)", "L\(number % 5)")
        person.age = number % 4 == 0 ? nil : 20 + number % 6
        person.email = number % 5 == 0 ? nil : "p\(number % 9)@example.com"
        person.nationality = number % 3 == 0 ? nil : (number % 2 == 0 ? "DK" : "UA")
        person.gender = number % 2 == 0 ? "female" : "male"
        person.registeredAt = number % 6 == 0 ? nil : start + .seconds(number % 8)
        return person
    }
}
