import Model
import TestSupport
import Testing

@testable import Cache

@Suite("Changes in the cache")
struct StagedChangesTests {
    /// A cache with four users on two known pages, of whom the list after them lacks user 3.
    private func cacheOfFour() async throws -> Cache {
        let cache = try await openCache()
        for (sync, last) in [(1, ["3", "4"]), (2, ["4"])] {
            try await cache.writer.beginStaging(.users, sync)
            for (number, ids) in [(1, ["1", "2"]), (2, last)] {
                let known = KnownPage(key: "k\(number)", validators: Validators(etag: "\(sync)"))
                let page = Page(records: ids.map { user($0) }, total: 4, known: known)
                _ = try await cache.writer.stageUsers(page, number, sync)
            }
            _ = try await cache.commit(.users, sync, .ifMissingBefore(now: start))
        }
        return cache
    }

    private func commit(_ page: Page<User>, _ cache: Cache) async throws -> RowChanges {
        try await cache.writer.beginStaging(.users, 3)
        _ = try await cache.writer.stageChanges(page, 3)
        return try await cache.commit(.users, 3)
    }

    @Test("A page with somebody who changes or goes is no longer known; others stay known")
    func pages() async throws {
        for page in [Page(records: [user("1", "Eva")]), gone("2")] {
            let cache = try await cacheOfFour()
            _ = try await commit(page, cache)
            #expect(try await cache.writer.page(.users, 1) == nil)
            #expect(try await cache.writer.page(.users, 2) != nil)
        }
        let cache = try await cacheOfFour()
        _ = try await commit(Page(records: [user("1")]), cache)
        #expect(try await cache.writer.page(.users, 1) != nil)
    }

    @Test(
        "A field of which a record has a part needs the list if it would change, and so does a part of somebody new"
    )
    func lacking() async throws {
        func needsList(_ user: User, known: User? = nil, _ fill: (inout LackingRecord) -> Void) async throws
            -> Bool
        {
            let cache = try await openCache()
            try await cache.sync(users: [known ?? user])
            var page = Page(records: [user])
            page.lacking[0] = LackingRecord()
            fill(&page.lacking[0]!)
            try await cache.writer.beginStaging(.users, 3)
            return try await cache.writer.stageChanges(page, 3).needsList
        }
        var known = user("1")
        (known.phone, known.cell, known.jobTitle) = ("1", "2", "Clerk")
        var part = known
        (part.cell, part.jobTitle) = (nil, "Chief")
        let (phones, isOfKnown) = ([UserField.phone, .cell, .phones], true)
        #expect(try await needsList(part, known: known) { $0.divided = phones })
        #expect(try await !needsList(part, known: known) { ($0.absent, $0.isOfKnown) = (phones, isOfKnown) })
        part.cell = "2"
        #expect(try await !needsList(part, known: known) { ($0.divided, $0.isOfKnown) = (phones, isOfKnown) })
        #expect(try await needsList(user("2"), known: known) { $0.isOfKnown = isOfKnown })
        #expect(try await !needsList(user("2"), known: known) { $0.absent = [.managerID] })
    }

    @Test("A name that is made of another field needs the list if that changes; one that is not there stays")
    func names() async throws {
        let cache = try await openCache()
        let shown = User(id: "1", name: .init(first: "", last: "Ada L.")) { $0.displayName = "Ada L." }
        try await cache.sync(users: [shown, user("2", "Eva", "Berg")])
        for (id, displayName, needsList) in [
            ("1", "Ada L.", false), ("1", "Ida B.", true), ("2", "Ida B.", false),
        ] {
            var page = Page(records: [
                User(id: id, name: .init(first: "", last: displayName)) {
                    ($0.displayName, $0.username) = (displayName, id == "2" ? "user2" : nil)
                }
            ])
            page.lacking[0] = LackingRecord()
            page.lacking[0]?.absent = [.given, .family]
            try await cache.writer.beginStaging(.users, 3)
            #expect(try await cache.writer.stageChanges(page, 3).needsList == needsList)
        }
        _ = try await cache.commit(.users, 3)
        let users = try await cache.reader.users(UserQuery()).users.sorted { $0.id < $1.id }
        #expect(users.map(\.name) == [.init(first: "", last: "Ada L."), .init(first: "Eva", last: "Berg")])
        #expect(users.map(\.displayName) == ["Ada L.", "Ida B."])
    }

    private func gone(_ id: String) -> Page<User> {
        var page = Page<User>()
        page.gone = [Gone(id: id, after: 0)]
        return page
    }

    @Test("Whoever is missing stays so until a change names them")
    func missing() async throws {
        let cache = try await cacheOfFour()
        #expect(try await commit(Page(records: [user("1", "Eva")]), cache).missing == 1)
        #expect(try await commit(Page(records: [user("3")]), cache).missing == 0)
        #expect(try await commit(Page(records: [user("1", "Ida")]), cache).missing == 0)
        let other = try await cacheOfFour()
        let changes = try await commit(gone("3"), other)
        #expect(changes == RowChanges(removed: 1, before: 4, after: 3))
    }

    @Test("A list is compared with the changes that were staged before it, and with no others")
    func compared() async throws {
        let cache = try await cacheOfFour()
        try await cache.writer.beginStaging(.users, 4)
        _ = try await cache.writer.stageChanges(Page(records: [user("1", "Eva"), user("5")]), 4)
        #expect(try await cache.writer.named(["1", "2", "5"], 4) == ["1", "5"])
        try await cache.writer.beginComparedList(4)
        let list = ["1", "2", "4", "5", "6"].map { user($0, "Eva") }
        _ = try await cache.writer.stageUsers(Page(records: list), 1, 4)
        let changes = try await cache.commit(.users, 4)
        // 3 has gone, 6 is new, and 2 and 4 have changed.
        #expect(changes.unnamed.map(Set.init) == ["2", "3", "4", "6"])
        #expect(changes.changes == Changes(added: 2, changed: 3, removed: 1))

        try await cache.writer.beginStaging(.users, 5)
        _ = try await cache.writer.stageUsers(Page(records: list), 1, 5)
        #expect(try await cache.commit(.users, 5).unnamed == nil)
    }

    @Test("Ages, managers, pictures and times of changes are not compared")
    func untold() async throws {
        let cache = try await cacheOfFour()
        try await cache.writer.beginStaging(.users, 4)
        try await cache.writer.beginComparedList(4)
        let list = ["1", "2", "3", "4"].map { id in
            var user = user(id)
            (user.age, user.updatedAt) = (40, start)
            user.manager = User.Manager(id: "1")
            user.picture = User.Picture(large: "l")
            return user
        }
        _ = try await cache.writer.stageUsers(Page(records: list), 1, 4)
        let changes = try await cache.commit(.users, 4)
        #expect(changes.unnamed == [] && changes.changed == 4)
    }
}
