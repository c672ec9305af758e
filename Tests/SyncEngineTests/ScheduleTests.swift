import Cache
import Model
import Stubs
import Sync
import TestSupport
import Testing

@Suite(.timeLimit(.hang), .stubs) struct ScheduleTests {
    @Test("An empty cache syncs at once")
    func cold() async throws {
        let rig = try await Rig()
        rig.users.success(people(0..<3))
        let (syncing, loaded) = (try await rig.next(), try await rig.next())
        #expect(syncing.phase == .syncing && syncing.cause == .due && syncing.index == 1)
        #expect(loaded.phase == .loaded && loaded.cause == .committed(Changes(added: 3)) && loaded.index == 2)
        #expect(loaded.count == 3 && loaded.syncedAt == began && !loaded.stale)
        await rig.stop()
    }

    @Test("After a sync, the state shows that the next is due after the interval")
    func interval() async throws {
        let rig = try await Rig()
        rig.users.success(people(0..<3))
        #expect(try await rig.ended().nextSyncAt == began + .seconds(60))
        #expect(try await rig.clock.sleeps.receive() == .seconds(60))
        rig.clock.advance(by: .milliseconds(59_999))
        #expect(try await rig.state().phase == .loaded)
        rig.clock.advance(by: .milliseconds(1))
        let state = try await rig.next()
        #expect(state.phase == .syncing && state.cause == .due && state.nextSyncAt == nil)
        await rig.stop()
    }

    @Test("After a restart, the daemon syncs at the time that was planned before")
    func restart() async throws {
        let directory = try TemporaryDirectory()
        let path = try await syncedOnce(in: directory)

        let second = try await Rig {
            $0.path = path
            $0.now = began + .seconds(20)
        }
        #expect(try await second.clock.sleeps.receive() == .seconds(40))
        let state = try await second.state()
        #expect(state.phase == .loaded && state.nextSyncAt == began + .seconds(60) && state.index == 2)
        #expect(second.users.callCount == 0)
        await second.stop()
        await second.cache.close()

        let third = try await Rig {
            $0.path = path
            $0.now = began + .seconds(61)
        }
        #expect(try await third.next().phase == .syncing)
        await third.stop()
    }

    @Test("A time planned by a wrong clock does not delay a sync")
    func wrongClock() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("c/userd.db")
        let first = try await Rig {
            $0.path = path
            $0.now = began + .seconds(1_000_000_000)
        }
        first.users.success(people(0..<3))
        _ = try await first.ended()
        await first.stop()
        await first.cache.close()

        let second = try await Rig { $0.path = path }
        #expect(try await second.next().cause == .due)
        await second.stop()
    }

    @Test("The wait grows with each failure, and a success resets it")
    func backoff() async throws {
        let rig = try await Rig()
        for (attempt, wait) in [(1, 750), (2, 1500), (3, 3000)] {
            rig.users.failure(upstreamError())
            let before = rig.environment.now()
            let state = try await rig.ended()
            #expect(state.phase == .error && state.failure?.attempts == attempt)
            #expect(state.nextSyncAt == before + .milliseconds(wait))
            #expect(try await rig.clock.sleeps.receive() == .milliseconds(wait))
            rig.clock.advance(by: .milliseconds(wait))
        }
        rig.users.success(people(0..<1))
        #expect(try await rig.ended().phase == .loaded)
        #expect(try await rig.clock.sleeps.receive() == .seconds(60))
        rig.clock.advance(by: .seconds(60))
        rig.users.failure(upstreamError())
        #expect(try await rig.ended().failure?.attempts == 1)
        #expect(try await rig.clock.sleeps.receive() == .milliseconds(750))
        await rig.stop()
    }

    @Test("Failures before a restart count")
    func backoffOverRestart() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("c/userd.db")
        let first = try await Rig { $0.path = path }
        first.users.failure(upstreamError())
        _ = try await first.ended()
        await first.stop()
        await first.cache.close()

        let second = try await Rig { $0.path = path }
        #expect(try await second.clock.sleeps.receive() == .milliseconds(750))
        second.clock.advance(by: .milliseconds(750))
        second.users.failure(upstreamError())
        #expect(try await second.ended().failure?.attempts == 2)
        #expect(try await second.clock.sleeps.receive() == .milliseconds(1500))
        await second.stop()
    }

    @Test("After a failure that is not retryable, the next sync comes after the interval")
    func notRetryable() async throws {
        let rig = try await Rig()
        rig.users.failure(upstreamError(.decode, retryable: false))
        let state = try await rig.ended()
        #expect(state.failure?.kind == .decode && state.nextSyncAt == began + .seconds(60))
        #expect(try await rig.clock.sleeps.receive() == .seconds(60))
        await rig.stop()
    }

    @Test(
        "A Retry-After is respected up to a day",
        arguments: [(120, 120), (1_000_000, 86_400)])
    func retryAfter(asked: Int, waited: Int) async throws {
        let rig = try await Rig()
        rig.users.failure(upstreamError(.rateLimited, retryAfter: .seconds(asked)))
        #expect(try await rig.ended().nextSyncAt == began + .seconds(waited))
        #expect(try await rig.clock.sleeps.receive() == .seconds(waited))
        await rig.stop()
    }

    @Test("A resource whose upstream hangs or fails does not delay the other")
    func independent() async throws {
        let rig = try await Rig { $0.resources = [.users, .facts] }
        try await rig.users.called()
        rig.facts.success(cats("Cats sleep."))
        let loaded = try await rig.ended()
        #expect(loaded.resource == .facts && loaded.phase == .loaded && loaded.count == 1)
        #expect(try await rig.state(.users).phase == .syncing)
        rig.users.failure(upstreamError())
        #expect(try await rig.ended().resource == .users)
        #expect(try await rig.state(.facts).phase == .loaded)
        await rig.stop()
    }

    @Test("While paused, nothing syncs by itself, but requested syncs run")
    func paused() async throws {
        let rig = try await Rig { $0.paused = true }
        rig.users.success(people(0..<1))
        let states = try await rig.engine.sync([.users], wait: true)
        #expect(states.map(\.phase) == [.loaded] && states.map(\.nextSyncAt) == [nil])
        rig.users.failure(upstreamError())
        #expect(try await rig.engine.sync([.users], wait: true).map(\.nextSyncAt) == [nil])
        #expect(
            try await rig.history().map(\.cause) == [
                .requested, .committed(Changes(added: 1)), .requested, .failed,
            ])
        #expect(rig.users.callCount == 2)
        await rig.stop()
    }

    @Test("A daemon that starts paused plans no sync, even if one was planned before")
    func pausedAtStart() async throws {
        let directory = try TemporaryDirectory()
        let path = try await syncedOnce(in: directory)

        let second = try await Rig {
            $0.path = path
            $0.now = began + .seconds(61)
            $0.paused = true
        }
        // The answer comes after all earlier messages in the inbox.
        _ = try await second.engine.cancel([.users])
        #expect(try await second.state().nextSyncAt == nil)
        #expect(try await second.history().count == 2)
        await second.stop()
    }
}

