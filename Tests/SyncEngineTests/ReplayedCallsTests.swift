import Model
import Services
import Stubs
import SyncEngine
import Synchronization
import TestSupport
import Testing

@Suite("Calls of a recording that are made once more", .timeLimit(.minutes(1)), .stubs)
struct ReplayedCallsTests {
    private final class Recorded: Sendable {
        let calls = Mutex<[Recording.Call]>([])
        let transitions = Mutex(0)
    }

    private func answer(_ rig: Rig, _ resources: Resource...) async throws {
        for resource in resources {
            if resource == .users {
                rig.users.success(people(0..<1))
            } else {
                rig.facts.success(cats("Cats sleep."))
            }
            for _ in 0..<2 { _ = try await rig.next() }
        }
    }

    /// Lets time pass until what is due first syncs.
    private func pass(_ rig: Rig) async throws {
        while !rig.engine.states.contains(where: { $0.phase == .syncing }) {
            rig.clock.advance(by: .seconds(1))
            for _ in 0..<20 { await Task.yield() }
        }
    }

    @Test(
        "They are made at once, what is due comes as long after them as it did, and then nothing comes any more"
    )
    func alarms() async throws {
        let recorded = Recorded()
        let first = try await Rig {
            ($0.resources, $0.oneAtATime) = ([.users, .facts], true)
            $0.recordCall = { call in recorded.calls.withLock { $0.append(call) } }
            $0.recordTransitions = { count in recorded.transitions.withLock { $0 = count } }
        }
        try await answer(first, .users, .facts)
        while first.clock.sleeperCount < 2 { await Task.yield() }
        first.clock.advance(by: .seconds(10))
        try await first.engine.setPaused(true)
        first.clock.advance(by: .seconds(15))
        try await first.engine.setPaused(false)
        first.clock.advance(by: .seconds(15))
        _ = try await first.engine.sync([.users])
        try await answer(first, .users)
        // Of the minute between two syncs of facts forty seconds had passed.
        while try await first.clock.sleeps.receive() != .seconds(20) {}
        try await pass(first)
        try await answer(first, .facts)
        try await pass(first)
        try await answer(first, .users)
        let history = try await first.history().map { "\($0.resource) \($0.phase) \($0.cause)" }
        await first.stop()
        #expect(
            recorded.calls.withLock { $0 } == [
                .init(.setPaused(true), after: 4, idle: .seconds(10)),
                .init(.setPaused(false), after: 4, idle: .seconds(25)),
                .init(.sync(.users, acceptsRemovals: false), after: 4, idle: .seconds(40)),
            ])
        #expect(recorded.transitions.withLock { $0 } == 10)

        let second = try await Rig {
            ($0.resources, $0.oneAtATime) = ([.users, .facts], true)
            ($0.calls, $0.end) = (recorded.calls.withLock { $0 }, recorded.transitions.withLock { $0 })
        }
        try await answer(second, .users, .facts, .users)
        // Of the minute between two syncs of facts forty seconds had passed.
        while try await second.clock.sleeps.receive() != .seconds(20) {}
        try await pass(second)
        try await answer(second, .facts)
        try await pass(second)
        try await answer(second, .users)
        #expect(try await second.history().map { "\($0.resource) \($0.phase) \($0.cause)" } == history)
        while second.engine.states.contains(where: { $0.nextSyncAt != nil }) { await Task.yield() }
        await second.stop()
    }
}
