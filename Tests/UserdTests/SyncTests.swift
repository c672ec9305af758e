import Cache
import Model
import Synchronization
import TestSupport
import Testing
import Upstream
import UserdAPI
import Varlink

@Suite(.timeLimit(.hang)) struct SyncTests {
    private func people(_ count: Int) -> [User] {
        (0..<count).map { User(id: "u\($0)", name: User.Name(first: "Ada", last: "L\($0)")) }
    }

    @Test("GetState returns the state of each resource and of the daemon")
    func getState() async throws {
        try await Daemon.with(synced: false) { daemon in
            let cold = try await daemon.call(.getState, NoParameters())
            #expect(cold.states.map(\.resource) == [.users, .facts])
            #expect(cold.states.map(\.phase) == [.initial, .initial])
            #expect(cold.paused && cold.version == version && cold.startedAt == began)
            _ = try await daemon.call(.sync, Sync(wait: true))
            let synced = try await daemon.call(.getState, NoParameters())
            #expect(synced.states.map(\.phase) == [.loaded, .loaded])
            #expect(synced.states.map(\.count) == [User.samples.count, NewFact.samples.count])
        }
    }

    @Test("Sync starts a sync of the named resources, or of all, and returns their states")
    func sync() async throws {
        try await Daemon.with(synced: false) { daemon in
            let users = try await daemon.call(.sync, Sync(resources: [.users], wait: true)).states
            #expect(users.map(\.resource) == [.users] && users.map(\.phase) == [.loaded])
            #expect(try await daemon.call(.getState, NoParameters()).states[1].phase == .initial)
            daemon.set(.hang)
            let both = try await daemon.call(.sync, Sync()).states
            #expect(both.map(\.phase) == [.syncing, .syncing])
            #expect(try await daemon.call(.sync, Sync(resources: [])).states == both)
            #expect(try await daemon.call(.sync, Sync(resources: [.facts, .facts])).states == [both[1]])
            let stopped = try await daemon.call(.cancel, Cancel()).states
            #expect(
                stopped.map(\.phase) == [.loaded, .initial]
                    && stopped.map(\.cause) == [.cancelled, .cancelled])
        }
    }

    @Test("Sync with wait returns the failure, and Retry tries the failed resources again")
    func retry() async throws {
        try await Daemon.with { daemon in
            daemon.set(.error)
            let failed = try await daemon.call(.sync, Sync(resources: [.users], wait: true)).states
            #expect(failed.map(\.phase) == [.error] && failed.first?.failure?.kind == .offline)
            #expect(failed.first?.count == User.samples.count)
            #expect(try await daemon.call(.listUsers, ListUsers()).freshness.phase == .error)
            daemon.set(.data)
            let states = try await daemon.call(.retry, Retry(wait: true)).states
            #expect(states.map(\.phase) == [.loaded, .loaded])
            #expect(states.map(\.index) == [8, 4] || states.map(\.index) == [8, 3])
        }
    }

    @Test("Removals beyond the guard are refused until they are accepted")
    func removals() async throws {
        var upstream = Daemon.Upstream()
        upstream.users = people(40)
        try await Daemon.with(upstream: upstream) { daemon in
            daemon.upstream.withLock { $0.users = people(5) }
            let refused = try await daemon.call(.sync, Sync(resources: [.users], wait: true)).states[0]
            #expect(refused.failure?.kind == .removalGuard && refused.count == 40)
            let accepted = try await daemon.call(
                .sync, Sync(resources: [.users], wait: true, acceptRemovals: true)
            ).states[0]
            #expect(accepted.phase == .loaded && accepted.count == 5)
            #expect(try await daemon.call(.listUsers, ListUsers()).total == 5)
        }
    }

    @Test("FetchFact fetches one more fact and caches it")
    func fetchFact() async throws {
        try await Daemon.with { daemon in
            daemon.upstream.withLock { $0.facts = [NewFact(text: "Cats purr.")] }
            let reply = try await daemon.call(.fetchFact, NoParameters())
            #expect(reply.fact.text == "Cats purr.")
            #expect(reply.freshness == Freshness(phase: .loaded, syncedAt: began, age: 0, stale: false))
            #expect(try await daemon.call(.listFacts, ListFacts()).facts.last == reply.fact)
            let state = try await daemon.call(.getState, NoParameters()).states[1]
            #expect(state.count == NewFact.samples.count + 1)
        }
    }

    @Test("FetchFact with an empty cache reports that nothing was synced")
    func fetchFactCold() async throws {
        try await Daemon.with(synced: false) { daemon in
            let reply = try await daemon.call(.fetchFact, NoParameters())
            #expect(reply.freshness == Freshness(phase: .initial, syncedAt: nil, age: nil, stale: true))
        }
    }

    @Test("FetchFact from a failing upstream fails with UpstreamFailed and the failure")
    func upstreamFailed() async throws {
        try await Daemon.with { daemon in
            daemon.set(.error)
            guard case .upstreamFailed(let failure)? = try await daemon.error("FetchFact") else {
                Issue.record("another error")
                return
            }
            #expect(failure.kind == .offline && failure.retryable && failure.attempts == 1)
        }
    }

    @Test("SetPaused turns automatic syncs off and on, and repeating it changes nothing")
    func setPaused() async throws {
        try await Daemon.with(synced: false) { daemon in
            let watch = try await daemon.watch()
            #expect(try await watch.states(2).map(\.phase) == [.initial, .initial])
            for _ in 0..<2 {
                #expect(try await daemon.call("SetPaused", #"{"paused":true}"#) == "{}")
                #expect(try await daemon.call(.getState, NoParameters()).paused)
            }
            #expect(try await daemon.call(.getState, NoParameters()).states.allSatisfy { $0.index == 0 })
            _ = try await daemon.call(.setPaused, SetPaused(paused: false))
            #expect(try await !daemon.call(.getState, NoParameters()).paused)
            let states = try await watch.states(4)
            for resource in Resource.allCases {
                let own = states.filter { $0.resource == resource }
                #expect(own.map(\.phase) == [.syncing, .loaded] && own.first?.cause == .due)
            }
            watch.stop()
        }
    }

    @Test(
        "If the cache can't be written, methods that write it fail with CacheUnavailable",
        arguments: [("FetchFact", "{}"), ("SetPaused", #"{"paused":false}"#)])
    func unavailable(method: String, parameters: String) async throws {
        try await Daemon.with { daemon in
            await daemon.cache.close()
            guard case .cacheUnavailable? = try await daemon.error(method, parameters) else {
                Issue.record("another error")
                return
            }
            #expect(try await daemon.call(.getState, NoParameters()).paused)
        }
    }

    @Test("If the cache can't be written, a sync ends with a storage failure")
    func unwritten() async throws {
        try await Daemon.with { daemon in
            await daemon.cache.close()
            let states = try await daemon.call(.sync, Sync(wait: true)).states
            #expect(states.map(\.phase) == [.error, .error])
            #expect(states.allSatisfy { $0.failure?.kind == .storage })
        }
    }
}
