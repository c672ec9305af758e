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

    private func rig(_ change: @Sendable (inout Rig.Options) -> Void) async throws -> Rig {
        try await Rig {
            ($0.resources, $0.oneAtATime) = ([.users, .facts], true)
            change(&$0)
        }
    }

    private func history(_ rig: Rig) async throws -> [String] {
        try await rig.history().map { "\($0.resource) \($0.phase) \($0.cause)" }
    }

    @Test("They are made at once, and what is due comes as long after them as it did")
    func alarms() async throws {
        let recorded = Recorded()
        let first = try await rig {
            $0.recordCall = { call in recorded.calls.withLock { $0.append(call) } }
            $0.recordTransitions = { count in recorded.transitions.withLock { $0 = count } }
        }
        try await answer(first, .users, .facts)
        // What is asked is answered after all that was to be done before.
        _ = try await first.engine.retry([.facts])
        first.clock.advance(by: .seconds(10))
        try await first.engine.setPaused(true)
        first.clock.advance(by: .seconds(15))
        try await first.engine.setPaused(false)
        first.clock.advance(by: .seconds(15))
        _ = try await first.engine.sync([.users])
        try await answer(first, .users)
        #expect(
            recorded.calls.withLock { $0 } == [
                .init(.setPaused(true), after: 4, idle: .seconds(10)),
                .init(.setPaused(false), after: 4, idle: .seconds(25)),
                .init(.sync(.users, acceptsRemovals: false), after: 4, idle: .seconds(40)),
            ])
        #expect(recorded.transitions.withLock { $0 } == 6)

        let second = try await rig { $0.calls = recorded.calls.withLock { $0 } }
        try await answer(second, .users, .facts, .users)
        #expect(try await history(second) == history(first))
        // Of the minute between two syncs of facts forty seconds had passed, and no other clock has moved.
        while try await second.clock.sleeps.receive() != .seconds(20) {}
        await first.stop()
        await second.stop()
    }

    @Test("After the last transition of the recording nothing is due any more")
    func end() async throws {
        let rig = try await rig { ($0.calls, $0.end) = ([], 4) }
        try await answer(rig, .users, .facts)
        try await wait { !rig.engine.states.contains { $0.nextSyncAt != nil } }
        _ = try await rig.engine.sync([.users])
        try await answer(rig, .users)
        try await wait { !rig.engine.states.contains { $0.nextSyncAt != nil } }
        await rig.stop()
    }
}
