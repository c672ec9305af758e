import Cache
import Model
import Stubs
import Sync
import Synchronization
import TestSupport
import Testing
import Upstream

/// Users are `u0`, `u1` and so on; a test says which of them the next lists have, and how they come.
@Suite("A user goes when a list that is whole lacks them", .stubs)
struct MissingUserTests {
    private static let hour = Duration.seconds(3600)

    /// A list, two users a page.
    private struct List: Sendable {
        var users: [Int]
        var total: Int?
        var isCounted = false
        /// The page that does not exist, though the one before named it.
        var absentPage: Int?
        var unidentified = 0
        var source = "json https://a:443/users"

        func page(_ request: PageRequest) -> Page<User> {
            if request.number == absentPage { return Page(records: [], end: .notThere(404)) }
            let start = (request.number - 1) * 2
            let numbers = users.dropFirst(start).prefix(2)
            var page = Page(
                records: numbers.map { User(id: "u\($0)", name: User.Name(first: "Ada", last: "Nº \($0)")) },
                total: total)
            if start + 2 < users.count || request.number + 1 == absentPage {
                page.next = PageRequest(number: request.number + 1, isCounted: isCounted)
            }
            if request.number == 1 { page.unread.unidentified = unidentified }
            if unidentified > 0 { page.unread.reason = "record 1: no id at /id" }
            return page
        }
    }

    private final class Upstream: Sendable {
        let list: Mutex<List>
        init(_ list: List) { self.list = Mutex(list) }

        var service: UsersService {
            var service = UsersService(fetchPage: { [self] request, _ in
                list.withLock { $0.page(request) }
            })
            service.requiresConsistentPages = true
            service.source = list.withLock { $0.source }
            return service
        }
    }

    private func rig(_ upstream: Upstream, path: String = ":memory:") async throws -> Rig {
        try await Rig {
            $0.users = upstream.service
            $0.path = path
            $0.paused = true
        }
    }

