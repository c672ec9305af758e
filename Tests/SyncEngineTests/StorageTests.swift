import Cache
import Model
import Stubs
import Sync
import TestSupport
import Testing

/// A cache that can't be written.
@Suite(.timeLimit(.hang), .stubs) struct StorageTests {
    @Test("A transition that can't be written is shown as a failure with the old index, and is tried again")
    func recordFails() async throws {
        let isFull = Flag()
        let rig = try await Rig { $0.before = full(while: isFull, .record) }
        try await rig.users.called()
        _ = try await rig.next()
        isFull.set(true)
        rig.users.failure(upstreamError())
        #expect(try await rig.clock.sleeps.receive() == .seconds(10))
        try await rig.reaches { $0.phase == .error }
        let shown = try await rig.state()
        #expect(shown.index == 1 && shown.failure?.kind == .storage && shown.failure?.attempts == 1)
        #expect(shown.failure?.message.contains("disk full") == true)
        #expect(shown.nextSyncAt == began + .seconds(10))
        #expect(try await rig.history().count == 1)
        isFull.set(false)
        rig.clock.advance(by: .seconds(10))
        let state = try await rig.next()
        #expect(state.phase == .error && state.failure?.kind == .offline && state.index == 2)
        await rig.stop()
    }

    @Test("States can be read during a long commit")
    func statesWaitForNobody() async throws {
        let (begun, done) = (Channel<Void>(), Channel<Void>())
        let rig = try await Rig {
            $0.before = { call in
                guard call == .commit(.users) else { return }
                begun.send(())
                try await done.receive()
            }
        }
        rig.users.success(people(0..<3))
        try await begun.receive()
        #expect(try await rig.state().phase == .syncing)
        #expect(try await rig.cache.reader.users(UserQuery()).total == 0)
        done.send(())
        _ = try await rig.next()
        #expect(try await rig.next().phase == .loaded)
        await rig.stop()
    }

    @Test("A sync that can't begin fails for its callers, and is tried again")
    func beginFails() async throws {
        let isFull = Flag(true)
        let rig = try await Rig { $0.before = full(while: isFull, .record) }
        #expect(try await rig.clock.sleeps.receive() == .seconds(10))
        try await rig.reaches { $0.phase == .error }
        let states = try await rig.engine.sync([.users], wait: true)
        #expect(states.map(\.phase) == [.error] && states.first?.failure?.kind == .storage)
        #expect(states.first?.failure?.attempts == 2 && states.first?.index == 0)
        #expect(try await rig.engine.retry([.users], wait: true).first?.failure?.attempts == 3)
        #expect(rig.users.callCount == 0)
        for _ in 0..<2 { #expect(try await rig.clock.sleeps.receive() == .seconds(10)) }
        isFull.set(false)
        rig.clock.advance(by: .seconds(10))
        rig.users.success(people(0..<1))
        #expect(try await rig.ended().phase == .loaded)
        await rig.stop()
    }

    @Test("A cancel that can't be written is an error for the caller, and the sync goes on")
    func cancelFails() async throws {
        let isFull = Flag()
        let rig = try await Rig { $0.before = full(while: isFull, .record) }
        try await rig.users.called()
        isFull.set(true)
        await #expect(throws: CacheError.storage("disk full")) { try await rig.engine.cancel([.users]) }
        isFull.set(false)
        rig.users.success(people(0..<1))
        #expect(try await rig.ended().phase == .loaded)
        await rig.stop()
    }

    @Test("A commit that can't be written fails the sync, which is tried again")
    func commitFails() async throws {
        let isFull = Flag(true)
        let rig = try await Rig { $0.before = full(while: isFull, .commit(.users)) }
        rig.users.success(people(0..<1))
        let state = try await rig.ended()
        #expect(state.phase == .error && state.count == 0 && state.syncedAt == nil)
        #expect(state.failure?.kind == .storage && state.failure?.retryable == true)
        #expect(state.failure?.message.contains("disk full") == true)
        isFull.set(false)
        #expect(try await rig.clock.sleeps.receive() == .milliseconds(750))
        rig.clock.advance(by: .milliseconds(750))
        rig.users.success(people(0..<1))
        #expect(try await rig.ended().phase == .loaded)
        await rig.stop()
    }

    @Test("If not even a failed commit can be written, waiting callers return, and the sync is repeated")
    func bothFail() async throws {
        let isFull = Flag()
        let rig = try await Rig { $0.before = full(while: isFull, .commit(.users), .record) }
        try await rig.users.called()
        isFull.set(true)
        let told = try await rig.end(.users) { rig.users.success(people(0..<5)) }
        #expect(told.phase == .error && told.failure?.kind == .storage && told.index == 1)
        #expect(try await rig.clock.sleeps.receive() == .seconds(10))
        isFull.set(false)
        rig.clock.advance(by: .seconds(10))
        let failed = try await rig.ended()
        #expect(failed.failure?.kind == .storage && failed.index == 2)
        #expect(try await rig.clock.sleeps.receive() == .milliseconds(750))
        rig.clock.advance(by: .milliseconds(750))
        rig.users.success(people(0..<5))
        #expect(try await rig.ended().count == 5)
        await rig.stop()
    }

    @Test("Records that can't be staged fail the sync")
    func stagingFails() async throws {
        let rig = try await Rig { $0.before = full(.stage) }
        rig.users.success(people(0..<1))
        #expect(try await rig.ended().failure?.kind == .storage)
        await rig.stop()
    }

    @Test("If staging can't begin, the sync fails without a request to upstream")
    func beginStagingFails() async throws {
        let rig = try await Rig { $0.before = full(.beginStaging) }
        #expect(try await rig.ended().failure?.kind == .storage)
        #expect(rig.users.callCount == 0)
        await rig.stop()
    }

    @Test("A service that throws CancellationError by itself has failed, and is tried again")
    func strayCancellation() async throws {
        let rig = try await Rig()
        rig.users.failure(CancellationError())
        let state = try await rig.ended()
        #expect(state.phase == .error && state.failure?.kind == .cancelled)
        #expect(try await rig.clock.sleeps.receive() == .milliseconds(750))
        await rig.stop()
    }
}
