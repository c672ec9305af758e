import Cache
import Model
import Stubs
import Sync
import TestSupport
import Testing
import Upstream

@Suite(.timeLimit(.hang), .stubs) struct TurnedOffTests {
    private let both: [Resource] = [.users, .facts]

    @Test(
        "Turning a resource off stops its sync, whose late rows do not affect the next")
    func running() async throws {
        let old = UsersStub(waits: true)
        let rig = try await Rig {
            // This service ignores cancellation.
            $0.users = UsersService { _, _ in try await Task { try await old.call(.first) }.value }
        }
        try await old.called()
        async let waiting = rig.engine.sync([.users], wait: true)
        try await wait { await rig.engine.waitingCount > 0 }
        await rig.adopt(interval: .seconds(60), resources: [])
        #expect(try await waiting.map(\.cause.rawValue) == ["turned_off"])
        #expect(rig.engine.states.isEmpty)
        // As those who waited: a call may come beside the reload.
        #expect(try await rig.engine.sync([.users]).map(\.cause.rawValue) == ["turned_off"])
        rig.engine.wake(.resumed)
        old.success(people(0..<9))

        await rig.adopt(interval: .seconds(60), resources: [.users])
        try await old.called()
        #expect(try await rig.end(.users) { old.success(people(100..<102)) }.phase == .loaded)
        #expect(try await rig.userIDs() == ["u100", "u101"])
        #expect(
            try await rig.history().map(\.cause.rawValue) == [
                "due", "turned_off", "due", "committed: 2 added",
            ])
        await rig.stop()
    }

    @Test("If turning off can't be written, the resource can still be turned on again")
    func unwritable() async throws {
        let isFull = Flag()
        let rig = try await Rig { $0.before = full(while: isFull, .record) }
        try await rig.users.called()
        isFull.set(true)
        await rig.adopt(interval: .seconds(60), resources: [])
        #expect(rig.engine.states.isEmpty)
        isFull.set(false)
        await rig.adopt(interval: .seconds(60), resources: [.users])
        #expect(try await rig.state().cause == .cancelled)
        _ = try await rig.engine.sync([.users])
        #expect(try await rig.end(.users) { rig.users.success(people(0..<2)) }.phase == .loaded)
        #expect(try await rig.history().map(\.cause.rawValue).contains("turned_off") == false)
        await rig.stop()
    }

    @Test("A resource that is off stays so over restarts, keeps its rows, and is due when it is on again")
    func restarted() async throws {
        let directory = try TemporaryDirectory()
        func start(_ resources: [Resource]) async throws -> Rig {
            try await Rig {
                $0.path = directory.file("c/userd.db")
                $0.resources = resources
            }
        }
        func end(_ rig: Rig) async {
            await rig.stop()
            await rig.cache.close()
        }
        let first = try await start(both)
        first.users.success(people(0..<2))
        first.facts.success(cats("one", "two"))
        try await first.reaches(.users) { $0.phase == .loaded }
        try await first.reaches(.facts) { $0.phase == .loaded }
        await end(first)
        for _ in 1...2 {
            let second = try await start([.users])
            // The answer comes after the events of the start.
            _ = try await second.engine.retry([.users])
            let facts = try await second.history().filter { $0.resource == .facts }
            #expect(facts.map(\.cause.rawValue).suffix(2) == ["committed: 2 added", "turned_off"])
            #expect(second.engine.states.map(\.resource) == [.users])
            #expect(facts.last?.phase == .loaded && facts.last?.nextSyncAt == nil)
            await end(second)
        }
        let third = try await start(both)
        #expect(try await third.state(.facts).count == 2)
        try await third.facts.called()
        third.facts.success(cats("three"))
        try await third.reaches(.facts) { $0.count == 3 }
        await end(third)
    }

    @Test("A resource that was never on leaves nothing in the cache")
    func never() async throws {
        let rig = try await Rig { $0.paused = true }
        _ = try await rig.engine.retry([.users])
        #expect(try await rig.cache.reader.resources().keys.map(\.rawValue) == ["users"])
        await rig.adopt(interval: .seconds(60), paused: true, resources: both)
        #expect(rig.engine.states.map(\.phase) == [.initial, .initial])
        await rig.stop()
    }
}
