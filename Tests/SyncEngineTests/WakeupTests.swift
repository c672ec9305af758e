import Model
import Stubs
import Sync
import TestSupport
import Testing

@Suite(.timeLimit(.hang), .stubs) struct WakeupTests {
    /// A rig whose syncs have failed this often in a row.
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

    /// The wait for the next attempt after a wakeup.
    private func wait(_ rig: Rig, after wakeup: Wakeup) async throws -> Duration {
        rig.engine.wake(wakeup)
        let wait = try await rig.clock.sleeps.receive()
        #expect(try await rig.state().nextSyncAt == rig.environment.now() + wait)
        return wait
    }

    @Test("A network that comes back brings the next attempt within seconds")
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

    @Test("A network that comes and goes delays no attempt, and causes at most one in ten seconds")
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

    @Test("No wakeup shortens a Retry-After", arguments: Wakeup.allCases)
    func patience(wakeup: Wakeup) async throws {
        let rig = try await failing(retryAfter: .seconds(500), attempts: 1)
        rig.clock.advance(by: .seconds(100))
        #expect(try await wait(rig, after: wakeup) == .seconds(400))
        await rig.stop()
    }

    @Test("A new network does not bring forward a retry after an HTTP error, but a resume does")
    func answers() async throws {
        let rig = try await failing(.http, attempts: 7)
        rig.clock.advance(by: .seconds(20))
        #expect(try await wait(rig, after: .networkChanged) == .seconds(28))
        #expect(try await wait(rig, after: .resumed) == .seconds(3))
        await rig.stop()
    }

    @Test("Wakeups do not move a regular sync")
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

    @Test("Wakeups start nothing while paused", arguments: Wakeup.allCases)
    func paused(wakeup: Wakeup) async throws {
        let rig = try await failing()
        try await rig.engine.setPaused(true)
        rig.engine.wake(wakeup)
        // The answer comes after all earlier messages in the inbox.
        _ = try await rig.engine.cancel([.users])
        #expect(try await rig.state().nextSyncAt == nil)
        await rig.stop()
    }
}