@Suite(.timeLimit(.hang), .stubs) struct AdoptTests {
    @Test("A shorter interval brings forward the planned sync, and the state shows it")
    func shorter() async throws {
        let rig = try await Rig()
        rig.users.success(people(0..<1))
        _ = try await rig.ended()
        #expect(try await rig.clock.sleeps.receive() == .seconds(60))
        rig.clock.advance(by: .seconds(10))
        await rig.adopt(interval: .seconds(30))
        #expect(try await rig.clock.sleeps.receive() == .seconds(20))
        #expect(try await rig.state().nextSyncAt == began + .seconds(30))
        rig.clock.advance(by: .seconds(20))
        #expect(try await rig.next().cause == .due)
        await rig.stop()
    }

    @Test("A longer interval delays the planned sync, and the state shows it")
    func longer() async throws {
        let rig = try await Rig()
        rig.users.success(people(0..<1))
        _ = try await rig.ended()
        #expect(try await rig.clock.sleeps.receive() == .seconds(60))
        await rig.adopt(interval: .seconds(600))
        #expect(try await rig.clock.sleeps.receive() == .seconds(600))
        rig.clock.advance(by: .seconds(60))
        #expect(try await rig.state().nextSyncAt == began + .seconds(600))
        #expect(try await rig.state().phase == .loaded)
        await rig.stop()
    }

    @Test("A new interval that has already passed makes the sync due at once")
    func over() async throws {
        let rig = try await Rig()
        rig.users.success(people(0..<1))
        _ = try await rig.ended()
        #expect(try await rig.clock.sleeps.receive() == .seconds(60))
        rig.clock.advance(by: .seconds(40))
        await rig.adopt(interval: .seconds(30))
        #expect(try await rig.next().cause == .due)
        await rig.stop()
    }

    @Test("After a failure, new settings start a sync at once")
    func error() async throws {
        let rig = try await Rig()
        rig.users.failure(upstreamError(.decode, retryable: false))
        _ = try await rig.ended()
        await rig.adopt(interval: .seconds(60))
        #expect(try await rig.next().cause == .due)
        await rig.stop()
    }

    @Test("A sync that was interrupted is due at once when a pause ends")
    func interrupted() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("c/userd.db")
        let first = try await Rig { $0.path = path }
        first.users.success(people(0..<1))
        _ = try await first.ended()
        _ = try await first.engine.sync([.users])
        await first.stop()
        await first.cache.close()

        let second = try await Rig {
            $0.path = path
            $0.paused = true
        }
        let state = try await second.next()
        #expect(state.cause == .interrupted && state.nextSyncAt == nil)
        await second.adopt(interval: .seconds(60))
        #expect(try await second.next().cause == .due)
        await second.stop()
    }

    @Test("A running sync goes on, and the next begins at once by the new settings")
    func running() async throws {
        let rig = try await Rig()
        try await rig.users.called()
        await rig.adopt(interval: .seconds(300))
        rig.users.success(people(0..<1))
        let loaded = try await rig.ended()
        #expect(loaded.phase == .loaded && loaded.index == 2)
        #expect(loaded.nextSyncAt == began)
        rig.users.success(people(0..<2))
        #expect(try await rig.ended().nextSyncAt == began + .seconds(300))
        await rig.stop()
    }

    @Test("Pausing by settings removes the next planned sync, and resuming restores it")
    func pause() async throws {
        let rig = try await Rig()
        rig.users.success(people(0..<1))
        _ = try await rig.ended()
        #expect(try await rig.clock.sleeps.receive() == .seconds(60))
        await rig.adopt(interval: .seconds(60), paused: true)
        #expect(rig.engine.paused)
        #expect(try await rig.state().nextSyncAt == nil)
        rig.clock.advance(by: .seconds(59))
        await rig.adopt(interval: .seconds(60), paused: false)
        #expect(try await rig.clock.sleeps.receive() == .seconds(1))
        #expect(try await rig.state().nextSyncAt == began + .seconds(60))
        #expect(rig.users.callCount == 1)
        await rig.stop()
    }
}
