import Cache
import Model
import SQLite
import TestSupport
import Testing

@Suite("Records that came as they are cached")
struct SameRecordsTests {
    private func page(_ number: Int, _ version: String, records: Int = 3) -> CachedPage {
        CachedPage(
            number: number, known: KnownPage(key: "k", digest: version), next: nil, total: nil,
            records: records)
    }

    /// Users 0 to 8 on three pages; the digest of each is a hundred more than its id.
    private func cache(
        _ configure: @escaping @Sendable (Connection) throws -> Void = { _ in }
    ) async throws -> Cache {
        let cache = try await openCache(configure: configure)
        try await cache.writer.beginStaging(.users, 1)
        for number in 1...3 {
            let ids = ((number - 1) * 3)..<(number * 3)
            let users = PageRecords(ids.map { user("\($0)") }, digests: ids.map { Int64($0 + 100) })
            #expect(try await cache.writer.stageUsers(users, page(number, "a"), 1) == 0)
        }
        _ = try await cache.commit(.users, 1)
        return cache
    }

    /// What is known of those users, at those places.
    private func same(_ cache: Cache, _ users: [(id: Int64, place: Int)], on page: Int) async throws
        -> [SameRecord]
    {
        let known = try await cache.writer.knownUsers(page)
        return try users.map {
            SameRecord(number: try #require(known[$0.id + 100], "user \($0.id)"), place: $0.place)
        }
    }

    @Test("Those of a page and of its neighbours are known, and no others")
    func known() async throws {
        let cache = try await cache()
        #expect(try await Set(cache.writer.knownUsers(1).keys) == Set(100...105))
        #expect(try await Set(cache.writer.knownUsers(2).keys) == Set(100...108))
        #expect(try await cache.writer.knownUsers(5) == [:])
    }

    @Test("They are not copied, and what is known of them follows them to another page")
    func moved() async throws {
        // The cache's own, which nobody uses while nobody asks the cache for anything.
        nonisolated(unsafe) var writing: Connection?
        let cache = try await cache { writing = $0 }
        try await cache.writer.beginStaging(.users, 2)
        // One is new at the start, so that all others move by one; the last has gone.
        let first = PageRecords(
            [user("9")], digests: [109],
            same: try await same(cache, [(0, 1), (1, 1)], on: 1))
        #expect(try await cache.writer.stageUsers(first, page(1, "b"), 2) == 0)
        for number in 2...3 {
            let start = Int64(number - 1) * 3 - 1
            let records = PageRecords<User>(
                [], same: try await same(cache, (start..<start + 3).map { ($0, 0) }, on: number))
            #expect(try await cache.writer.stageUsers(records, page(number, "b"), 2) == 0)
        }
        #expect(try writing?.firstInt("SELECT count(*) FROM temp.staged_users") == 1)
        #expect(
            try await cache.commit(.users, 2) == RowChanges(added: 1, removed: 1, before: 9, after: 9))
        for number in 1...3 { #expect(try await cache.writer.page(.users, number)?.known.digest == "b") }
        #expect(
            try await Set(cache.writer.knownUsers(1).keys) == [109, 100, 101, 102, 103, 104])
        #expect(try await Set(cache.allIDs(UserQuery())) == Set((0...7).map(String.init) + ["9"]))
    }

    @Test("The first record of an id is kept, whether it is the same or another", arguments: [true, false])
    func firstIsKept(isSameFirst: Bool) async throws {
        let cache = try await cache()
        try await cache.writer.beginStaging(.users, 2)
        let records = PageRecords(
            [user("1", "Eve")], digests: [999],
            same: try await same(cache, [(1, isSameFirst ? 0 : 1)], on: 1))
        #expect(try await cache.writer.stageUsers(records, page(1, "b", records: 2), 2) == 1)
        #expect(
            try await cache.commit(.users, 2)
                == RowChanges(changed: isSameFirst ? 0 : 1, removed: 8, before: 9, after: 1))
        #expect(
            try await cache.reader.allUsers(UserQuery()).map(\.name.first) == [isSameFirst ? "Ada" : "Eve"])
        // Which of them is there next time is not known, so that all are read.
        #expect(try await cache.writer.page(.users, 1) == nil)
        #expect(try await cache.writer.knownUsers(1) == [:])
    }

    @Test("A record that was on an unchanged page, too, is there once")
    func onUnchangedPage() async throws {
        let cache = try await cache()
        for (sync, isSameFirst) in [(2, true), (3, false)] {
            let twice = PageRecords<User>([], same: try await same(cache, [(4, 0)], on: 2))
            try await cache.writer.beginStaging(.users, sync)
            if isSameFirst {
                #expect(try await cache.writer.stageUsers(twice, page(1, "b", records: 1), sync) == 0)
                #expect(try await cache.stageSame(.users, 2, sync) == 1)
            } else {
                #expect(try await cache.stageSame(.users, 2, sync) == 0)
                #expect(try await cache.writer.stageUsers(twice, page(1, "b", records: 1), sync) == 1)
            }
            #expect(try await cache.stageSame(.users, 3, sync) == 0)
            await cache.writer.dropStaging(.users, sync)
        }
    }

    @Test("Where all are the same, in whatever order they come, no row is written")
    func reordered() async throws {
        let cache = try await cache()
        try await cache.writer.beginStaging(.users, 2)
        for number in 1...3 {
            let start = Int64(number - 1) * 3
            let records = PageRecords<User>(
                [], same: try await same(cache, (start..<start + 3).reversed().map { ($0, 0) }, on: number))
            #expect(try await cache.writer.stageUsers(records, page(number, "b"), 2) == 0)
        }
        #expect(try await cache.commit(.users, 2) == RowChanges(before: 9, after: 9))
        #expect(try await cache.writer.page(.users, 2)?.known.digest == "b")
        #expect(try await Set(cache.writer.knownUsers(1).keys) == Set(100...105))
    }
}
