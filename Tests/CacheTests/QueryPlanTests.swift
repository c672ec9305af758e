import Cache
import Model
import SQLite
import TestSupport
import Testing

@Suite("Query plans of lists of users")
struct QueryPlanTests {
    let directory: TemporaryDirectory
    let path: String

    init() async throws {
        directory = try TemporaryDirectory()
        path = directory.file("c.db")
        let cache = try await openCache(path)
        try await cache.sync(users: Self.people)
        await cache.close()
    }

    private static let people = (0..<400).map { number in
        var person = user("\(number)", "F\(number)", "L")
        person.gender = number % 2 == 0 ? "female" : "Male"
        person.nationality = number % 10 == 0 ? nil : "DK"
        person.department = number % 10 == 0 ? nil : "D"
        person.phone = number % 2 == 0 ? nil : "555-\(1000 + number)"
        person.age = number < 20 ? nil : 20 + number % 2
        person.email = number < 20 ? nil : "a@b.c"
        person.registeredAt = number < 20 ? nil : start
        return person
    }

    /// A page's statements, with SQLite's counts of their work: https://www.sqlite.org/stmt.html
    private func statements(
        _ query: UserQuery
    ) throws -> (page: StoredPage, plans: [String], steps: Int, sorts: Int) {
        let connection = try Connection(path: path, access: .readOnly)
        let page = try query.page(connection)
        let statements = try connection.rows(
            "SELECT sql, nstep, nsort FROM sqlite_stmt WHERE sql LIKE 'SELECT users.number %'"
        ) {
            (sql: try $0.text(0), steps: try $0.int(1), sorts: try $0.int(2))
        }
        let plans = try statements.flatMap { statement in
            try connection.rows(
                "EXPLAIN QUERY PLAN " + statement.sql,
                Array(repeating: .null, count: statement.sql.count { $0 == "?" })
            ) { try $0.text(3) }
        }
        return (page, plans, statements.reduce(0) { $0 + $1.steps }, statements.reduce(0) { $0 + $1.sorts })
    }

    @Test(
        "Every page is read from the index of its order, without sorting",
        arguments: UserOrder.allCases, [false, true])
    func plans(order: UserOrder, descending: Bool) throws {
        let index = [
            UserOrder.name: "users_by_name", .age: "users_by_age", .registered: "users_by_registration",
            .nationality: "users_by_nationality", .email: "users_by_email",
            .department: "users_by_department", .title: "users_by_title", .city: "users_by_city",
            .match: "users_by_name",
        ]
        var query = UserQuery(order: order, descending: descending, limit: 50)
        repeat {
            let read = try statements(query)
            #expect(!read.plans.isEmpty)
            for plan in read.plans {
                #expect((plan + " ").contains("USING COVERING INDEX \(index[order] ?? "") "))
            }
            #expect(read.sorts == 0)
            query.cursor = read.page.next
        } while query.cursor != nil
    }

    @Test(
        "A page far down a list of equal keys costs as much as the first",
        arguments: UserOrder.allCases, [false, true])
    func deep(order: UserOrder, descending: Bool) throws {
        var query = UserQuery(order: order, descending: descending, limit: 20)
        let first = try statements(query)
        repeat {
            let read = try statements(query)
            #expect(read.steps < first.steps + 100)
            query.cursor = read.page.next
        } while query.cursor != nil
    }

    @Test(
        "Only users who moved since a list began are sorted; the others are read from the index",
        arguments: UserOrder.allCases, [false, true])
    func moved(order: UserOrder, descending: Bool) async throws {
        let first = try statements(UserQuery(order: order, descending: descending, limit: 20))
        let cache = try await openCache(path)
        var people = Self.people
        for number in 100..<103 { people[number].name.last = "M" }
        try await cache.sync(users: people, number: 2)
        await cache.close()
        let next = try statements(
            UserQuery(order: order, descending: descending, limit: 20, cursor: first.page.next))
        #expect(next.page.count == 20)
        #expect(next.plans.contains { $0.hasPrefix("SEARCH moves USING PRIMARY KEY (transition>?)") })
        for plan in next.plans where plan.contains("user") {
            #expect(plan.contains("USING INTEGER PRIMARY KEY") || plan.contains("users USING COVERING INDEX"))
        }
        for plan in next.plans where plan.contains("moves ") || plan.contains("earlier ") {
            #expect(
                plan.hasPrefix("SEARCH moves USING PRIMARY KEY")
                    || plan.contains("(number=? AND transition>?"))
        }
    }

    @Test("Users of one nationality are read from an index in the order of their names")
    func nationality() throws {
        let read = try statements(UserQuery(nationality: "DK", limit: 20))
        #expect(read.plans.first?.contains("users_by_nationality_and_name") == true)
        #expect(read.sorts == 0)
    }

    @Test("Users of a department, city, country, company or manager are found by an index")
    func keys() throws {
        for (name, query) in [
            ("department", UserQuery(department: "D", limit: 20)),
            ("city", UserQuery(limit: 20) { $0.city = "C" }),
            ("country", UserQuery(limit: 20) { $0.country = "C" }),
            ("company", UserQuery(limit: 20) { $0.company = "C" }),
            ("manager", UserQuery(limit: 20) { $0.manager = "M" }),
        ] {
            let plans = try statements(query).plans
            #expect(plans.first?.contains("users_by_\(name)") == true, "\(name): \(plans)")
        }
    }

    @Test(
        "Users of one gender are counted with an index, and read in order", arguments: UserOrder.allCases)
    func gender(order: UserOrder) throws {
        let connection = try Connection(path: path, access: .readOnly)
        #expect(try UserQuery(gender: "female", order: order, limit: 20).page(connection).total == 200)
        let counts = try connection.rows("SELECT sql FROM sqlite_stmt WHERE sql LIKE 'SELECT count%'") {
            try $0.text(0)
        }
        for sql in counts {
            let plan = try connection.rows("EXPLAIN QUERY PLAN " + sql, [.null]) { try $0.text(3) }
            #expect(plan.count == 1 && plan[0].contains("USING COVERING INDEX users_by_gender"))
        }
        #expect(counts.count == 1)
        let read = try statements(UserQuery(gender: "female", order: order, limit: 20))
        #expect(read.sorts == 0)
        #expect(read.page.count == 20)
    }

    @Test("Telephone numbers are searched only in their index")
    func telephones() throws {
        let read = try statements(UserQuery(search: "5551399", limit: 20))
        #expect(try read.page.users.map(\.id) == ["399"])
        #expect(read.plans.contains { $0.contains("USING COVERING INDEX users_by_digits") })
        #expect(!read.plans.contains { $0.hasPrefix("SCAN users") })
    }

    @Test("A smaller page reads fewer rows")
    func cutShort() throws {
        let whole = try statements(UserQuery(limit: 10))
        let larger = try statements(UserQuery(limit: 20))
        #expect(larger.steps < whole.steps * 2 + 50)
    }

    @Test("The total of a filtered list is counted once, for the first page, and given with every page")
    func total() throws {
        let connection = try Connection(path: path, access: .readOnly)
        let first = try UserQuery(nationality: "DK", limit: 50).page(connection)
        #expect(first.total == 360)
        let counts = "SELECT sum(run) FROM sqlite_stmt WHERE sql LIKE 'SELECT count%'"
        let before = try connection.first(counts) { try $0.int(0) }
        #expect(try UserQuery(nationality: "DK", limit: 50, cursor: first.next).page(connection).total == 360)
        #expect(try connection.first(counts) { try $0.int(0) } == before)
    }
}
