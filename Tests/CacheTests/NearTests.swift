import Cache
import Model
import Testing

@Suite("What is near")
struct NearTests {
    private static let given = """
        Anna Anja Hannah Ada Ben Bence Carla Carlos Catarina Christian Christina Daniel Dora Elena Emil Eva Filip Franziska Georg \
        Håkon Hans Ida Ingrid Jan Johann Jonas Julia Jürgen Katrin Kristoffer Lars Laura Lea Lukas Manuel Maria Markus Michael \
        Mia Nils Nora Olga Oskar Otto Paula Peter Petra Pia Ralf Sarah Sascha Simon Sofia Sonja Stefan Susanne Tim Tobias Ute \
        Viktor Vera Xaver Yvonne Zoe Åsa Łukasz José
        """.split(separator: " ")
    private static let family = """
        Meyer Maier Meier Bauer Baumann Becker Dietrich Eriksson Fischer Fuchs García Gonzales Graf Groß Haas Hofmann Huber Jansen \
        Jensen Kaiser Keller Klein Koch Kowalski König Krause Kühn Köhler Lehmann Lindström Lorenz Möller Moser Müller Nowak \
        Olsen Pfeiffer Quist Richter Roth Schäfer Schmidt Schneider Scholz Schröder Schulz Schwarz Stein Ternes Vogel Wagner Weber \
        Weiß Werner Winter Wolf Ziegler Zimmermann Aagaard Åkesson Ørsted O'Brien Shevchenko Yildiz Nguyen Szabó Novák Larsen Berg
        """.split(separator: " ")
    /// 4,760 people, whose departments, titles and towns are words as well.
    private static let people = given.flatMap { given in
        family.map { family in
            User(id: "\(given) \(family)", name: .init(first: String(given), last: String(family))) {
                $0.department = family.count % 2 == 0 ? "Sales" : "Human Resources"
                $0.jobTitle = family == "Åkesson" ? "Manager" : "Engineer"
                $0.address.city = given.count % 2 == 0 ? "Bern" : "Mannheim"
                $0.address.country = family == "Graf" ? "Germany" : nil
                $0.company = family == "Wolf" ? "Northwind Traders" : "Example AG"
                $0.employeeNumber = "E-10\(family.count)\(given.count)-\(given == "Ada" ? "7" : "")\(family)"
                $0.manager = family == "Berg" ? .init(id: "Anna Meyer") : nil
            }
        }
    }

    private static func cache() async throws -> Cache {
        let cache = try await openCache()
        try await cache.sync(users: people)
        return cache
    }

    private func near(_ query: UserQuery, _ cache: Cache) async throws -> [Near] {
        var query = query
        query.near = true
        return try #require(try await cache.reader.users(query).near)
    }

    @Test("A name is near to its other spellings and to a slip, and to no other name")
    func pairs() async throws {
        let cache = try await Self.cache()
        let near = [
            ("mayer", "Meyer"), ("mayer", "Maier"), ("meyr", "Meyer"), ("maiar", "Maier"), ("meier", "Meyer"),
            ("mejer", "Maier"), ("schmitt", "Schmidt"), ("schmied", "Schmidt"), ("smith", "Schmidt"),
            ("kristian", "Christian"), ("katharina", "Catarina"), ("philipp", "Filip"), ("stephan", "Stefan"),
            ("christoffer", "Kristoffer"), ("mikael", "Michael"), ("sara", "Sarah"), ("hanna", "Hannah"),
            ("katryn", "Katrin"), ("yulia", "Julia"), ("sofie", "Sofia"), ("lukasch", "Lukas"),
            ("marcus", "Markus"),
            ("victor", "Viktor"), ("alf", "Ralf"), ("ana", "Anna"), ("eav", "Eva"), ("tmi", "Tim"),
            ("shultz", "Schulz"), ("gonzalez", "Gonzales"), ("ericson", "Eriksson"), ("kovalsky", "Kowalski"),
            ("lindstorm", "Lindström"), ("keler", "Keller"), ("wolff", "Wolf"), ("vagner", "Wagner"),
            ("zimmerman", "Zimmermann"), ("pfeifer", "Pfeiffer"), ("ditrich", "Dietrich"),
            ("jensson", "Jensen"),
            ("muehler", "Müller"), ("schevchenko", "Shevchenko"), ("ggaard", "Aagaard"),
            ("hoffmann", "Hofmann"),
        ]
        let far = [
            ("mayer", "Huber"), ("mayer", "Åkesson"), ("schmitt", "Schneider"), ("kristian", "Jensen"),
            ("katharina", "Maria"), ("sara", "Laura"), ("ana", "Ida"), ("wolff", "Graf"), ("keler", "Becker"),
            ("sonia", "Simon"), ("baumer", "Baumann"), ("zimmerman", "Lehmann"), ("eav", "Lea"),
        ]
        for (typed, name) in near + far {
            let names = try await self.near(UserQuery(search: typed), cache).first?.values.map(\.value) ?? []
            let isNear = near.contains { $0 == (typed, name) }
            #expect(names.contains(name) == isNear, "\(typed): \(names)")
        }
    }

