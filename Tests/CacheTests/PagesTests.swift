import Model
import SQLite
import TestSupport
import Testing

@testable import Cache

@Suite("Pages in the cache")
struct PagesTests {
    private func page(
        _ number: Int, _ etag: String = "\"a\"", next: PageRequest? = nil, records: Int
    ) -> Page<Never> {
        Page(
            next: next, total: 9,
            known: KnownPage(key: "k\(number)", validators: Validators(etag: etag)), cachedCount: records)
    }

    /// A new cache with two pages of two users.
    private func cacheOfTwoPages(_ path: String = ":memory:") async throws -> Cache {
        let cache = try await openCache(path)
        try await cache.sync(number: 1) { cache in
            try await cache.stage(
                [user("1"), user("2")], page(1, next: PageRequest(number: 2), records: 2), 1, 1)
            try await cache.stage([user("3"), user("4")], page(2, records: 2), 2, 1)
        }
        return cache
    }

    @Test("A page is found as it was committed, and not before")
    func known() async throws {
        let cache = try await openCache()
        let first = Page<Never>(
            next: PageRequest(number: 2, token: #"s"ü"#, isPastTotal: true), total: 4,
            known: KnownPage(key: "k", validators: Validators(etag: #"W/"1""#, lastModified: "yesterday")),
            leftOut: ["a", "b"], cachedCount: 1)
        let second = Page<Never>(
            known: KnownPage(key: "k", validators: Validators(lastModified: "x")), isCut: true,
            cachedCount: 1)
        try await cache.writer.beginStaging(.users, 1)
        try await cache.stage([user("1")], first, 1, 1)
        try await cache.stage([user("2")], second, 2, 1)
        #expect(try await cache.writer.page(.users, 1) == nil)
        _ = try await cache.commit(.users, 1)
        #expect(try await cache.writer.page(.users, 1) == first)
        #expect(try await cache.writer.page(.users, 2) == second)
        #expect(try await cache.writer.page(.users, 3) == nil)
        #expect(try await cache.writer.page(.facts, 1) == nil)
    }

    @Test(
        "If all users move to other pages, the work grows with their number, not with its square"
    )
    func otherPages() async throws {
        // The cache's own connection, which is idle between calls of the cache.
        nonisolated(unsafe) var writing: Connection?
        let cache = try await openCache(configure: { writing = $0 })
        for (sync, size) in [(1, 20), (2, 25)] {
            try await cache.sync(number: sync) { cache in
                for number in 1...(2000 / size) {
                    // The first user is removed by the second sync.
                    let users = (0..<size).map { user("\((number - 1) * size + $0 + sync)") }
                    try await cache.stage(users, page(number, "\"\(sync)\"", records: size), number, sync)
                }
            }
        }
        // A statement's steps (https://www.sqlite.org/stmt.html); the square would be four million.
        let steps = try #require(writing).first(
            "SELECT max(nstep) FROM sqlite_stmt WHERE sql LIKE 'DELETE FROM page_users%'"
        ) { try $0.int(0) }
        #expect(try #require(steps) < 500_000)
        #expect(try await cache.writer.page(.users, 80)?.count == 25)
        #expect(try await cache.writer.page(.users, 81) == nil)
        #expect(try #require(writing).firstInt("SELECT count(*) FROM page_users") == 2000)
    }

    @Test("An unchanged page is staged from the cache, and stays known")
    func unchanged() async throws {
        let cache = try await cacheOfTwoPages()
        let before = try await cache.reader.users(UserQuery()).users
        let changes = try await cache.sync(number: 2) { cache async throws in
            #expect(try await cache.stageSame(.users, 1, 2) == 0)
            #expect(try await cache.stageSame(.users, 2, 2) == 0)
        }
        #expect(changes == RowChanges(before: 4, after: 4))
        #expect(try await cache.reader.users(UserQuery()).users == before)
        #expect(try await cache.writer.page(.users, 1) == page(1, next: PageRequest(number: 2), records: 2))
    }

    @Test("A sync may have changed and unchanged pages")
    func mixed() async throws {
        let cache = try await cacheOfTwoPages()
        let changes = try await cache.sync(number: 2) { cache in
            _ = try await cache.stageSame(.users, 1, 2)
            try await cache.stage([user("4", "Grace"), user("5")], page(2, "\"b\"", records: 2), 2, 2)
        }
        #expect(changes == RowChanges(added: 1, changed: 1, removed: 1, before: 4, after: 4))
        #expect(try await cache.ids(UserQuery()).sorted() == ["1", "2", "4", "5"])
        #expect(try await cache.writer.page(.users, 2) == page(2, "\"b\"", records: 2))
        // Users who left the page no longer belong to it.
        _ = try await cache.sync(number: 3) { _ = try await $0.stageSame(.users, 2, 3) }
        #expect(try await cache.ids(UserQuery()).sorted() == ["4", "5"])
    }

    @Test("A page that repeats a record of an earlier one is not known; the earlier one is")
    func duplicates() async throws {
        let cache = try await openCache()
        try await cache.sync(number: 1) { cache in
            try await cache.stage([user("1"), user("2")], page(1, records: 2), 1, 1)
            try await cache.stage([user("2", "Eve"), user("3")], page(2, records: 2), 2, 1)
            try await cache.stage([user("4"), user("4", "Eve")], page(3, records: 2), 3, 1)
        }
        #expect(try await cache.writer.page(.users, 1) != nil)
        #expect(try await cache.writer.page(.users, 2) == nil)
        #expect(try await cache.writer.page(.users, 3) == nil)
    }

    @Test(
        "An unchanged page that now repeats a record of an earlier one counts it, and is no longer known")
    func becomesDuplicate() async throws {
        let cache = try await cacheOfTwoPages()
        try await cache.sync(number: 2) { cache in
            try await cache.stage([user("1"), user("3", "Grace")], page(1, "\"b\"", records: 2), 1, 2)
            #expect(try await cache.stageSame(.users, 2, 2) == 1)
        }
        let users = try await cache.reader.users(UserQuery()).users
        #expect(Set(users) == [user("1"), user("3", "Grace"), user("4")])
        #expect(try await cache.writer.page(.users, 2) == nil)
    }

    @Test("Pages missing from a sync are forgotten")
    func vanished() async throws {
        let cache = try await cacheOfTwoPages()
        try await cache.sync(number: 2) { _ = try await $0.stageSame(.users, 1, 2) }
        #expect(try await cache.writer.page(.users, 1) != nil)
        #expect(try await cache.writer.page(.users, 2) == nil)
        #expect(try await cache.ids(UserQuery()).sorted() == ["1", "2"])
    }

    @Test("A page that must not be cached is forgotten, and an unknown page can't be staged")
    func withoutValidators() async throws {
        let cache = try await cacheOfTwoPages()
        try await cache.sync(number: 2) { cache in
            try await cache.stage([user("1"), user("2")], Page(), 1, 2)
            _ = try await cache.stageSame(.users, 2, 2)
        }
        #expect(try await cache.writer.page(.users, 1) == nil)
        #expect(try await cache.writer.page(.users, 2) != nil)
        try await cache.sync(number: 3) { cache async throws in
            #expect(try await cache.stageSame(.users, 1, 3) == nil)
            try await cache.stage([user("1"), user("3", "Grace"), user("4")], Page(), 1, 3)
        }
        #expect(try await cache.writer.page(.users, 2) == nil)
    }

    @Test("An unchanged list keeps its rows and pages")
    func sameList() async throws {
        let cache = try await cacheOfTwoPages()
        let before = try await cache.reader.users(UserQuery()).users
        let changes = try await cache.sync(number: 2) { cache async throws in
            #expect(try await cache.writer.stageSameList(.users, 2) == 4)
        }
        #expect(changes == RowChanges(before: 4, after: 4))
        #expect(try await cache.reader.users(UserQuery()).users == before)
        #expect(try await cache.writer.page(.users, 2) == page(2, records: 2))
        // The next list differs.
        try await cache.sync(number: 3) { _ = try await $0.stageSame(.users, 1, 3) }
        #expect(try await cache.ids(UserQuery()).sorted() == ["1", "2"])
    }

    @Test(
        "A sync that begins again drops what it staged, and can't begin again once a later one has begun")
    func beginAgain() async throws {
        let cache = try await cacheOfTwoPages()
        try await cache.sync(number: 2) { cache async throws in
            try await cache.stage([user("9")], page(1, "\"b\"", records: 1), 1, 2)
            _ = try await cache.stageSame(.users, 2, 2)
            try await cache.writer.beginAgain(.users, 2)
            try await cache.stage([user("9"), user("1")], page(1, "\"c\"", records: 2), 1, 2)
        }
        #expect(try await cache.ids(UserQuery()).sorted() == ["1", "9"])
        try await cache.writer.beginStaging(.users, 3)
        try await cache.writer.beginStaging(.users, 4)
        await #expect(throws: CancellationError.self) { try await cache.writer.beginAgain(.users, 3) }
    }

    @Test("A page without records is known like any other")
    func empty() async throws {
        let cache = try await openCache()
        try await cache.sync(number: 1) { try await $0.stage([], page(1, records: 0), 1, 1) }
        #expect(try await cache.writer.page(.users, 1) == page(1, records: 0))
        let changes = try await cache.sync(number: 2) { cache async throws in
            #expect(try await cache.stageSame(.users, 1, 2) == 0)
        }
        #expect(changes == RowChanges())
    }

    @Test("An abandoned or refused sync leaves the pages of the cached rows")
    func givenUp() async throws {
        let cache = try await cacheOfTwoPages()
        try await cache.writer.beginStaging(.users, 2)
        try await cache.stage([user("9")], page(1, "\"z\"", records: 1), 1, 2)
        struct Refused: Error {}
        await #expect(throws: Refused.self) {
            _ = try await cache.writer.commit(.users, 2, .atOnce) { _ in throw Refused() }
        }
        #expect(try await cache.writer.page(.users, 1)?.known?.validators.etag == "\"a\"")
        // The next sync does not use what that one staged.
        try await cache.sync(number: 3) { _ = try await $0.stageSame(.users, 1, 3) }
        #expect(try await cache.writer.page(.users, 1)?.known?.validators.etag == "\"a\"")
        #expect(try await cache.ids(UserQuery()).sorted() == ["1", "2"])
    }

    @Test("A sync that lost the staging area to a later one can stage no cached page")
    func late() async throws {
        let cache = try await cacheOfTwoPages()
        try await cache.writer.beginStaging(.users, 2)
        try await cache.writer.beginStaging(.users, 3)
        await #expect(throws: CancellationError.self) { _ = try await cache.stageSame(.users, 1, 2) }
    }

    @Test("A page of facts is no longer known once one of its facts is removed")
    func evicted() async throws {
        let cache = try await openCache(maximumFacts: 4)
        try await cache.sync(facts: [[fact("a"), fact("b")], [fact("c"), fact("d")]], number: 1)
        #expect(try await cache.writer.page(.facts, 1) != nil)
        _ = try await cache.writer.addFact(fact("e"))
        #expect(try await cache.writer.page(.facts, 1) == nil)
        #expect(try await cache.writer.page(.facts, 2) != nil)
        // Not even if it was known when upstream was asked.
        try await cache.writer.beginStaging(.facts, 2)
        #expect(try await cache.stageSame(.facts, 1, 2) == nil)
        #expect(try await cache.stageSame(.facts, 2, 2) == 0)
    }

    @Test("A fact removed during a sync stays out until its page is fetched in full")
    func evictedMeanwhile() async throws {
        let cache = try await openCache(maximumFacts: 4)
        try await cache.sync(facts: [[fact("a"), fact("b")], [fact("c"), fact("d")]], number: 1)
        try await cache.writer.beginStaging(.facts, 2)
        _ = try await cache.stageSame(.facts, 1, 2)
        _ = try await cache.writer.addFact(fact("e"))
        _ = try await cache.stageSame(.facts, 2, 2)
        _ = try await cache.commit(.facts, 2)
        let ids = try await cache.reader.facts(FactQuery()).facts.map(\.id)
        #expect(Set(ids) == ["b", "c", "d", "e"])
        #expect(try await cache.writer.page(.facts, 1) == nil)
    }

    @Test("A second sync of the same records writes no rows of records or pages", arguments: [true, false])
    func writesNothing(isCached: Bool) async throws {
        let directory = try TemporaryDirectory()
        let cache = try await cacheOfTwoPages(directory.file("c.db"))
        try await cache.sync(facts: [[fact("a"), fact("b")]], number: 1)
        let connection = try Connection(path: directory.file("c.db"), access: .readWrite)
        try connection.execute("CREATE TABLE writes (what TEXT)")
        for table in ["users", "facts", "pages", "page_users", "page_facts"] {
            for event in ["INSERT", "UPDATE", "DELETE"] {
                try connection.execute(
                    """
                    CREATE TRIGGER \(table)_\(event) AFTER \(event) ON \(table)
                    BEGIN INSERT INTO writes VALUES ('\(event) \(table)'); END
                    """)
            }
        }
        try await cache.sync(number: 2) { cache in
            if isCached {
                for number in [1, 2] { _ = try await cache.stageSame(.users, number, 2) }
            } else {
                let next = PageRequest(number: 2)
                try await cache.stage([user("1"), user("2")], page(1, next: next, records: 2), 1, 2)
                try await cache.stage([user("3"), user("4")], page(2, records: 2), 2, 2)
            }
        }
        try await cache.writer.beginStaging(.facts, 2)
        if isCached {
            _ = try await cache.stageSame(.facts, 1, 2)
        } else {
            _ = try await cache.writer.stageFacts([fact("a"), fact("b")], on: page(1, records: 2), 1, 2)
        }
        _ = try await cache.commit(.facts, 2)
        #expect(try connection.rows("SELECT what FROM writes") { try $0.text(0) } == [])

        // If one page's version differs, only its row is written.
        try await cache.sync(number: 3) { cache in
            _ = try await cache.stageSame(.users, 1, 3)
            try await cache.stage([user("3"), user("4")], page(2, "\"b\"", records: 2), 2, 3)
        }
        #expect(
            try connection.rows("SELECT what FROM writes") { try $0.text(0) }
                == ["DELETE pages", "INSERT pages"])
        await cache.close()
    }
}

extension Cache {
    /// Runs a whole sync of users, staged by `stage`.
    @discardableResult
    fileprivate func sync(number: Int, _ stage: (Cache) async throws -> Void) async throws -> RowChanges {
        try await writer.beginStaging(.users, number)
        try await stage(self)
        return try await commit(.users, number)
    }

    fileprivate func stage(_ users: [User], _ page: Page<Never>, _ number: Int, _ sync: Int) async throws {
        _ = try await writer.stageUsers(page.of(users), number, sync)
    }

    fileprivate func sync(facts pages: [[Fact]], number: Int) async throws {
        try await writer.beginStaging(.facts, number)
        for (index, facts) in pages.enumerated() {
            let known = KnownPage(key: "k\(index + 1)", validators: Validators(etag: "\"a\""))
            _ = try await writer.stageFacts(
                facts, on: Page(records: facts, total: 9, known: known), index + 1, number)
        }
        _ = try await commit(.facts, number)
    }
}
