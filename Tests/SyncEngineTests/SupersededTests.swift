import Cache
import Model
import Stubs
import Sync
import TestSupport
import Testing
import Upstream

@Suite("Settings that name another directory", .stubs)
struct SupersededTests {
    /// A service whose answers a test gives.
    private func directory(_ source: String) -> (stub: UsersStub, service: UsersService) {
        let stub = UsersStub(waits: true)
        var service = UsersService(stub)
        service.requiresConsistentPages = true
        service.source = source
        return (stub, service)
    }

    private func adopt(_ service: UsersService, _ rig: Rig, paused: Bool = false) async {
        let plan = SyncPlan.users(
            service, into: rig.cache.writer, schedule: Schedule(interval: .seconds(900)),
            removals: RemovalGuard(limit: 0.5))
        await rig.engine.adopt([plan], facts: FactsService(rig.facts, one: rig.oneFact), paused: paused)
    }

    @Test(
        "A sync of the old directory is stopped, and whoever waits for it gets the outcome of the new one",
        arguments: [false, true])
    func running(isPaused: Bool) async throws {
        let (old, new) = (directory("json https://old:443/"), directory("json https://new:443/"))
        let rig = try await Rig { $0.users = old.service }
        try await old.stub.called()
        async let waited = rig.engine.sync([.users], wait: true)
        try await wait { await rig.engine.waitingCount > 0 }
        await adopt(new.service, rig, paused: isPaused)
        try await new.stub.called()
        new.stub.success(people(5..<7))
        #expect(try await waited.first?.phase == .loaded)
        #expect(try await rig.userIDs() == ["u5", "u6"])
        let stopped = try await rig.history().first { $0.cause == .cancelled }
        #expect(stopped?.failure?.message == "the settings name another directory")
        #expect(old.stub.callCount == 1)
        await rig.stop()
    }

    @Test("A new directory is asked at once, also between two syncs and after a restart")
    func atRest() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("userd.db")
        let (old, new) = (self.directory("json https://old:443/"), self.directory("json https://new:443/"))
        var rig = try await Rig {
            $0.users = old.service
            $0.path = path
        }
        old.stub.success(people(0..<0))
        _ = try await rig.ended()
        await adopt(new.service, rig)
        try await new.stub.called()
        new.stub.success(people(0..<0))
        _ = try await rig.ended()
        await rig.stop()
        await rig.cache.close()

        rig = try await Rig {
            $0.users = old.service
            $0.path = path
        }
        try await old.stub.called()
        await rig.stop()
        await rig.cache.close()
    }

    @Test(
        "With the same directory, a running sync goes on, and the next is due at once, also after a failure",
        arguments: [true, false])
    func same(succeeds: Bool) async throws {
        let (first, second) = (directory("json https://a:443/"), directory("json https://a:443/"))
        let rig = try await Rig { $0.users = first.service }
        try await first.stub.called()
        await adopt(second.service, rig)
        if succeeds {
            first.stub.success(people(0..<3))
        } else {
            first.stub.failure(upstreamError(.decode, retryable: false))
        }
        #expect(try await rig.ended().phase == (succeeds ? .loaded : .error))
        try await second.stub.called()
        second.stub.success(people(0..<4))
        #expect(try await rig.ended().count == 4)
        await rig.stop()
    }

    @Test("Consent to removals that can't be carried out is not kept for another list")
    func consent() async throws {
        let isFull = Flag()
        let upstream = directory("json https://a:443/")
        let rig = try await Rig {
            $0.users = upstream.service
            $0.paused = true
            $0.before = full(while: isFull, .record)
        }
        upstream.stub.success(people(0..<30))
        #expect(try await rig.engine.sync([.users], wait: true).first?.phase == .loaded)
        #expect(try await rig.ended().phase == .loaded)
        isFull.set(true)
        let refused = try await rig.engine.sync([.users], acceptsRemovals: true, wait: true)
        #expect(refused.first?.failure?.kind == .storage)
        isFull.set(false)
        rig.clock.advance(by: .seconds(10))
        upstream.stub.success(people(0..<1))
        #expect(try await rig.ended().failure?.kind == .removalGuard)
        #expect(try await rig.userIDs().count == 30)
        await rig.stop()
    }
}
