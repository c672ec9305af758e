import Model
import SQLite
import TestSupport
import Testing

@testable import Cache

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

    /// A text of this many distinct words.
    private func words(_ count: Int) -> String { (0..<count).map { "w\($0)x" }.joined(separator: " ") }

    @Test("The index of one user grows with the text up to a limit, and names are always found")
    func longFields() async throws {
        let cache = try await openCache()
        func person(_ count: Int) -> User {
            var person = user("\(count)", "Ada", "Lovelace")
            person.department = words(count)
            person.jobTitle = words(count) + " z"
            person.phones = (0..<count).map { User.Contact(value: "+41 44 \(1_000_000 + $0)", kind: nil) }
            return person
        }
        // A quadratic index would take minutes.
        try await cache.sync(users: [person(100), person(30_000)])
        #expect(try await cache.ids(UserQuery(search: "lovelace")).count == 2)
        #expect(try await cache.ids(UserQuery(search: "w99x")).count == 2)
        #expect(try await cache.ids(UserQuery(search: "w20000x")) == [])
        #expect(try await cache.ids(UserQuery(search: "044 1000099")).count == 2)
        #expect(try await cache.ids(UserQuery(search: "044 1020000")) == [])
    }

    @Test("Words above the limit are not indexed", arguments: [900, 1000, 40_000])
    func mostWords(count: Int) {
        var indexed = IndexedWords()
        indexed.add(words(count))
        indexed.add(words(count))
        #expect(indexed.text.split(separator: UInt8(ascii: " ")).count == min(count, IndexedWords.maximum))
    }

    @Test("A cancelled sync encodes no further user")
    func cancelled() async throws {
        let cache = try await openCache()
        try await cache.writer.beginStaging(.users, 1)
        let staging = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await cache.writer.stageUsers(Page(records: [user("1")]), 1, 1)
        }
        await #expect(throws: CancellationError.self) { try await staging.value }
        _ = try await cache.commit(.users, 1)
        #expect(try await cache.ids(UserQuery()) == [])
    }

    @Test(
        "A search has at most 16 distinct runs of letters, in how many words ever",
        arguments: [
            ("a.a.a.a", 1), (String(repeating: "a.", count: 500), 1),
            ((0..<150).map { "w\($0)x" }.joined(separator: "."), 16),
            ((0..<16).map { "a\($0).b\($0).c\($0)" }.joined(separator: " "), 16),
            ((0..<16).map { "w\($0)" }.joined(separator: " "), 16), ("o'brien", 2),
        ])
    func runs(search: String, count: Int) throws {
        let words = try FullText.words(of: search)
        let runs = words.compactMap { SearchWord($0) }.flatMap(\.searched)
        #expect(runs.count == count)
    }

    @Test("A search of many one-letter runs finds those who have them")
    func oneLetterRuns() async throws {
        let cache = try await openCache()
        try await cache.sync(users: (0..<2000).map { user("\($0)") } + [user("b", "A.B.C", "D")])
        let many = String(repeating: "a.l.", count: 250)
        #expect(try await cache.reader.users(UserQuery(search: many)).total == 2000)
        #expect(try await cache.ids(UserQuery(search: "a.b.c.d")) == ["b"])
        try await cache.sync(facts: [fact("1", "A a a cat")], number: 2)
        _ = try await cache.reader.facts(FactQuery(search: many))
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
