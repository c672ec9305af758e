import Cache
import Model
import Testing

@Suite("Continuing a list")
struct ListingTests {
    private func people(_ count: Int, age: Int) -> [User] {
        (0..<count).map { number in
            var person = user("\(number)", "F", "L\(number)")
            person.age = age + number
            return person
        }
    }

    @Test(
        "A list continues across changes of position up to the limit; beyond that its cursor is refused")
    func bounded() async throws {
        let cache = try await openCache()
        let count = 3400
        try await cache.sync(users: people(count, age: 0))
        let query = UserQuery(order: .age, limit: 1700)
        var cursors: [String] = []
        for round in 2...5 {
            cursors.append(try #require(try await cache.reader.users(query).next))
            try await cache.sync(users: people(count, age: round * 10_000), number: round)
        }
        // 13,600 changes, of which at most 10,000 are kept: those of the first two syncs are dropped.
        for cursor in cursors.prefix(2) {
            await #expect(throws: CacheError.invalidCursor(cursor)) {
                try await cache.reader.users(query.from(cursor))
            }
        }
        for cursor in cursors.dropFirst(2) {
            let ids = try await cache.allIDs(query.from(cursor))
            #expect(ids == (1700..<3400).map(String.init))
        }
    }

    @Test("A cursor of another cache or of a later transition is refused")
    func anotherCache() async throws {
        let (cache, another) = (try await openCache(), try await openCache(epoch: "epoch-2"))
        let younger = try await openCache()
        for cache in [cache, another, younger] {
            try await cache.sync(users: people(4, age: 20))
            try await cache.sync(facts: [fact("a"), fact("b")], number: 2)
        }
        try await cache.sync(users: people(4, age: 30), number: 3)
        let users = try #require(try await cache.reader.users(UserQuery(limit: 2)).next)
        let facts = try #require(try await cache.reader.facts(FactQuery(limit: 1)).next)
        for cache in [another, younger] {
            await #expect(throws: CacheError.invalidCursor(users)) {
                try await cache.reader.users(UserQuery(cursor: users))
            }
        }
        await #expect(throws: CacheError.invalidCursor(facts)) {
            try await another.reader.facts(FactQuery(cursor: facts))
        }
        #expect(try await cache.ids(UserQuery(cursor: users)).count == 2)
        #expect(try await cache.reader.facts(FactQuery(cursor: facts)).count == 1)
    }

    @Test("A user's number is never reused, not even the highest")
    func numbers() async throws {
        let cache = try await openCache()
        try await cache.sync(users: people(4, age: 20))
        let next = try await cache.reader.users(UserQuery(order: .age, limit: 2)).next
        var another = user("another")
        another.age = 23
        try await cache.sync(users: [another] + people(3, age: 20), number: 2)
        #expect(try await cache.allIDs(UserQuery(order: .age, cursor: next)) == ["2"])
    }

    @Test("Facts keep their positions, and one that was removed and came back is not listed twice")
    func facts() async throws {
        let cache = try await openCache(maximumFacts: 4)
        try await cache.sync(facts: ["a", "b", "c", "d"].map { fact($0, $0) })
        let first = try await cache.reader.facts(FactQuery(limit: 1))
        #expect(try first.facts.map(\.id) == ["a"])
        // A new fact replaces the oldest, which then comes back and replaces the next.
        try await cache.sync(facts: ["d", "c", "b", "e"].map { fact($0, $0) }, number: 2)
        _ = try await cache.writer.addFact(fact("a", "a"))
        _ = try await cache.writer.addFact(fact("d", "longer than before"))
        let all = try await cache.reader.facts(FactQuery())
        #expect(try all.facts.map(\.id) == ["c", "d", "e", "a"])
        let rest = try await cache.reader.facts(FactQuery(cursor: first.next))
        #expect(try rest.facts.map(\.id) == ["c", "d"])
        #expect(rest.total == 4)
    }
}
