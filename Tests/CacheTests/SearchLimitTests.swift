import Cache
import SQLite
import TestSupport
import Testing

@Suite("Searches that could take long", .timeLimit(.hang))
struct SearchLimitTests {
    @Test("A search has at most 16 words, also for facts")
    func words() async throws {
        let cache = try await openCache()
        try await cache.sync(facts: [fact("1")])
        let most = Array(repeating: "cats", count: 16).joined(separator: " ")
        #expect(try await cache.reader.facts(FactQuery(search: most)).total == 1)
        await #expect(throws: CacheError.invalidParameter("search")) {
            try await cache.reader.facts(FactQuery(search: most + " sleep"))
        }
    }

    @Test(
        "A word that begins another is not searched for",
        arguments: [
            (["a", "ad", "ada"], #""ada"*"#), (["Ada", "a", "king", "KI", "ada"], #""king"* "Ada"*"#),
            (["ada", "da"], #""ada"* "da"*"#),
        ])
    func prefixes(words: [String], query: String) {
        #expect(FullText.prefixes(words.map { $0[...] }) == .text(query))
    }

    @Test("A read that takes too long is stopped with an error, and its connection is used again")
    func slow() async throws {
        let directory = try TemporaryDirectory()
        let cache = try await openCache(directory.file("c.db"), readLimit: .zero)
        try await cache.sync(users: (0..<2000).map { user("\($0)") })
        for _ in 0..<4 {
            let error = await #expect(throws: CacheError.slow(.zero)) {
                try await cache.ids(UserQuery(search: "ada"))
            }
            #expect(error.map { "\($0)" }?.contains("took longer than 0.0 s") == true)
            #expect(try await cache.reader.resources().count == 1)
        }
        #expect(try await openOffline(directory.file("c.db")).users(UserQuery(search: "ada")).total == 2000)
        await cache.close()
    }
}