    @Test("Each name is there once, in the order of nearness, with how many have it")
    func counts() async throws {
        let cache = try await Self.cache()
        func values(_ query: UserQuery) async throws -> [Near.Value] {
            try await near(query, cache).first?.values ?? []
        }
        let each = Self.given.count
        let names = try await values(UserQuery(search: "mayer"))
        #expect(names.prefix(3).map(\.value) == ["Maier", "Meyer", "Meier"])
        #expect(names.prefix(3).allSatisfy { $0.count == each })
        #expect(
            Set(names.map(\.value)).count == names.count && !names.contains { $0.value.contains("kesson") })
        #expect(
            try await values(UserQuery(search: "anna mayer")).map(\.value).prefix(3).sorted()
                == ["Anna Maier", "Anna Meier", "Anna Meyer"])
        // Nobody is near with both words, so that each counts alone.
        #expect(try await values(UserQuery(search: "mayer quistt")).contains(.init("Quist", count: each)))
        let sold = UserQuery(search: "schmitt", department: "sales")
        #expect(try await values(sold) == [])
        #expect(
            try await values(UserQuery(search: "schmitt", department: "human resources"))
                .first == .init("Schmidt", count: each))
    }

    @Test(
        "Other words, with the same first letter, are near only if no name is, and their people have one line for each name"
    )
    func others() async throws {
        let cache = try await openCache()
        let people = ["1", "2", "3"].map { id in
            User(id: id, name: .init(first: "Eva", last: id == "3" ? "Moser" : "Roth")) {
                $0.jobTitle = "Manager"
                $0.office = "Bloomberg"
            }
        }
        try await cache.sync(users: people)
        let near = try await near(UserQuery(search: "blomberg"), cache)
        #expect(
            near == [
                Near(field: "search", values: [.init("Eva Moser", count: 1), .init("Eva Roth", count: 2)])
            ])
        #expect(
            try await self.near(UserQuery(search: "roht menager"), cache)[0].values == [
                .init("Eva Roth", count: 2)
            ])
        for search in ["mayer", "omberg", "xq", "abc" + String(repeating: "manager", count: 4)] {
            #expect(
                try await self.near(UserQuery(search: search), cache).flatMap(\.values) == [], "\(search)")
        }
    }

    @Test("The nearest values are told of a filter that nobody has, and of no other")
    func filters() async throws {
        let cache = try await Self.cache()
        let (even, each) = (Self.people.count { $0.department == "Sales" }, Self.given.count)
        for (query, expected) in [
            (
                UserQuery(department: "Sals"),
                [Near(field: "department", values: [.init("Sales", count: even)])]
            ),
            (
                UserQuery(department: "human resource"),
                [
                    Near(
                        field: "department",
                        values: [.init("Human Resources", count: Self.people.count - even)])
                ]
            ),
            (
                UserQuery { $0.title = "manger" },
                [Near(field: "title", values: [.init("Manager", count: each)])]
            ),
            (
                UserQuery { $0.company = "northwind" },
                [Near(field: "company", values: [.init("Northwind Traders", count: each)])]
            ),
            (
                UserQuery { $0.manager = "Ana Meyer" },
                [Near(field: "manager", values: [.init("Anna Meyer", count: each)])]
            ),
            (UserQuery { $0.manager = "Ute Graf" }, [Near(field: "manager", values: [])]),
            (UserQuery { $0.city = "Xyzzy" }, [Near(field: "city", values: [])]),
            (
                UserQuery { $0.country = "Germny" },
                [Near(field: "country", values: [.init("Germany", count: each)])]
            ),
            (
                UserQuery(search: "keler", department: "sales") { $0.city = "Brn" },
                [
                    Near(
                        field: "city",
                        values: [.init("Bern", count: Self.people.count { $0.address.city == "Bern" })])
                ]
            ),
            // Somebody has each.
            (UserQuery(department: "sales") { ($0.city, $0.title) = ("bern", "nage") }, []),
        ] {
            #expect(try await near(query, cache) == expected, "\(query)")
        }
        // Nothing is told that was not asked for.
        #expect(try await cache.reader.users(UserQuery(department: "Sals")).near == nil)
    }

    @Test("Managers whom upstream names by distinguished names are told by their names")
    func managers() async throws {
        let cache = try await openCache()
        try await cache.sync(
            users: ["1", "2"].map { id in
                User(id: id, name: .init(first: "Eva", last: "Roth")) {
                    $0.manager = .init(id: "CN=García\\, Ana,OU=Sales,DC=example,DC=com")
                }
            })
        let near = try await near(UserQuery { $0.manager = "Garzia" }, cache)
        #expect(near == [Near(field: "manager", values: [.init("García, Ana", count: 2)])])
    }

    @Test("An employee number is found whole, from four characters on")
    func numbers() async throws {
        let cache = try await openCache()
        let numbers = ["E-10472", "004711", "10 472 33", "ab12", "123", "1000000001"]
        try await cache.sync(
            users: numbers.map { number in
                User(id: number, name: .init(first: "Eva", last: "Roth")) { $0.employeeNumber = number }
            })
        for (search, found) in [
            ("E-10472", ["E-10472"]), ("e10472", ["E-10472"]), ("10472", []), ("E-1047", []),
            ("004711", ["004711"]),
            ("4711", []), ("0047", []), ("10 472 33", ["10 472 33"]), ("1047233", ["10 472 33"]),
            ("AB12", ["ab12"]),
            ("ab1", []), ("123", []), ("1000000001", ["1000000001"]), ("roth ab12", ["ab12"]),
            ("ab12 otto", []),
        ] {
            #expect(try await cache.ids(UserQuery(search: search)) == found, "\(search)")
        }
    }

    @Test("A company's words are found if fewer than a tenth of the people have them")
    func companies() async throws {
        let cache = try await openCache()
        let people = (0..<30).map { number in
            User(id: "\(number)", name: .init(first: "Eva", last: "Roth")) {
                $0.company = number < 2 ? "Northwind Traders" : number < 5 ? "Möbel Graf" : "Example AG"
            }
        }
        try await cache.sync(users: people)
        for (search, count) in [
            ("northwind", 2), ("traders north", 2), ("eva nor", 2), ("example", 0), ("ex", 0), ("möbel", 0),
            ("moebel", 0),
            ("example northwind", 0),
        ] {
            #expect(try await cache.ids(UserQuery(search: search)).count == count, "\(search)")
        }
        // The others leave, so that a tenth are more.
        try await cache.sync(
            users: people.suffix(25) + people.prefix(2) + (30..<50).map { user("\($0)") }, number: 2)
        try await cache.sync(users: people + (30..<50).map { user("\($0)") }, number: 3)
        #expect(try await cache.ids(UserQuery(search: "moebel")).count == 3)
    }

    private static let matching: [User] = [
        ("Anna", "Zander", "Sales", nil), ("Bo", "Sales", "IT", nil), ("Cleo", "Abel", "Sales", nil),
        ("Sally", "Zorn", "IT", nil), ("Ann", "Sales", "IT", nil), ("Dora", "Ek", "IT", "Salem"),
        ("Eva", "Aas", "Sales", "Annaberg"), ("Fay", "Salé", "Annex", nil), ("Gil", "Xu", "IT", nil),
    ].map { first, last, department, city in
        User(id: first, name: .init(first: first, last: last)) {
            ($0.department, $0.address.city) = (department, city)
        }
    }

    @Test(
        "The order of matches has those found by their names first, in pages of any size and in both directions"
    )
    func match() async throws {
        let cache = try await openCache()
        try await cache.sync(users: Self.matching)
        for (search, found) in [
            ("sal", ["Fay", "Ann", "Bo", "Sally", "Eva", "Cleo", "Dora", "Anna"]),
            ("sales", ["Ann", "Bo", "Eva", "Cleo", "Anna"]),
            // Both by name, then one, then none.
            ("ann sal", ["Ann", "Fay", "Anna", "Eva"]),
            ("it", ["Dora", "Ann", "Bo", "Gil", "Sally"]), ("nobody", []), ("", []),
        ] {
            for limit in [1, 2, 3, 100] {
                for descending in [false, true] {
                    let query = UserQuery(search: search, order: .match, descending: descending, limit: limit)
                    let ids = try await cache.allIDs(query)
                    let expected = descending ? found.reversed() : found
                    if search.isEmpty {
                        #expect(ids == (try await cache.allIDs(UserQuery(descending: descending))))
                    } else {
                        #expect(ids == expected, "\(search), \(limit), \(descending)")
                    }
                }
            }
            let total = try await cache.reader.users(UserQuery(search: search, order: .match, limit: 1)).total
            #expect(total == (search.isEmpty ? 9 : found.count))
        }
        let sold = UserQuery(search: "sal", department: "sales", order: .match, limit: 2)
        #expect(try await cache.allIDs(sold) == ["Eva", "Cleo", "Anna"])
        #expect(
            try await cache.allIDs(UserQuery(search: "sal", limit: 100)) != [
                "Fay", "Ann", "Bo", "Sally", "Eva", "Cleo", "Dora", "Anna",
            ])
    }

    @Test("More matches than are counted are listed in the order of matches, too")
    func many() async throws {
        let cache = try await openCache()
        let people = (0..<10_400).map { number in
            User(id: "\(number)", name: .init(first: number < 10_200 ? "Sal" : "Bo", last: "Abel")) {
                $0.department = "Sales"
            }
        }
        try await cache.sync(users: people)
        let query = UserQuery(search: "sal", order: .match, limit: 10_000)
        let ids = try await cache.allIDs(query)
        #expect(ids.count == 10_400 && Set(ids).count == 10_400)
        #expect(ids.prefix(10_200).allSatisfy { Int($0)! < 10_200 })
        let few = UserQuery(search: "bo", order: .match, limit: 30)
        #expect(try await cache.allIDs(few).count == 200)
        // More of a name are counted than are compared.
        let near = try await near(UserQuery(search: "sal abbel"), cache)[0].values
        #expect(near == [.init("Bo Abel", count: 200), .init("Sal Abel", count: 10_200)])
    }

    @Test("A list in the order of matches ends after the next sync that changes users, and no other")
    func changed() async throws {
        let cache = try await openCache()
        var people = Self.matching
        try await cache.sync(users: people)
        let first = try await cache.reader.users(UserQuery(search: "sal", order: .match, limit: 5))
        let next = UserQuery(search: "sal", order: .match, limit: 5, cursor: first.next)
        #expect(try await cache.ids(next) == ["Cleo", "Dora", "Anna"])
        try await cache.sync(users: people, number: 2, at: start + .seconds(1))
        #expect(try await cache.ids(next) == ["Cleo", "Dora", "Anna"])
        people[0].displayName = "Sal Zander"
        try await cache.sync(users: people, number: 3, at: start + .seconds(2))
        await #expect(throws: CacheError.invalidCursor(first.next ?? "")) { try await cache.ids(next) }
        let usual = try await cache.reader.users(UserQuery(search: "sal", limit: 5))
        try await cache.sync(users: people, number: 4, at: start + .seconds(3))
        #expect(try await cache.ids(UserQuery(search: "sal", limit: 5, cursor: usual.next)).count == 3)
    }
}
