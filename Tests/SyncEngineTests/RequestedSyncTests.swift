import Model
import Stubs
import Sync
import TestSupport
import Testing
import Upstream

@Suite(.timeLimit(.hang), .stubs) struct RequestedSyncTests {
    /// An engine that is paused, with this burst.
    private func rig(_ burst: Int?) async throws -> Rig {
        try await Rig {
            $0.paused = true
            $0.requestedSyncs = burst
        }
    }

    private func sync(_ rig: Rig, _ count: Int = 1) async throws {
        for _ in 0..<count {
            rig.users.success(people(0..<2))
            _ = try await rig.engine.sync([.users], wait: true)
        }
    }

    @Test("A loop of requests begins a burst of syncs, then one every ten seconds, and no outcome is older")
    func loop() async throws {
        let rig = try await rig(3)
        try await sync(rig, 3)
        #expect(rig.users.callCount == 3)
        let waiting = Task { try await rig.engine.sync([.users], wait: true) }
        let begun = Task { try await rig.engine.sync([.users]) }
        try await wait { await rig.engine.requestCount + rig.engine.waitingCount > 0 }
        try #require(await rig.engine.requestCount > 0)
        #expect(try await rig.clock.sleeps.receive() == .seconds(10))
        try await wait { await rig.engine.requestCount == 2 }
        #expect(rig.users.callCount == 3)
        rig.clock.advance(by: .seconds(10))
        #expect(try await begun.value.map(\.index) == [7])
        rig.users.success(people(0..<5))
        let state = try #require(try await waiting.value.first)
        #expect(state.index == 8 && state.count == 5)
        #expect(rig.users.callCount == 4)
        await rig.stop()
    }

    @Test("New settings change the budget")
    func adopted() async throws {
        let rig = try await rig(nil)
        await rig.adopt(interval: .seconds(60), paused: true, requestedSyncs: 1)
        try await sync(rig)
        let waiting = Task { try await rig.engine.sync([.users], wait: true) }
        try await wait { await rig.engine.requestCount + rig.engine.waitingCount == 1 }
        #expect(await rig.engine.requestCount == 1)
        await rig.stop()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }

    @Test("A sync that is due is that of the requests that wait for their turn")
    func due() async throws {
        let rig = try await Rig { $0.requestedSyncs = 1 }
        rig.users.success(people(0..<1))
        _ = try await rig.ended()
        #expect(try await rig.clock.sleeps.receive() == .seconds(60))
        rig.clock.advance(by: .seconds(55))
        try await sync(rig)
        #expect(try await rig.clock.sleeps.receive() == .seconds(60))
        await rig.adopt(interval: .seconds(5), requestedSyncs: 1)
        #expect(try await rig.clock.sleeps.receive() == .seconds(5))
        let waiting = Task { try await rig.engine.sync([.users], wait: true) }
        #expect(try await rig.clock.sleeps.receive() == .seconds(10))
        rig.clock.advance(by: .seconds(5))
        try await wait { await rig.engine.waitingCount == 1 }
        rig.users.success(people(0..<4))
        #expect(try await waiting.value.map(\.count) == [4])
        #expect(try await rig.history().suffix(2).map(\.cause.rawValue) == ["due", "committed: 2 added"])
        await rig.stop()
    }

    enum Apart: CaseIterable { case consent, signIn, reload }

    @Test(
        "A request with consent, or after a sign-in or a reload, joins no earlier sync; others do",
        arguments: Apart.allCases)
    func apart(_ apart: Apart) async throws {
        let rig = try await rig(nil)
        let first = Task { try await rig.engine.sync([.users], wait: true) }
        try await wait { await rig.engine.waitingCount == 1 }
        if apart == .reload { await rig.adopt(interval: .seconds(61), paused: true) }
        let second = Task {
            try await rig.engine.sync(
                [.users], acceptsRemovals: apart == .consent, isNew: apart == .signIn, wait: true)
        }
        try await wait { await rig.engine.requestCount == 1 }
        rig.users.success(people(0..<1))
        #expect(try await first.value.map(\.index) == [2])
        try await wait { await rig.engine.waitingCount == 1 }
        rig.users.success(people(0..<3))
        #expect(try await second.value.map(\.index) == [4])
        await rig.stop()
    }

    @Test("A request with consent is the consent of its own sync alone")
    func consent() async throws {
        let rig = try await rig(nil)
        rig.users.success(people(0..<40))
        _ = try await rig.engine.sync([.users], wait: true)
        let first = Task { try await rig.engine.sync([.users], wait: true) }
        try await wait { await rig.engine.waitingCount == 1 }
        let second = Task { try await rig.engine.sync([.users], acceptsRemovals: true, wait: true) }
        try await wait { await rig.engine.requestCount == 1 }
        rig.users.success(people(0..<1))
        #expect(try await first.value.map(\.failure?.kind) == [.removalGuard])
        try await wait { await rig.engine.waitingCount == 1 }
        rig.users.success(people(0..<1))
        #expect(try await second.value.map(\.count) == [1])
        await rig.stop()
    }

    @Test(
        "While a Retry-After holds, requests begin nothing and say until when, also while paused; a person may insist once",
        arguments: [true, false])
    func retryAfter(paused: Bool) async throws {
        let rig = try await Rig {
            $0.paused = paused
            $0.requestedSyncs = 10
        }
        let limited = upstreamError(.rateLimited, retryAfter: .seconds(3600))
        rig.users.failure(limited)
        _ = paused ? try await rig.engine.sync([.users], wait: true).first : try await rig.ended()
        rig.clock.advance(by: .seconds(10))
        for wait in [true, false] {
            let asked = [
                try await rig.engine.sync([.users], wait: wait),
                try await rig.engine.retry([.users], wait: wait),
                try await rig.engine.sync([.users], acceptsRemovals: true, wait: wait),
            ]
            for states in asked {
                #expect(states.map(\.phase) == [.error])
                #expect(states.map(\.nextSyncAt) == [began + .seconds(3600)])
            }
        }
        #expect(rig.users.callCount == 1)
        rig.users.failure(limited)
        let insisted = try await rig.engine.retry([.users], patience: .insistsOnce, wait: true)
        #expect(insisted.map(\.failure?.attempts) == [2])
        #expect(try await rig.engine.retry([.users], patience: .insistsOnce, wait: true).map(\.index) == [4])
        #expect(rig.users.callCount == 2)
        // The end of the wait, or a success, ends it.
        rig.clock.advance(by: .seconds(3600))
        try await wait { await rig.engine.waitingCount == 0 }
        async let again = rig.engine.sync([.users], wait: true)
        rig.users.success(people(0..<1))
        #expect(try await again.map(\.phase) == [.loaded])
        #expect(try await rig.end(.users) { rig.users.success(people(0..<2)) }.phase == .loaded)
        await rig.stop()
    }

    @Test("cancel answers the requests that wait for their turn")
    func cancel() async throws {
        let rig = try await rig(1)
        try await sync(rig)
        let waiting = Task { try await rig.engine.sync([.users], wait: true) }
        #expect(try await rig.clock.sleeps.receive() == .seconds(10))
        _ = try await rig.engine.cancel([.users])
        #expect(try await waiting.value.map(\.index) == [2])
        #expect(rig.users.callCount == 1)
        await rig.stop()
    }

    @Test("A caller that leaves, and the end of the engine, leave nothing waiting")
    func leave() async throws {
        let rig = try await rig(1)
        try await sync(rig)
        let leaving = Task { try await rig.engine.sync([.users], wait: true) }
        let staying = Task { try await rig.engine.sync([.users]) }
        try await wait { await rig.engine.requestCount == 2 }
        leaving.cancel()
        await #expect(throws: CancellationError.self) { try await leaving.value }
        try await wait { await rig.engine.requestCount == 1 }
        await rig.stop()
        await #expect(throws: CancellationError.self) { try await staying.value }
    }
}
