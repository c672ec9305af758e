import Model
import Stubs
import SyncCore
import SyncEngine
import TestSupport
import Testing

@Suite(.timeLimit(.hang), .stubs) struct WakeupTests {
    /// A rig whose users have failed so often that the next attempt is minutes away.
    private func failing(
        _ kind: Failure.Kind = .offline, retryAfter: Duration? = nil, attempts: Int = 10
    ) async throws -> Rig {
        let rig = try await Rig()
        for _ in 0..<attempts {
            rig.users.failure(upstreamError(kind, retryAfter: retryAfter))
            let state = try await rig.ended()
            _ = try await rig.clock.sleeps.receive()
            if state.failure?.attempts == attempts { break }
            rig.clock.advance(by: (state.nextSyncAt ?? began) - rig.environment.now())
        }
        return rig
    }

    /// How long the next attempt waits then.
    private func wait(_ rig: Rig, after wakeup: Wakeup) async throws -> Duration {
        rig.engine.wake(wakeup)
        let wait = try await rig.clock.sleeps.receive()
        #expect(try await rig.state().nextSyncAt == rig.environment.now() + wait)
        return wait
    }

    @Test("A network that comes back makes the waiting attempt due within seconds")
    func network() async throws {
        let rig = try await failing()
        rig.clock.advance(by: .seconds(30))
        #expect(try await wait(rig, after: .networkChanged) == .seconds(3))
        rig.users.success(people(0..<2))
        rig.clock.advance(by: .seconds(3))
        #expect(try await rig.next().cause == .due)
        #expect(try await rig.ended().phase == .loaded)
        await rig.stop()
    }

    @Test("A network that comes and goes puts nothing off, and asks no more than once in ten seconds")
    func flapping() async throws {
        let rig = try await failing()
        rig.clock.advance(by: .seconds(1))
        for second in 1...9 {
            #expect(try await wait(rig, after: .networkChanged) == .seconds(10 - second))
            rig.clock.advance(by: .seconds(1))
        }
        #expect(try await rig.next().phase == .syncing)
        await rig.stop()
    }

    @Test("An upstream that asked for patience gets it", arguments: Wakeup.allCases)
    func patience(wakeup: Wakeup) async throws {
        let rig = try await failing(retryAfter: .seconds(500), attempts: 1)
        rig.clock.advance(by: .seconds(100))
        #expect(try await wait(rig, after: wakeup) == .seconds(400))
        await rig.stop()
    }

    @Test("What upstream answers is not mended by a network, and may be by another time")
    func answers() async throws {
        let rig = try await failing(.http, attempts: 7)
        rig.clock.advance(by: .seconds(20))
        #expect(try await wait(rig, after: .networkChanged) == .seconds(28))
        #expect(try await wait(rig, after: .resumed) == .seconds(3))
        await rig.stop()
    }

    @Test("A regular sync keeps its time")
    func regular() async throws {
        let rig = try await Rig()
        rig.users.success(people(0..<2))
        _ = try await rig.ended()
        _ = try await rig.clock.sleeps.receive()
        rig.clock.advance(by: .seconds(20))
        #expect(try await wait(rig, after: .networkChanged) == .seconds(40))
        #expect(try await wait(rig, after: .resumed) == .seconds(40))
        #expect(try await wait(rig, after: .clockJumped) == .seconds(40))
        await rig.stop()
    }

    @Test("Nothing is woken while paused", arguments: Wakeup.allCases)
    func paused(wakeup: Wakeup) async throws {
        let rig = try await failing()
        try await rig.engine.setPaused(true)
        rig.engine.wake(wakeup)
        // Through the inbox, so that what was said before has been heard.
        _ = try await rig.engine.cancel([.users])
        #expect(try await rig.state().nextSyncAt == nil)
        await rig.stop()
    }
}
