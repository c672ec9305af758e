import Cache
import Model
import Testing

@Suite("Finding people")
struct FindingTests {
    private func ids(_ people: [User], _ query: UserQuery) async throws -> [String] {
        let cache = try await openCache()
        try await cache.sync(users: people)
        return try await cache.ids(query)
    }

    private func person(
        _ name: String, phone: String? = nil, email: String? = nil, _ fill: (inout User) -> Void = { _ in }
    ) -> User {
        let words = name.split(separator: " ", maxSplits: 1).map(String.init)
        return User(id: name, name: .init(first: words[0], last: words.count > 1 ? words[1] : "")) {
            $0.phone = phone
            $0.email = email
            fill(&$0)
        }
    }

    private func finds(_ search: String, _ person: User) async throws -> Bool {
        try await ids([person], UserQuery(search: search)) == [person.id]
    }

    private static let mobile = [
        "+41 79 202 16 61", "079 202 16 61", "0792021661", "079/202 16 61", "0041792021661",
        "+41 (0)79 202 16 61", "tel:+41-79-202-16-61", "+41.79.202.16.61", "0041 (0) 79 2021661",
    ]

    @Test("A telephone number is found however it is written there and typed", arguments: mobile)
    func telephones(written: String) async throws {
        for typed in Self.mobile {
            #expect(try await finds(typed, person("Anna Keller", phone: written)), "\(typed) in \(written)")
        }
        for other in ["079 202 16 62", "+41 79 302 16 61", "0041782021661", "x661x", "x66"] {
            #expect(try await !finds(other, person("Anna Keller", phone: written)), "\(other) in \(written)")
        }
    }

    @Test(
        "An extension is found by itself, at the end of a number, and by a number that ends with it",
        arguments: [
            ("+41 44 247 00 19", "0019", true), ("+41 44 247 00 19", "0020", false),
            ("+41 44 333 47 11", "x4711", true), ("+41 44 333 47 11", "ext. 4711", false),
            ("+41 44 333 00 00 x4711", "x4711", true), ("+41 44 333 00 00 ext. 4711", "4711", true),
            ("+41 44 333 00 00 ext. 4711", "+41 44 333 00 00 ext 4711", true),
            ("tel:+41443330000;ext=4711", "#4711", true), ("4711", "x4711", true),
            ("4711", "+41 44 333 47 11", true), ("4711", "044 333 47 11", true), ("x4711", "4711", true),
            ("4711", "+41 44 333 47 12", false), ("+41 44 333 47 11", "x471", false),
            ("+41 44 333 00 00 x4711", "+41 44 333 00 00 x4712", false),
        ])
    func extensions(written: String, typed: String, isFound: Bool) async throws {
        #expect(try await finds(typed, person("Anna Keller", phone: written)) == isFound)
    }

    @Test("A number and a name together find one person")
    func numberAndName() async throws {
        let people = [
            person("Anna Keller", phone: "+41 44 333 47 11"), person("Ben Frei", phone: "+41 44 333 47 11"),
        ]
        for search in ["anna 044 333 47 11", "044 333 47 11 anna", "keller x4711", "x4711 keller"] {
            #expect(try await ids(people, UserQuery(search: search)) == ["Anna Keller"], "\(search)")
        }
        // A letter alone is a word.
        #expect(try await ids([person("Malcolm X")], UserQuery(search: "x")) == ["Malcolm X"])
    }

