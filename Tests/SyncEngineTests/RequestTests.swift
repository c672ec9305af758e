import Model
import Stubs
import Sync
import TestSupport
import Testing
import Upstream

@Suite(.timeLimit(.hang), .stubs) struct RequestTests {
    @Test("Two callers at the same time share one sync, and both get its outcome")
    func join() async throws {
        let rig = try await Rig { $0.paused = true }
        async let first = rig.engine.sync([.users], wait: true)
        async let second = rig.engine.sync([.users], wait: true)
        try await wait { await rig.engine.waitingCount == 2 }
        #expect(try await rig.engine.sync([.users]).map(\.phase) == [.syncing])
        rig.users.success(people(0..<2))
        #expect(try await first == (try await second))
        #expect(try await first.map(\.phase) == [.loaded])
        #expect(try await rig.history().map(\.phase) == [.syncing, .loaded])
        #expect(rig.users.callCount == 1)
        await rig.stop()
    }

    @Test("A caller that does not wait learns that the sync has begun")
    func noWait() async throws {
        let rig = try await Rig { $0.paused = true }
        let states = try await rig.engine.sync([.users])
        #expect(states.map(\.phase) == [.syncing] && states.map(\.cause) == [.requested])
        #expect(states.map(\.index) == [1])
        await rig.stop()
    }

    @Test("A caller that waits gets the outcome of the sync, including a failure")
    func waitForFailure() async throws {
        let rig = try await Rig { $0.paused = true }
        rig.users.failure(upstreamError(.tls, retryable: false))
        let state = try #require(try await rig.engine.sync([.users], wait: true).first)
        #expect(state.phase == .error && state.failure?.kind == .tls && state.index == 2)
        await rig.stop()
    }

    @Test("Answers come in the order of the named resources")
    func order() async throws {
        let rig = try await Rig {
            $0.paused = true
            $0.resources = [.users, .facts]
        }
        rig.users.success(people(0..<1))
        rig.facts.success(cats("Cats sleep."))
        #expect(
            try await rig.engine.sync([.facts, .users], wait: true).map(\.resource) == [.facts, .users])
        await rig.stop()
    }

    @Test("A caller that stops waiting returns at once, and the sync goes on")
    func leave() async throws {
        let rig = try await Rig { $0.paused = true }
        let waiting = Task { try await rig.engine.sync([.users], wait: true) }
        try await rig.users.called()
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        rig.users.success(people(0..<2))
        #expect(try await rig.ended().phase == .loaded)
        await rig.stop()
    }

    @Test("A caller that was cancelled before its request returns at once")
    func leaveBefore() async throws {
        let rig = try await Rig { $0.paused = true }
        let start = Channel<Void>()
        let waiting = Task {
            try? await start.receive()
            return try await rig.engine.sync([.users], wait: true)
        }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        await rig.stop()
    }

    @Test("A request for a resource that is off is an error, not a wait")
    func unknown() async throws {
        let rig = try await Rig()
        await #expect(throws: CancellationError.self) { try await rig.engine.sync([.facts], wait: true) }
        await #expect(throws: CancellationError.self) { try await rig.engine.cancel([.facts]) }
        await rig.stop()
    }

    // MARK: Cancel

    @Test(
        "A cancelled sync restores the previous phase, rows and age, and the history shows it"
    )
    func cancel() async throws {
        let rig = try await Rig { $0.paused = true }
        rig.users.success(people(0..<3))
        let loaded = try #require(try await rig.engine.sync([.users], wait: true).first)
        rig.clock.advance(by: .seconds(5))
        _ = try await rig.engine.sync([.users])
        rig.users.success(people(0..<1, next: 2))
        // One call by the previous sync, and one for each page of this one.
        for _ in 0..<3 { try await rig.users.called() }
        let state = try #require(try await rig.engine.cancel([.users]).first)
        #expect(state.phase == .loaded && state.cause == .cancelled && state.failure == nil)
        #expect(state.count == 3 && state.syncedAt == loaded.syncedAt && state.progress == nil)
        #expect(try await rig.userIDs() == ["u0", "u1", "u2"])
        let last = try #require(try await rig.history().last)
        #expect(last.phase == .loaded && last.cause == .cancelled && last.failure?.kind == .cancelled)
        await rig.stop()
    }

    @Test("Cancelling a sync that followed a failure restores that failure")
    func cancelInError() async throws {
        let rig = try await Rig { $0.paused = true }
        rig.users.failure(upstreamError(.timeout))
        _ = try await rig.engine.sync([.users], wait: true)
        _ = try await rig.engine.sync([.users])
        let state = try #require(try await rig.engine.cancel([.users]).first)
        #expect(state.phase == .error && state.failure?.kind == .timeout && state.failure?.attempts == 1)
        await rig.stop()
    }

    @Test("Cancelling a sync while not paused plans the next one")
    func cancelPlans() async throws {
        let rig = try await Rig()
        try await rig.users.called()
        let state = try #require(try await rig.engine.cancel([.users]).first)
        #expect(state.phase == .initial && state.nextSyncAt == began + .seconds(60))
        #expect(try await rig.clock.sleeps.receive() == .seconds(60))
        await rig.stop()
    }

    @Test("Cancelling without a running sync changes nothing")
    func cancelNothing() async throws {
        let rig = try await Rig { $0.paused = true }
        #expect(try await rig.engine.cancel([.users]).map(\.phase) == [.initial])
        #expect(try await rig.history().isEmpty)
        await rig.stop()
    }

    @Test("A caller that waits for a sync learns that it was cancelled")
    func cancelAnswersWaiting() async throws {
        let rig = try await Rig { $0.paused = true }
        async let waiting = rig.engine.sync([.users], wait: true)
        try await wait { await rig.engine.waitingCount > 0 }
        _ = try await rig.engine.cancel([.users])
        #expect(try await waiting.map(\.cause) == [.cancelled])
        await rig.stop()
    }

    @Test(
        "Late rows or failures of a cancelled sync do not affect the next one",
        arguments: [true, false])
    func olderResult(fails: Bool) async throws {
        let old = UsersStub(waits: true)
        let rig = try await Rig {
            $0.paused = true
            // This service ignores cancellation.
            $0.users = UsersService { _, _ in try await Task { try await old.call(.first) }.value }
        }
        _ = try await rig.engine.sync([.users])
        try await old.called()
        _ = try await rig.engine.cancel([.users])
        _ = try await rig.engine.sync([.users])
        #expect(old.callCount == 1, "only one sync at a time uses upstream")
        if fails { old.failure(upstreamError()) } else { old.success(people(0..<9)) }
        try await old.called()
        #expect(try await rig.end(.users) { old.success(people(100..<102)) }.phase == .loaded)
        #expect(try await rig.userIDs() == ["u100", "u101"])
        #expect(
            try await rig.history().map(\.cause) == [
                .requested, .cancelled, .requested, .committed(Changes(added: 2)),
            ])
        await rig.stop()
    }

    // MARK: Retry

    @Test("Retry syncs only resources in error, and their history says so")
    func retry() async throws {
        let rig = try await Rig {
            $0.paused = true
            $0.resources = [.users, .facts]
        }
        rig.users.failure(upstreamError())
        rig.facts.success(cats("Cats sleep."))
        _ = try await rig.engine.sync([.users, .facts], wait: true)
        rig.users.success(people(0..<1))
        let states = try await rig.engine.retry([.users, .facts], wait: true)
        #expect(states.map(\.resource) == [.users, .facts] && states.map(\.phase) == [.loaded, .loaded])
        #expect(try await rig.history().suffix(2).map(\.resource) == [.users, .users])
        #expect(try await rig.history().suffix(2).map(\.cause) == [.retried, .committed(Changes(added: 1))])
        #expect(rig.facts.callCount == 1)
        await rig.stop()
    }

    @Test("Retry joins a running attempt")
    func retryJoins() async throws {
        let rig = try await Rig { $0.paused = true }
        rig.users.failure(upstreamError())
        _ = try await rig.engine.sync([.users], wait: true)
        _ = try await rig.engine.sync([.users])
        async let retried = rig.engine.retry([.users], wait: true)
        try await wait { await rig.engine.waitingCount > 0 }
        rig.users.success(people(0..<1))
        #expect(try await retried.map(\.phase) == [.loaded])
        #expect(rig.users.callCount == 2)
        await rig.stop()
    }

    @Test("Retry without a failure starts no sync, but waits for a running one")
    func retryWaits() async throws {
        let rig = try await Rig { $0.paused = true }
        _ = try await rig.engine.sync([.users])
        #expect(try await rig.engine.retry([.users]).map(\.phase) == [.syncing])
        async let retried = rig.engine.retry([.users], wait: true)
        try await wait { await rig.engine.waitingCount > 0 }
        rig.users.success(people(0..<1))
        #expect(try await retried.map(\.phase) == [.loaded])
        #expect(try await rig.engine.retry([.users], wait: true).map(\.phase) == [.loaded])
        #expect(rig.users.callCount == 1)
        #expect(try await rig.history().map(\.cause) == [.requested, .committed(Changes(added: 1))])
        await rig.stop()
    }

    @Test("Retry does not wait for the next planned attempt, and its success replaces that")
    func retryBeforeTime() async throws {
        let rig = try await Rig()
        rig.users.failure(upstreamError(.rateLimited, retryAfter: .seconds(3600)))
        _ = try await rig.ended()
        #expect(try await rig.clock.sleeps.receive() == .seconds(3600))
        rig.users.success(people(0..<1))
        let state = try #require(
            try await rig.engine.retry([.users], patience: .insistsOnce, wait: true).first)
        #expect(state.phase == .loaded && state.nextSyncAt == began + .seconds(60))
        #expect(try await rig.clock.sleeps.receive() == .seconds(60))
        await rig.stop()
    }

    // MARK: The end

    @Test("When the engine ends, all waiting callers return")
    func end() async throws {
        let rig = try await Rig { $0.resources = [.users, .facts] }
        let sync = Task { try await rig.engine.sync([.users, .facts], wait: true) }
        let fact = Task { try await rig.engine.fetchFact() }
        let watcher = try await rig.engine.watch(from: .now, resources: [.users], progress: false)
        _ = try await watcher.next()
        let watch = Task {
            while try await watcher.next() != nil {}
            return true
        }
        try await rig.users.called()
        try await rig.facts.called()
        try await rig.oneFact.called()
        await rig.stop()
        await #expect(throws: CancellationError.self) { try await sync.value }
        await #expect(throws: CancellationError.self) { try await fact.value }
        #expect(try await watch.value)
    }

    @Test("Calls to an engine that has ended return at once")
    func afterEnd() async throws {
        let rig = try await Rig { $0.paused = true }
        await rig.stop()
        await #expect(throws: CancellationError.self) { try await rig.engine.sync([.users], wait: true) }
        await #expect(throws: CancellationError.self) { try await rig.engine.cancel([.users]) }
        await #expect(throws: CancellationError.self) { try await rig.engine.fetchFact() }
        await rig.adopt(interval: .seconds(1))
        let watcher = try await rig.engine.watch(from: .now, resources: [.users], progress: true)
        #expect(try await watcher.next()?.phase == .initial)
        #expect(try await watcher.next() == nil)
        // The rig's own watcher, which has not read the end yet.
        #expect(await rig.engine.watcherCount == 1)
        #expect(rig.oneFact.callCount == 0)
    }
}
