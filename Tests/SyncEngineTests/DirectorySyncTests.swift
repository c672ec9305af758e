import Cache
import Logging
import Model
import Stubs
import Sync
import Synchronization
import TestSupport
import Testing
import Upstream

@Suite("Lists of directories", .stubs)
struct DirectorySyncTests {
    private func service(
        _ source: String = "scim https://a:443/Users",
        _ page: @escaping @Sendable (PageRequest) throws -> Page<User>
    ) -> UsersService {
        var service = UsersService { request, _ in try page(request) }
        service.requiresConsistentPages = true
        service.source = source
        return service
    }

    private func rig(_ service: UsersService) async throws -> Rig {
        try await Rig {
            $0.users = service
            $0.paused = true
        }
    }

    @Test("Users that are left out count towards the total")
    func leftOut() async throws {
        let rig = try await rig(
            service { _ in
                var page = people(0..<3, total: 5)
                page.leftOut = ["x", "y", "x"]
                return page
            })
        let state = try await rig.engine.sync([.users], wait: true).first
        #expect(state?.phase == .loaded && state?.leftOut == LeftOut(skipped: 2, unidentified: 0))
        await rig.stop()
    }

    @Test("Pages that form a loop fail the sync, and the failure names the setting to check")
    func circles() async throws {
        let rig = try await rig(
            service { request in
                var page = people(request.number..<request.number + 1)
                page.next = PageRequest(
                    number: request.number + 1, token: request.number % 2 == 0 ? "a" : "b")
                return page
            })
        let state = try #require(try await rig.engine.sync([.users], wait: true).first)
        #expect(state.failure?.kind == .decode)
        #expect(state.failure?.message.contains("see users.paging") == true)
        await rig.stop()
    }

