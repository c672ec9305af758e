import Model
import TestSupport
import Testing

@testable import Cache

@Suite("Facts in the cache")
struct FactRowsTests {
    @Test("Facts accumulate, and a repeated one keeps the time when it was first seen")
    func accumulate() async throws {
        let cache = try await openCache()
        #expect(
            try await cache.sync(facts: [fact("a"), fact("b")]) == RowChanges(added: 2, before: 0, after: 2))
        var again = fact("b")
        again.firstSeenAt = start + .seconds(60)
        #expect(
            try await cache.sync(facts: [again, fact("c")], number: 2)
                == RowChanges(added: 1, before: 2, after: 3))
        let facts = try await cache.reader.facts(FactQuery()).facts
        #expect(facts == [fact("a"), fact("b"), fact("c")])
    }

    @Test("Beyond the limit, the oldest facts are removed, also from the search")
    func oldestOut() async throws {
        let cache = try await openCache(maximumFacts: 3)
        try await cache.sync(facts: [fact("a", "apple"), fact("b", "banana")])
        let changes = try await cache.sync(facts: [fact("c"), fact("d")], number: 2)
        #expect(changes == RowChanges(added: 2, removed: 1, before: 2, after: 3))
        #expect(try await cache.reader.facts(FactQuery()).facts.map(\.id) == ["b", "c", "d"])
        #expect(try await cache.reader.facts(FactQuery(search: "apple")).total == 0)
        #expect(try await cache.reader.facts(FactQuery(search: "banana")).total == 1)
    }

    @Test("A lowered limit applies from the next sync on, even if that brings nothing new")
    func lowered() async throws {
        let directory = try TemporaryDirectory()
        let facts = (1...5).map { fact("\($0)") }
        var cache = try await openCache(directory.file("c.db"))
        try await cache.sync(facts: facts)
        await cache.close()
        cache = try await openCache(directory.file("c.db"), maximumFacts: 3)
        #expect(try await cache.sync(facts: facts, number: 2) == RowChanges(removed: 2, before: 5, after: 3))
        #expect(try await cache.reader.facts(FactQuery(search: "cats")).facts.map(\.id) == ["3", "4", "5"])
        await cache.close()
    }

    @Test("An added fact is counted once in the state of facts")
    func addOne() async throws {
        let cache = try await openCache()
        try await cache.sync(facts: [fact("a")])
        let added = try await cache.writer.addFact(fact("b"))
        #expect(added.fact == fact("b") && added.count == 2)
        var again = fact("b")
        again.firstSeenAt = start + .seconds(1)
        let known = try await cache.writer.addFact(again)
        #expect(known.fact == fact("b") && known.count == 2)
        #expect(try await cache.reader.resources()[.facts]?.state.count == 2)
    }

    @Test("A list of facts is searched, limited by length, and paged")
    func list() async throws {
        let cache = try await openCache()
        let facts = (1...9).map { fact("\($0)", "Cat number \($0) " + String(repeating: "x", count: $0)) }
        try await cache.sync(facts: facts)
        let short = try await cache.reader.facts(FactQuery(maxLength: facts[2].length))
        #expect(try short.facts == Array(facts[0...2]) && short.total == 3)
        #expect(try await cache.reader.facts(FactQuery(search: "CAT 7")).facts == [facts[6]])
        var query = FactQuery(limit: 4)
        var seen: [Fact] = []
        repeat {
            let page = try await cache.reader.facts(query)
            #expect(page.total == 9)
            seen += try page.facts
            query.cursor = page.next
        } while query.cursor != nil
        #expect(seen == facts)
        let next = try await cache.reader.facts(FactQuery(limit: 4)).next
        await #expect(throws: CacheError.self) {
            try await cache.reader.facts(FactQuery(search: "cat", cursor: next))
        }
    }

    @Test("A random fact is one that fits; a length that no fact fits is an error")
    func random() async throws {
        let cache = try await openCache()
        await #expect(throws: CacheError.noFacts) { try await cache.reader.randomFact(nil) }
        try await cache.sync(facts: [fact("long", "A rather long one."), fact("short", "Short.")])
        let found = try await cache.reader.randomFact(6)
        #expect(String(decoding: found.record, as: UTF8.self).contains("Short."))
        await #expect(throws: CacheError.noFacts) { try await cache.reader.randomFact(3) }
    }
}
