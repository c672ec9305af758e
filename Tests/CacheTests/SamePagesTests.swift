import Foundation
import Model
import SQLite
import TestSupport
import Testing

@testable import Cache

@Suite("Unchanged pages")
struct SamePagesTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("c.db")
    }

    private static let pages = 8
    private static let pageSize = 50

    private func known(_ number: Int, _ version: String = "a") -> KnownPage {
        KnownPage(key: "k\(number)", digest: "\(number)\(version)")
    }

    private func cache() async throws -> Cache {
        let cache = try await openCache(path)
        try await cache.writer.beginStaging(.users, 1)
        for number in 1...Self.pages { try await stage(cache, number, sync: 1) }
        _ = try await cache.commit(.users, 1)
        return cache
    }

    /// - Parameter shift: number of records by which the list has moved towards its end.
    private func stage(_ cache: Cache, _ number: Int, _ version: String = "a", shift: Int = 0, sync: Int)
        async throws
    {
        let first = (number - 1) * Self.pageSize - shift
        let users = (first..<first + Self.pageSize).map { user("\($0)") }
        _ = try await cache.writer.stageUsers(
            Page(records: users, known: known(number, version)), number, sync)
    }

    private func logSize() throws -> Int {
        try #require(FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int)
    }

    @Test("A sync of unchanged pages writes no more bytes than its transition")
    func writesTransition() async throws {
        let cache = try await cache()
        #expect(try logSize() == 0)
        _ = try await cache.writer.record(change(.users, .loaded, count: 400, syncedAt: start))
        let transition = try logSize()
        #expect(transition > 0)
        try await cache.writer.beginStaging(.users, 2)
        for number in 1...Self.pages {
            #expect(try await cache.writer.stageSame(.users, number, known(number), 2) == 0)
        }
        #expect(try logSize() == transition)
        #expect(try await cache.commit(.users, 2) == RowChanges(before: 400, after: 400))
        let header = 32
        #expect(try logSize() == 2 * transition - header)
        await cache.close()
    }

    @Test("An unchanged page keeps its new validators and its records")
    func validators() async throws {
        let cache = try await cache()
        try await cache.writer.beginStaging(.users, 2)
        for number in 1...Self.pages {
            var known = known(number)
            known.validators.etag = "\"new\""
            _ = try await cache.writer.stageSame(.users, number, known, 2)
        }
        #expect(try await cache.commit(.users, 2) == RowChanges(before: 400, after: 400))
        #expect(try await cache.writer.page(.users, 8)?.known?.validators.etag == "\"new\"")
        #expect(try await cache.writer.page(.users, 8)?.count == Self.pageSize)
        await cache.close()
    }

    @Test("Records of unchanged pages are not copied: only a changed page is staged")
    func staged() async throws {
        // The cache's own connection, which is idle between calls of the cache.
        nonisolated(unsafe) var writing: Connection?
        let cache = try await openCache(path, configure: { writing = $0 })
        try await cache.writer.beginStaging(.users, 1)
        for number in 1...Self.pages { try await stage(cache, number, sync: 1) }
        _ = try await cache.commit(.users, 1)
        try await cache.writer.beginStaging(.users, 2)
        for number in 1...Self.pages where number != 3 {
            _ = try await cache.writer.stageSame(.users, number, known(number), 2)
        }
        try await stage(cache, 3, "b", sync: 2)
        #expect(try writing?.firstInt("SELECT count(*) FROM temp.staged_users") == Self.pageSize)
        #expect(try await cache.commit(.users, 2) == RowChanges(before: 400, after: 400))
        await cache.close()
    }

    @Test(
        "A record that moves to a neighbouring page is cached once, and each page knows its own records"
    )
    func wandering() async throws {
        let cache = try await cache()
        // One more record in page 4 moves all later ones by one; the last page is one longer.
        try await cache.writer.beginStaging(.users, 2)
        for number in 1...3 { _ = try await cache.writer.stageSame(.users, number, known(number), 2) }
        for number in 4...Self.pages { try await stage(cache, number, "b", shift: 1, sync: 2) }
        // 149 is on page 3, and is now also first on page 4; 399 is gone.
        #expect(try await cache.commit(.users, 2) == RowChanges(removed: 1, before: 400, after: 399))
        #expect(try await cache.writer.page(.users, 3) != nil)
        #expect(try await cache.writer.page(.users, 4) == nil)
        #expect(try await cache.writer.page(.users, 5)?.known == known(5, "b"))

        try await cache.writer.beginStaging(.users, 3)
        for number in 5...Self.pages {
            #expect(try await cache.writer.stageSame(.users, number, known(number, "b"), 3) == 0)
        }
        // 199 is on page 5 now; it was on page 4.
        #expect(try await cache.commit(.users, 3) == RowChanges(removed: 199, before: 399, after: 200))
        #expect(try await cache.ids(UserQuery(limit: 500)).contains("199"))
        await cache.close()
    }

    @Test("A page missing from a sync is removed with its records")
    func vanished() async throws {
        let cache = try await cache()
        try await cache.writer.beginStaging(.users, 2)
        for number in [1, 2, 4] { _ = try await cache.writer.stageSame(.users, number, known(number), 2) }
        #expect(try await cache.commit(.users, 2) == RowChanges(removed: 250, before: 400, after: 150))
        #expect(try await cache.writer.page(.users, 3) == nil)
        #expect(try await cache.writer.page(.users, 4) != nil)
        await cache.close()
    }
}