    @Test(
        "Spellings of a name find each other",
        arguments: [
            (["Müller", "Muller", "Mueller", "MÜLLER"], ["müll"]),
            // The beginning of a word that is written out is not tried without its second letter: haas is no Hassan.
            (["Müller", "Mueller", "MÜLLER"], ["muell"]), (["Håkon", "Haakon"], ["haak"]),
            (["Zürich", "Zuerich", "Zurich"], []), (["Ørsted", "Oersted", "Orsted"], []),
            (["Håkon", "Haakon", "Hakon"], ["håk"]), (["Weiß", "Weiss"], []),
            (["Łukasz", "Lukasz"], []),
            (["O'Brien", "O’Brien", "OʼBrien", "OBrien", "O Brien"], ["obr", "o'b"]),
            (["D'Angelo", "D’Angelo", "Dangelo", "D Angelo"], ["dang"]),
            (["van den Berg", "vandenberg", "Van Den Berg"], ["vandenb"]),
            (["Jean-Luc", "Jeanluc", "Jean Luc", "jean‐luc"], ["jeanl"]),
        ])
    func spellings(names: [String], beginnings: [String]) async throws {
        for written in names {
            for typed in names + beginnings {
                let person = User(id: "1", name: .init(first: "Kim", last: written))
                #expect(try await finds(typed, person), "\(typed) in \(written)")
                #expect(try await finds("kim \(typed)", person), "kim \(typed) in \(written)")
            }
        }
    }

    @Test("A short name that ends like a written-out umlaut finds no others")
    func shortNames() async throws {
        let people = [person("Joe Doe"), person("John Roe"), person("Jo Lee")]
        #expect(try await ids(people, UserQuery(search: "joe")) == ["Joe Doe"])
    }

    @Test(
        "The part of an address after the @ is found as a whole, not as a word of everyone",
        arguments: [
            ("example", []), ("com", []), ("@example.com", ["Anna Keller"]), ("@exam", ["Anna Keller"]),
            ("a.keller@example.com", ["Anna Keller"]), ("A.Keller@Exam", ["Anna Keller"]),
            ("a.keller@", ["Anna Keller"]), ("a.kel@example.com", []), ("@mail.example.org", ["Ben Frei"]),
            ("ben", ["Ben Frei"]), ("@example", ["Anna Keller"]), ("keller @example.com", ["Anna Keller"]),
        ])
    func addresses(search: String, found: [String]) async throws {
        let people = [
            person("Anna Keller", email: "a.keller@example.com"),
            person("Ben Frei", email: "ben@mail.example.org"),
        ]
        #expect(try await ids(people, UserQuery(search: search)) == found)
    }

    private static let crowd: [User] = [
        ("Anna Keller", "Bloomberg AG"), ("Anna Kessler", nil), ("Hans Schmidt", nil), ("Maria Schmid", nil),
        ("Eva Lindström", nil), ("Олена Шевченко", nil), ("Bo Li", nil),
    ].map { name, office in
        let words = name.split(separator: " ").map(String.init)
        return User(id: name, name: .init(first: words[0], last: words[1])) { $0.office = office }
    }

    @Test(
        "The nearest users are found by a word within another, and despite a slip",
        arguments: [
            ("schmitt", "Hans Schmidt"), ("anna keler", "Anna Keller"), ("keller ana", "Anna Keller"),
            ("indström", "Eva Lindström"), ("blomberg", "Anna Keller"), ("lindstorm", "Eva Lindström"),
            ("шевченк0", "Олена Шевченко"),
            ("hans keler", "Anna Keller"),
        ])
    func near(search: String, nearest: String) async throws {
        #expect(try await ids(Self.crowd, UserQuery(search: search)) == [])
        let near = try await ids(Self.crowd, UserQuery(search: search) { $0.near = true })
        #expect(near.prefix(2).contains(nearest), "\(near)")
    }

    @Test(
        "Nobody is near to what is too short, too different or only a number",
        arguments: ["xq", "qqqq", "12345", "-"])
    func nobodyNear(search: String) async throws {
        #expect(try await ids(Self.crowd, UserQuery(search: search) { $0.near = true }) == [])
    }

    @Test("The nearest users are few, in one page, and among those of the filters")
    func nearFilters() async throws {
        let people = (0..<50).map { number in
            User(id: "\(number)", name: .init(first: "Anna", last: "Keller\(number)")) {
                $0.department = number == 7 ? "Sales" : nil
            }
        }
        let cache = try await openCache()
        try await cache.sync(users: people)
        let page = try await cache.reader.users(UserQuery(search: "anna kelller") { $0.near = true })
        #expect(page.count == 10 && page.total == 10 && page.next == nil)
        let few = try await cache.reader.users(UserQuery(search: "kelller", limit: 2) { $0.near = true })
        #expect(few.count == 2 && few.next == nil)
        let sold = UserQuery(search: "kelller", department: "sales") { $0.near = true }
        #expect(try await cache.ids(sold) == ["7"])
    }

