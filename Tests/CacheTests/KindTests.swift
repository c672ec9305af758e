import Model
import SQLite
import TestSupport
import Testing

@testable import Cache

@Suite("Kinds of users in the cache")
struct KindTests {
    private static let people = [
        user("1", "Ada", "Lovelace", email: "ada@a.test"), user("2", "Grace", "Hopper"),
    ]
    private static let group = other("g", "Ada team", .group) {
        ($0.email, $0.department) = ("team@a.test", "Teams")
    }
    private static let room = other("r", "Ada room", .room) { $0.manager = .init(id: "1") }
    private static let all = people + [group, room]

    private static func other(
        _ id: String, _ name: String, _ kind: UserKind, _ fill: (inout User) -> Void = { _ in }
    ) -> User {
        var other = User(id: id, name: User.Name(first: "", last: name))
        other.kind = kind
        fill(&other)
        return other
    }

    private func with(
        _ users: [User] = all, _ body: (Cache, _ path: String) async throws -> Void
    ) async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("c.db")
        let cache = try await openCache(path)
        try await cache.sync(users: users)
        try await body(cache, path)
        await cache.close()
    }

    @Test(
        "A list has persons, or the kinds that are asked for",
        arguments: [
            (nil, ["2", "1"]), ([], ["2", "1"]), ([.person], ["2", "1"]), ([.group], ["g"]),
            ([.room, .group], ["r", "g"]), ([.contact], []), ([.person, .group], ["g", "2", "1"]),
            (UserKind.allCases, ["r", "g", "2", "1"]),
        ] as [([UserKind]?, [String])])
    func lists(kinds: [UserKind]?, ids: [String]) async throws {
        try await with { (cache: Cache, _: String) async throws in
            let query = UserQuery { $0.kinds = kinds }
            let page = try await cache.reader.users(query)
            #expect(try page.users.map(\.id) == ids)
            #expect(page.total == ids.count)
            var paged = query
            paged.limit = 1
            #expect(try await cache.allIDs(paged) == ids)
        }
    }

    @Test(
        "A search has persons, or the kinds that are asked for, and counts them",
        arguments: UserOrder.allCases)
    func searches(order: UserOrder) async throws {
        try await with { (cache: Cache, _: String) async throws in
            for (kinds, ids) in [(nil, ["1"]), ([.group], ["g"]), ([.mailbox], [])]
                as [([UserKind]?, [String])]
            {
                let page = try await cache.reader.users(
                    UserQuery(search: "ada", order: order) { $0.kinds = kinds })
                #expect(try page.users.map(\.id) == ids)
                #expect(page.total == ids.count)
            }
        }
    }

    @Test("A group is not found as a person, and shares no name with one")
    func find() async throws {
        var group = Self.group
        group.email = "ada@a.test"
        try await with(Self.people + [group, Self.room]) { (cache: Cache, _: String) async throws in
            func name(_ key: String, _ kinds: [UserKind]?) async throws -> String? {
                let record = try await cache.reader.user(key, kinds).record
                return try decoded(User.self, from: String(decoding: record, as: UTF8.self)).id
            }
            #expect(try await name("ada@a.test", nil) == "1")
            #expect(try await name("ada@a.test", [.group]) == "g")
            #expect(try await name("g", [.group, .room]) == "g")
            await #expect(throws: CacheError.notFound(key: "g")) { try await name("g", nil) }
            await #expect(throws: CacheError.notFound(key: "1")) { try await name("1", [.room]) }
            await #expect(throws: CacheError.ambiguous(key: "ada@a.test", ids: ["1", "g"])) {
                try await name("ada@a.test", UserKind.allCases)
            }
            // A picture has no other way to be asked for.
            #expect(try await cache.reader.picture("g", nil).userID == "g")
            #expect(try await cache.reader.picture("ada@a.test", nil).userID == "1")
        }
    }

    @Test("The state counts persons, the changes of a commit all rows")
    func counts() async throws {
        try await with { (cache: Cache, _: String) async throws in
            func count() async throws -> Int? { try await cache.reader.resources()[.users]?.state.count }
            #expect(try await count() == 2)
            var users = Self.all
            users[0].kind = .contact
            let changed = try await cache.sync(users: users, number: 2)
            #expect(
                changed == RowChanges(changed: 1, before: 4, after: 4, others: OtherRows(before: 2, after: 3))
            )
            #expect(try await count() == 1)
            #expect(try await cache.ids(UserQuery()) == ["2"])
            let removed = try await cache.sync(users: Self.people + [Self.room], number: 3)
            #expect(
                removed
                    == RowChanges(
                        changed: 1, removed: 1, before: 4, after: 3,
                        others: OtherRows(removed: 1, before: 3, after: 1)))
            #expect(try await count() == 2)
            try await cache.writer.beginStaging(.users, 4)
            #expect(try await cache.writer.stageSameList(.users, 4) == 3)
            #expect(
                try await cache.commit(.users, 4)
                    == RowChanges(before: 3, after: 3, others: OtherRows(before: 1, after: 1)))
            #expect(try await count() == 2)
        }
    }

    @Test("Shells complete the keys and departments of persons")
    func completion() async throws {
        try await with { (_: Cache, path: String) async throws in
            #expect(try UserKeys.beginning(with: "team", path: path) == [])
            #expect(try UserKeys.beginning(with: "ada", path: path) == ["ada@a.test"])
            #expect(try FilterValue.department.beginning(with: "t", path: path) == [])
        }
    }

    @Test("Names and departments near to others are those of persons")
    func near() async throws {
        var people = Self.people
        people[1].department = "Teens"
        let twin = Self.other("t", "Lovelase", .mailbox)
        try await with(people + [Self.group, twin]) { (cache: Cache, _: String) async throws in
            let found = try await cache.reader.users(UserQuery(search: "lovelaze") { $0.near = true })
            #expect(try found.users.map(\.id) == ["1"])
            let department = try await cache.reader.users(
                UserQuery(department: "Teems") { $0.near = true })
            #expect(department.near?.map { $0.values.map(\.value) } == [["Teens"]])
        }
    }

    @Test("Nobody but persons is below a manager")
    func organisation() async throws {
        var people = Self.people
        people[1].manager = .init(id: "1")
        try await with(people + [Self.room]) { (cache: Cache, _: String) async throws in
            let tree = try await cache.reader.tree(of: "1", depth: nil, limit: nil)
            #expect(tree.total == 2 && tree.positions.first?.reports == 1)
            #expect(try await cache.ids(UserQuery { $0.manager = "1" }) == ["2"])
        }
    }

    @Test("A book has the kinds that it asks for")
    func book() async throws {
        try await with { (cache: Cache, _: String) async throws in
            func ids(_ query: BookQuery) async throws -> Set<String> {
                Set(try await cache.reader.book(query).cards.map(\.id))
            }
            #expect(try await ids(BookQuery()) == ["1", "2"])
            #expect(try await ids(BookQuery(kinds: [.person, .room])) == ["1", "2", "r"])
            #expect(try await ids(BookQuery(search: "ada", kinds: [.group])) == ["g"])
            #expect(try await cache.reader.cards(["g", "1"], BookQuery()).map(\.id) == ["1"])
        }
    }

    @Test("A list of other kinds does not go on where one of persons ended")
    func cursor() async throws {
        try await with { (cache: Cache, _: String) async throws in
            let first = try await cache.reader.users(UserQuery(limit: 1))
            let query = UserQuery(limit: 1, cursor: first.next) { $0.kinds = UserKind.allCases }
            await #expect(throws: CacheError.self) { try await cache.reader.users(query) }
        }
    }

    @Test("Groups are read from their index in the order of their names, persons from that of all names")
    func plans() async throws {
        try await with { (_: Cache, path: String) async throws in
            let connection = try Connection(path: path, access: .readOnly)
            for (kind, index) in [(UserKind.group, "users_by_kind"), (.person, "users_by_name")] {
                _ = try UserQuery(limit: 20) { $0.kinds = [kind] }.page(connection)
                let last = try connection.rows(
                    "SELECT sql, nsort FROM sqlite_stmt WHERE sql LIKE 'SELECT users.number %'"
                ) { (sql: try $0.text(0), sorts: try $0.int(1)) }
                let read = last.filter { $0.sql.contains(kind == .group ? "kind IN" : "kind IS NULL") }
                #expect(!read.isEmpty && read.allSatisfy { $0.sorts == 0 })
                for statement in read {
                    let bindings = Array(repeating: Value.null, count: statement.sql.count { $0 == "?" })
                    let plan = try connection.rows("EXPLAIN QUERY PLAN " + statement.sql, bindings) {
                        try $0.text(3)
                    }
                    #expect(plan.contains { $0.contains(index) }, "\(plan)")
                }
            }
            connection.close()
        }
    }

    @Test("Without other kinds, no condition is added")
    func personsAlone() async throws {
        try await with(Self.people) { (_: Cache, path: String) async throws in
            let connection = try Connection(path: path, access: .readOnly)
            #expect(try UserQuery().filter(connection).isEmpty)
            #expect(try UserQuery { $0.kinds = UserKind.allCases }.filter(connection).isEmpty)
            #expect(try UserQuery { $0.kinds = [.group] }.page(connection).total == 0)
            connection.close()
        }
        try await with { (_: Cache, path: String) async throws in
            let connection = try Connection(path: path, access: .readOnly)
            #expect(try !UserQuery().filter(connection).isEmpty)
            connection.close()
        }
    }
}