    @Test("Repeated ids fail the sync, and the failure names users.fields.id")
    func sameIDs() async throws {
        let list = Mutex(people(0..<10, next: 2, total: 100))
        let rig = try await rig(service { _ in list.withLock { $0 } })
        func message() async throws -> String? {
            try await rig.engine.sync([.users], wait: true).first?.failure?.message
        }
        #expect(
            try await message()?.hasSuffix("see users.paging, and users.fields.id if the ids are not unique")
                == true)
        var page = people(0..<10)
        page.records = page.records.map { user in
            var user = user
            user.id = user.id == "u0" || user.id == "u1" || user.id == "u2" ? user.id : "same"
            return user
        }
        list.withLock { $0 = page }
        for _ in 0..<2 {
            #expect(try await message() == "6 of 10 records repeat an id; see users.fields.id")
        }
        page.records = people(0..<10).records + people(0..<5).records
        page.total = 15
        list.withLock { $0 = page }
        #expect(try await message() == nil)
        #expect(try await rig.userIDs().count == 10)
        await rig.stop()
    }

    @Test("Two repeated pages in a row fail the sync")
    func repeats() async throws {
        let asked = Atomic(0)
        let rig = try await rig(
            service { request in
                asked.add(1, ordering: .relaxed)
                return people(0..<3, next: request.number + 1)
            })
        let state = try #require(try await rig.engine.sync([.users], wait: true).first)
        #expect(state.failure?.message.contains("the last 2 pages, up to page 3") == true)
        #expect(asked.load(ordering: .relaxed) == 3)
        await rig.stop()
    }

    @Test("Two repeated pages in a row fail the sync, also if they hold users that are left out")
    func repeatsLeftOut() async throws {
        let asked = Atomic(0)
        let rig = try await rig(
            service { request in
                asked.add(1, ordering: .relaxed)
                var page = people(0..<3, next: request.number < 10 ? request.number + 1 : nil)
                page.leftOut = ["x"]
                return page
            })
        let state = try #require(try await rig.engine.sync([.users], wait: true).first)
        #expect(state.failure?.message.contains("the last 2 pages, up to page 3") == true)
        #expect(asked.load(ordering: .relaxed) == 3)
        await rig.stop()
    }

    @Test("A list may have empty pages between others")
    func emptyPages() async throws {
        let rig = try await rig(
            service { request in
                var page = people(request.number == 1 || request.number == 5 ? request.number..<7 : 0..<0)
                if request.number < 5 {
                    page.next = PageRequest(number: request.number + 1, token: "\(request.number)")
                }
                return page
            })
        #expect(try await rig.engine.sync([.users], wait: true).first?.phase == .loaded)
        await rig.stop()
    }

    // MARK: Pages that fail

    @Test(
        "A page that fails is requested again after its Retry-After, and no other page is",
        arguments: [Failure.Kind.rateLimited, .decode])
    func pageAgain(kind: Failure.Kind) async throws {
        let asked = Mutex<[Int]>([])
        let rig = try await rig(
            service { request in
                let isFirst = asked.withLock { asked in
                    asked.append(request.number)
                    return !asked.dropLast().contains(request.number)
                }
                if request.number == 50, isFirst {
                    throw upstreamError(kind, retryAfter: .seconds(120))
                }
                return people(
                    request.number..<request.number + 1, next: request.number < 100 ? request.number + 1 : nil
                )
            })
        async let ended = rig.engine.sync([.users], wait: true)
        while try await rig.clock.sleeps.receive() != .seconds(120) {}
        #expect(try await rig.state().phase == .syncing)
        rig.clock.advance(by: .seconds(120))
        #expect(try await ended.first?.phase == .loaded)
        #expect(asked.withLock { $0 } == Array(1...50) + Array(50...100))
        await rig.stop()
    }

    @Test(
        "A sync fails if its first page fails, a failure is not retryable, or a Retry-After is too long",
        arguments: [
            (1, upstreamError(.timeout)), (2, upstreamError(.http, retryable: false)),
            (2, upstreamError(.rateLimited, retryAfter: .seconds(301))), (1, upstreamError(.decode)),
        ])
    func pageFails(number: Int, error: UpstreamError) async throws {
        let rig = try await rig(
            service { request in
                if request.number == number { throw error }
                return people(request.number..<request.number + 1, next: request.number + 1)
            })
        #expect(try await rig.engine.sync([.users], wait: true).first?.failure?.kind == error.failure.kind)
        await rig.stop()
    }

    @Test("A page that fails four times fails the sync, and a sync can be cancelled while it waits")
    func fourTimes() async throws {
        let asked = Atomic(0)
        let rig = try await rig(
            service { request in
                guard request.number > 1 else { return people(0..<1, next: 2) }
                asked.add(1, ordering: .relaxed)
                throw upstreamError(.timeout)
            })
        async let ended = rig.engine.sync([.users], wait: true)
        for _ in 0..<3 {
            try await wait { rig.clock.sleeperCount > 0 }
            rig.clock.advance(by: .seconds(60))
        }
        #expect(try await ended.first?.failure?.kind == .timeout)
        #expect(asked.load(ordering: .relaxed) == 4)
        _ = try await rig.engine.sync([.users])
        try await wait { rig.clock.sleeperCount > 0 }
        #expect(try await rig.engine.cancel([.users]).first?.cause == .cancelled)
        await rig.stop()
    }

    // MARK: Sources

    private func adopting(
        _ rig: Rig, _ service: UsersService, replaceable: Set<String> = []
    ) async {
        await rig.engine.adopt(
            [
                .users(
                    service, into: rig.cache.writer, schedule: Schedule(interval: .seconds(60)),
                    removals: RemovalGuard(limit: 0.5), replaceable: replaceable)
            ], facts: FactsService(rig.facts, one: rig.oneFact), paused: true)
    }

    @Test("A directory replaces default users, but those of another directory only on request")
    func sources() async throws {
        let rig = try await rig(service("default") { _ in people(0..<20) })
        #expect(try await rig.engine.sync([.users], wait: true).first?.count == 20)
        await adopting(rig, service("scim a") { _ in people(100..<105) }, replaceable: ["default"])
        #expect(try await rig.engine.sync([.users], wait: true).first?.count == 5)

        await adopting(rig, service("scim b") { _ in people(200..<300) }, replaceable: ["default"])
        let refused = try #require(try await rig.engine.sync([.users], wait: true).first)
        #expect(refused.failure?.kind == .removalGuard && refused.count == 5)
        #expect(
            refused.failure?.message == """
                the 5 cached users are from scim a, but the settings name scim b: the sync would remove 5 of \
                them; nothing was changed; `userctl sync users --accept-removals` accepts the new ones
                """)
        // Another source that has all of them is accepted.
        await adopting(rig, service("scim c") { _ in people(100..<106) })
        #expect(try await rig.engine.sync([.users], wait: true).first?.count == 6)
        await adopting(rig, service("scim b") { _ in people(200..<300) })
        let taken = try await rig.engine.sync([.users], acceptsRemovals: true, wait: true)
        #expect(taken.first?.count == 100)
        await rig.stop()
    }

    @Test("A Retry-After of one directory holds for no other one")
    func retryAfter() async throws {
        let rig = try await rig(
            service("scim a") { _ in throw upstreamError(.rateLimited, retryAfter: .seconds(3600)) })
        _ = try await rig.engine.sync([.users], wait: true)
        let held = try await rig.engine.sync([.users], wait: true).first
        #expect(held?.failure?.attempts == 1 && held?.nextSyncAt == began + .seconds(3600))
        await adopting(rig, service("scim b") { _ in people(0..<2) })
        #expect(try await rig.engine.sync([.users], wait: true).first?.count == 2)
        await rig.stop()
    }

    /// A service that waits for the gate before it answers.
    private func gated(_ source: String, _ users: Range<Int>, _ asked: Channel<Void>, _ gate: Channel<Void>)
        -> UsersService
    {
        var service = UsersService { _, _ in
            asked.send(())
            try await gate.receive()
            return people(users)
        }
        service.requiresConsistentPages = true
        service.source = source
        return service
    }

    @Test("A list of the old source that is fetched during a reload is dropped, and the new one is judged")
    func reloadedToAnother() async throws {
        let (asked, gate) = (Channel<Void>(), Channel<Void>())
        let rig = try await rig(gated("scim a", 0..<15, asked, gate))
        async let first = rig.engine.sync([.users], wait: true)
        try await asked.receive()
        gate.send(())
        #expect(try await first.first?.phase == .loaded)

        async let ended = rig.engine.sync([.users], wait: true)
        try await asked.receive()
        await adopting(rig, service("scim b") { _ in people(100..<115) })
        gate.send(())
        #expect(try await ended.first?.failure?.kind == .removalGuard)
        #expect(try await rig.userIDs().contains("u0"))
        await rig.stop()
    }

    @Test("Default users are replaced without asking, also if they are fetched during the reload")
    func reloadedFromStrangers() async throws {
        let (asked, gate) = (Channel<Void>(), Channel<Void>())
        let rig = try await rig(gated("default", 0..<20, asked, gate))
        async let ended = rig.engine.sync([.users], wait: true)
        try await asked.receive()
        await adopting(rig, service("scim a") { _ in people(100..<110) }, replaceable: ["default"])
        gate.send(())
        #expect(try await ended.first?.failure?.kind == nil)
        #expect(try await rig.userIDs().count == 10)
        await rig.stop()
    }

    @Test("The source of the cached users is known after a restart")
    func restart() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("userd.db")
        let first = try await Rig {
            $0.path = path
            $0.paused = true
            $0.users = service("scim a") { _ in people(0..<3) }
        }
        #expect(try await first.engine.sync([.users], wait: true).first?.phase == .loaded)
        await first.stop()
        let second = try await Rig {
            $0.path = path
            $0.paused = true
            $0.users = service("scim b") { _ in people(7..<9) }
        }
        #expect(try await second.engine.sync([.users], wait: true).first?.failure?.kind == .removalGuard)
        await second.stop()
    }
}
