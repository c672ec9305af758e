import Cache
import Model
import Stubs
import Sync
import TestSupport
import Testing

@Suite(.timeLimit(.hang), .stubs) struct FactTests {
    private func rig(_ change: (inout Rig.Options) -> Void = { _ in }) async throws -> Rig {
        try await Rig {
            $0.resources = [.facts]
            $0.paused = true
            change(&$0)
        }
    }

    @Test("Concurrent requests for a fact share one answer")
    func coalesces() async throws {
        let rig = try await rig()
        let tasks = (0..<20).map { _ in Task { try await rig.engine.fetchFact() } }
        try await rig.oneFact.called()
        // After twenty more calls to the engine, it has received all twenty requests.
        for _ in 0..<20 { _ = await rig.engine.watcherCount }
        rig.oneFact.success(newFact("Cats purr."))
        rig.oneFact.success(newFact("Cats hiss."), times: 0...1)
        var facts: Set<Fact> = []
        for task in tasks { facts.insert(try await task.value) }
        #expect(facts.map(\.text) == ["Cats purr."])
        #expect(facts.first?.firstSeenAt == began)
        #expect(rig.oneFact.callCount == 1)
        await rig.stop()
    }

    @Test("A requested fact is cached and counted without a transition")
    func counted() async throws {
        let rig = try await rig()
        rig.facts.success(cats("Cats sleep.", "Cats eat."))
        _ = try await rig.engine.sync([.facts], wait: true)
        rig.oneFact.success(newFact("Cats purr."))
        let fact = try await rig.engine.fetchFact()
        #expect(fact.text == "Cats purr." && fact.length == 10)
        let state = try await rig.state(.facts)
        #expect(state.count == 3 && state.index == 2)
        #expect(try await rig.cache.reader.facts(FactQuery()).total == 3)
        #expect(try await rig.history().count == 2)
        rig.facts.success(cats("Cats sleep.", "Cats climb."))
        #expect(try await rig.engine.sync([.facts], wait: true).map(\.count) == [4])
        await rig.stop()
    }

    @Test("A fact requested during a sync stays, and counts if the sync is cancelled")
    func duringSync() async throws {
        let rig = try await rig()
        _ = try await rig.engine.sync([.facts])
        rig.oneFact.success(newFact("Cats purr."))
        _ = try await rig.engine.fetchFact()
        #expect(try await rig.engine.cancel([.facts]).map(\.count) == [1])
        _ = try await rig.engine.sync([.facts])
        #expect(try await rig.end(.facts) { rig.facts.success(cats("Cats sleep.")) }.count == 2)
        await rig.stop()
    }

    @Test("A fact that is already cached keeps the time when it was first seen")
    func known() async throws {
        let rig = try await rig()
        rig.oneFact.success(newFact("Cats purr."))
        _ = try await rig.engine.fetchFact()
        rig.clock.advance(by: .seconds(9))
        rig.oneFact.success(newFact("Cats purr."))
        #expect(try await rig.engine.fetchFact().firstSeenAt == began)
        #expect(try await rig.state(.facts).count == 1)
        await rig.stop()
    }

    @Test("A failed request for a fact is an error for its callers, and the next request tries again")
    func fails() async throws {
        let rig = try await rig()
        rig.oneFact.failure(upstreamError(.timeout))
        let error = try await #require(throws: UpstreamError.self) { try await rig.engine.fetchFact() }
        #expect(error.failure.kind == .timeout)
        rig.oneFact.success(newFact("Cats purr."))
        #expect(try await rig.engine.fetchFact().text == "Cats purr.")
        #expect(try await rig.history().isEmpty)
        await rig.stop()
    }

    @Test("A fact that can't be written is an error of the cache")
    func storage() async throws {
        let rig = try await rig { $0.before = full(.addFact) }
        rig.oneFact.success(newFact("Cats purr."))
        await #expect(throws: CacheError.storage("disk full")) { try await rig.engine.fetchFact() }
        #expect(try await rig.state(.facts).count == 0)
        await rig.stop()
    }
}
