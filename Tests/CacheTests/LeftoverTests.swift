import Cache
import Foundation
import Model
import SQLite
import TestSupport
import Testing

@Suite("What the cache keeps of removed users and fields")
struct LeftoverTests {
    private func people(_ count: Int, _ word: String, born: Int64? = 0, email: Bool = true) -> [User] {
        (0..<count).map { number in
            var person = user("\(number)", "First\(number)", "Last\(number)")
            person.bornAt = born.map { Timestamp(milliseconds: ($0 + Int64(number)) * 86_400_000) }
            person.email = email ? "\(word)\(number)@example.org" : nil
            return person
        }
    }

    /// Whether the cache's files contain this text.
    private func contains(_ path: String, _ text: String) throws -> Bool {
        try ["", "-wal"].contains {
            try Data(contentsOf: URL(filePath: path + $0)).range(of: Data(text.utf8)) != nil
        }
    }

    @Test("A field that is gone from all users is gone from the file, and lists begun before are refused")
    func fields() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("c.db")
        let cache = try await openCache(path)
        try await cache.sync(users: people(40, "canary"))
        // Moves keep the keys of users who change.
        try await cache.sync(users: people(40, "kestrel", born: 1000), number: 2)
        let cursor = try #require(try await cache.reader.users(UserQuery(order: .email, limit: 5)).next)
        #expect(try contains(path, "canary") && contains(path, "kestrel"))
        try await cache.sync(users: people(40, "", born: 2000, email: false), number: 3)
        await #expect(throws: CacheError.invalidCursor(cursor)) {
            try await cache.reader.users(UserQuery(order: .email, cursor: cursor))
        }
        #expect(try await cache.allIDs(UserQuery(order: .email, limit: 7)).count == 40)
        #expect(try !contains(path, "canary") && !contains(path, "kestrel"))
        await cache.close()
    }

    @Test("Lists go on if some users still have the field, and the keys of removed users are gone")
    func users() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("c.db")
        let cache = try await openCache(path)
        try await cache.sync(users: people(40, "canary"))
        var changed = people(40, "kestrel")
        changed[7].email = nil
        try await cache.sync(users: changed, number: 2)
        let query = UserQuery(order: .email, limit: 5)
        let cursor = try #require(try await cache.reader.users(query).next)
        changed.removeFirst(30)
        changed[0].email = nil
        try await cache.sync(users: changed, number: 3)
        #expect(try await cache.allIDs(query.from(cursor)).isEmpty == false)
        let connection = try Connection(path: path, access: .readOnly)
        #expect(try connection.firstInt("SELECT count(DISTINCT number) FROM moves") == 10)
        #expect(
            try connection.firstInt("SELECT 1 FROM moves WHERE number NOT IN (SELECT number FROM users)")
                == nil)
        await cache.close()
    }
}