    @Test("Users are filtered by city, company, title and manager, regardless of case and accents")
    func filters() async throws {
        let boss = person("Ana García", email: "ana@example.com") {
            $0.username = "agarcia"
            $0.displayName = "García, Ana"
            $0.jobTitle = "Head of Sales"
        }
        func report(_ name: String, _ manager: User.Manager) -> User {
            person(name) {
                $0.manager = manager
                $0.address.city = "Zürich"
                $0.company = "Äpfel & Söhne"
                $0.jobTitle = "Sales Engineer"
            }
        }
        let byID = [
            boss, report("A Id", .init(id: "Ana García", name: "x")),
            report("B Mail", .init(id: "ANA@example.com")), report("C Login", .init(id: "AGarcia")),
            // Beside ids, a name may be a namesake's.
            report("Z Name", .init(name: "García, Ana")),
        ]
        let people = [
            boss, report("D Name", .init(name: "ana garcia")),
            report("E DN", .init(id: "CN=García\\, Ana,OU=Sales,DC=example,DC=com")),
            report("F Other", .init(id: "CN=Bo,OU=Sales,DC=example,DC=com")),
        ]
        for key in ["Ana García", "agarcia", "ana@EXAMPLE.com"] {
            let query = UserQuery { $0.manager = key }
            #expect(Set(try await ids(byID, query)) == ["A Id", "B Mail", "C Login"], "\(key)")
            #expect(Set(try await ids(people, query)) == ["D Name", "E DN"], "\(key)")
        }
        #expect(try await ids(people, UserQuery { $0.manager = "bo" }) == ["F Other"])
        #expect(try await ids(people, UserQuery { $0.manager = "nobody" }) == [])
        #expect(try await ids(people, UserQuery { $0.city = "zurich" }).count == 3)
        #expect(try await ids(people, UserQuery { $0.city = "zur" }) == [])
        #expect(try await ids(people, UserQuery { $0.company = "APFEL & sohne" }).count == 3)
        #expect(try await ids(people, UserQuery { $0.title = "sales" }).count == 4)
        #expect(try await ids(people, UserQuery { $0.title = "head of" }) == ["Ana García"])
        #expect(try await ids(people, UserQuery(search: "f") { $0.title = "engineer" }) == ["F Other"])
    }

    @Test("Users are ordered by department, title and city, and those without come last")
    func orders() async throws {
        func member(_ id: String, _ text: String?) -> User {
            User(id: id, name: .init(first: "A", last: "B")) {
                $0.department = text
                $0.jobTitle = text
                $0.address.city = text
            }
        }
        let people = [member("none", nil), member("z", "Zug"), member("o", "Öl"), member("n", "nord")]
        for order in [UserOrder.department, .title, .city] {
            #expect(try await ids(people, UserQuery(order: order)) == ["n", "o", "z", "none"])
            #expect(
                try await ids(people, UserQuery(order: order, descending: true)) == ["z", "o", "n", "none"])
        }
    }

    @Test("The parameters of a search that name many words or digits are refused or answered")
    func hostile() async throws {
        let cache = try await openCache()
        try await cache.sync(users: Self.crowd)
        for search in [
            String(repeating: "1", count: 1000), String(repeating: "a-", count: 499),
            String(repeating: "@", count: 500) + "a", "x", "#", "#1", "ext", "tel:", "tel:1", "x x x 1 x",
            "*", "a*",
            "NOT a", "a AND OR b", "{a}: b", "^a", "\"", "a\"b\"", "(a", "a)", "1x2x3", ";ext=1",
            String(repeating: "aeoeueaa", count: 100), "½", "²", "🙂 a", "a\u{301}", "\u{301}a",
        ] {
            _ = try await cache.ids(UserQuery(search: search))
            _ = try await cache.ids(UserQuery(search: search) { $0.near = true })
        }
    }
}