    /// Syncs once, and returns the users left and the state.
    private func sync(
        _ rig: Rig, _ upstream: Upstream, acceptsRemovals: Bool = false,
        _ change: (inout List) -> Void = { _ in }
    ) async throws -> (users: [String], state: State) {
        upstream.list.withLock { change(&$0) }
        let state = try #require(
            try await rig.engine.sync([.users], acceptsRemovals: acceptsRemovals, wait: true).first)
        #expect(state.failure == nil && state.phase == .loaded)
        return (try await rig.userIDs(), state)
    }

    private static let all = first(6)
    private static func first(_ count: Int) -> [String] { (0..<count).map { "u\($0)" } }

    @Test("Whoever a whole list lacks is removed at once")
    func whole() async throws {
        let upstream = Upstream(List(users: Array(0..<6), total: 6))
        let rig = try await rig(upstream)
        _ = try await sync(rig, upstream)
        let (users, state) = try await sync(rig, upstream) {
            $0.users.removeLast()
            $0.total = 5
        }
        #expect(users == Self.first(5) && state.missing == nil)
        await rig.stop()
    }

    @Test(
        "A user who moves to a page that was already read stays, and is no longer missing once a list has them"
    )
    func moves() async throws {
        let upstream = Upstream(List(users: Array(0..<6), total: 6, isCounted: true))
        let rig = try await rig(upstream)
        _ = try await sync(rig, upstream)
        // u0 leaves after page 1 was read: u2 moves to page 1, and is on no page that is read later.
        let moved = try await sync(rig, upstream) { $0.users = [0, 1, 3, 4, 5, 6] }
        #expect(moved.users == Self.all + ["u6"])
        #expect(moved.state.missing == Missing(count: 1, reason: .counted))
        let next = try await sync(rig, upstream) { $0.users = [1, 2, 3, 4, 5, 6] }
        #expect(next.users == Self.all + ["u6"] && next.state.missing == Missing(count: 1, reason: .counted))
        let last = try await sync(rig, upstream)
        #expect(last.users == ["u1", "u2", "u3", "u4", "u5", "u6"] && last.state.missing == nil)
        #expect(last.state.cause == .committed(Changes(removed: 1)))
        await rig.stop()
    }

    @Test(
        "Whoever a list lacks that fell short, or ended early, goes after all lists of a day lacked them",
        arguments: ["short", "ended early", "unidentified"])
    func day(_ kind: String) async throws {
        let upstream = Upstream(List(users: Array(0..<6), total: 6))
        let rig = try await rig(upstream)
        _ = try await sync(rig, upstream)
        let reason: Doubt = kind == "short" ? .short : kind == "unidentified" ? .unidentified : .endedEarly
        for hour in 0..<24 {
            let (users, state) = try await sync(rig, upstream) {
                $0.users = [0, 1, 2, 3]
                $0.total = kind == "short" ? 6 : nil
                $0.absentPage = kind == "ended early" ? 3 : nil
                $0.unidentified = kind == "unidentified" ? 1 : 0
            }
            #expect(users == Self.all, "after \(hour) hours")
            #expect(state.missing == Missing(count: 2, reason: reason))
            rig.clock.advance(by: Self.hour)
        }
        let (users, state) = try await sync(rig, upstream)
        #expect(users == Self.first(4) && state.missing == nil)
        await rig.stop()
    }

    @Test("An outage of a night removes nobody, also if userd starts anew, and nobody is missing after it")
    func night() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("userd.db")
        let upstream = Upstream(List(users: Array(0..<6), total: 6))
        var rig = try await rig(upstream, path: path)
        _ = try await sync(rig, upstream)
        for _ in 0..<10 {
            let (users, _) = try await sync(rig, upstream) { $0.users = [0, 1, 2] }
            #expect(users == Self.all)
            await rig.stop()
            await rig.cache.close()
            rig = try await self.rig(upstream, path: path)
        }
        let (users, state) = try await sync(rig, upstream) { $0.users = Array(0..<6) }
        #expect(users == Self.all && state.missing == nil)
        await rig.stop()
        await rig.cache.close()
    }

    @Test("A server that always counts users whom it never shows removes whoever leaves after two lists")
    func hidden() async throws {
        let upstream = Upstream(List(users: Array(0..<6), total: 16))
        let rig = try await rig(upstream)
        _ = try await sync(rig, upstream)
        for left in [5, 4, 3] {
            let waiting = try await sync(rig, upstream) {
                $0.users.removeLast()
                $0.total = left + 10
            }
            #expect(waiting.users == Self.first(left + 1))
            #expect(waiting.state.missing == Missing(count: 1, reason: .short))
            #expect(try await sync(rig, upstream).users == Self.first(left))
        }
        await rig.stop()
    }

    @Test("Consent removes at once, and accepts what the list lacks")
    func consent() async throws {
        let upstream = Upstream(List(users: Array(0..<6), total: 6))
        let rig = try await rig(upstream)
        _ = try await sync(rig, upstream)
        let (users, state) = try await sync(rig, upstream, acceptsRemovals: true) { $0.users = [0, 1, 2] }
        #expect(users == Self.first(3) && state.missing == nil)
        _ = try await sync(rig, upstream) {
            $0.users = [0, 1]
            $0.total = 5
        }
        #expect(try await sync(rig, upstream).users == Self.first(2))
        await rig.stop()
    }

    @Test("A list whose records mostly can't be told apart fails, and so does one without a name")
    func unusable() async throws {
        let upstream = Upstream(List(users: Array(0..<3), unidentified: 4))
        let rig = try await rig(upstream)
        let failed = try await rig.engine.sync([.users], wait: true).first?.failure
        #expect(failed?.message == "4 of 7 records can't be told apart: record 1: no id at /id")
        await rig.stop()

        var service = UsersService(fetchPage: { _, _ in
            var page = Page<User>(records: [], leftOut: ["1", "2"])
            page.unread.nameless = 2
            return page
        })
        service.requiresConsistentPages = true
        let nameless = try await Rig { [service] in
            $0.users = service
            $0.paused = true
        }
        let state = try await nameless.engine.sync([.users], wait: true).first
        #expect(state?.phase == .error)
        #expect(
            state?.failure?.message
                == "all 2 users are left out: they have neither a name nor an address; see users.fields")
        await nameless.stop()
    }

    @Test("Users who share an id fail the first sync if their names differ, and are counted later")
    func sharedIDs() async throws {
        let pages = Mutex([("1", "Anna"), ("2", "Ben"), ("2", "Cleo")])
        var service = UsersService(fetchPage: { _, _ in
            Page(
                records: pages.withLock { $0 }.map {
                    User(id: $0.0, name: User.Name(first: $0.1, last: "Keller"))
                })
        })
        service.requiresConsistentPages = true
        let rig = try await Rig { [service] in
            $0.users = service
            $0.paused = true
        }
        let failed = try await rig.engine.sync([.users], wait: true).first?.failure
        #expect(
            failed?.message == """
                some users share an id with another: those with the id 2 have different names; see users.fields.id
                """)
        pages.withLock { $0 = [("1", "Anna"), ("2", "Ben")] }
        #expect(try await rig.engine.sync([.users], wait: true).first?.phase == .loaded)
        pages.withLock { $0.append(("2", "Cleo")) }
        #expect(try await rig.engine.sync([.users], wait: true).first?.phase == .loaded)
        #expect(rig.engine.notes[.users]?.shared == 1)
        pages.withLock { $0[2] = ("3", "Cleo") }
        #expect(try await rig.engine.sync([.users], wait: true).first?.count == 3)
        #expect(rig.engine.notes[.users]?.shared == 0)
        await rig.stop()
    }

    @Test(
        "A list without any known user is refused at any number of users, unless the guard is 1",
        arguments: [0.5, 0.99, 1])
    func everybody(_ limit: Double) async throws {
        let isEmpty = Flag()
        var service = UsersService(fetchPage: { _, _ in
            isEmpty.isOn ? Page(records: [], end: .empty) : people(0..<3)
        })
        service.requiresConsistentPages = true
        let rig = try await Rig { [service] in
            $0.users = service
            $0.paused = true
            $0.removalGuard = limit
        }
        _ = try await rig.engine.sync([.users], wait: true)
        isEmpty.set(true)
        let state = try await rig.engine.sync([.users], wait: true).first
        #expect(state?.count == (limit < 1 ? 3 : 0))
        #expect(state?.failure?.kind == (limit < 1 ? .removalGuard : nil))
        await rig.stop()
    }
}
