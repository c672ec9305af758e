import Model
import Sync
import Synchronization
import TestSupport
import Testing
import Upstream
import UserdAPI
import Varlink

@Suite(.timeLimit(.hang)) struct FactsOffTests {
    @Test(
        "Calls that name no resource leave out facts that are off; cached facts can still be read"
    )
    func leftOut() async throws {
        try await Daemon.with { daemon in
            await daemon.turnOn(.users)
            #expect(try await daemon.call(.getState, NoParameters()).states.map(\.resource) == [.users])
            #expect(try await daemon.call(.sync, Sync(wait: true)).states.map(\.resource) == [.users])
            #expect(try await daemon.call(.retry, Retry()).states.map(\.resource) == [.users])
            #expect(try await daemon.call(.cancel, Cancel()).states.map(\.resource) == [.users])
            let facts = try await daemon.call(.listFacts, ListFacts())
            #expect(facts.total == NewFact.samples.count && facts.freshness.phase == .loaded)
            _ = try await daemon.call(.randomFact, RandomFact())
            let history = try await daemon.call(.history, History(resource: .facts))
            #expect(history.states.first?.cause.rawValue == "turned_off")
        }
    }

    @Test(
        "A call that names facts while they are off fails with the setting to change",
        arguments: [
            ("Sync", #"{"resources":["facts"]}"#), ("Sync", #"{"resources":["users","facts"],"wait":true}"#),
            ("Retry", #"{"resources":["facts"]}"#), ("Cancel", #"{"resources":["facts"]}"#),
            ("Watch", #"{"resources":["facts"]}"#), ("FetchFact", "{}"),
        ])
    func named(method: String, parameters: String) async throws {
        try await Daemon.with { daemon in
            await daemon.turnOn(.users)
            // Otherwise a watch would not end.
            guard try await daemon.call(.getState, NoParameters()).states.count == 1 else {
                Issue.record("facts are on")
                return
            }
            let error = try await daemon.error(method, parameters, more: method == "Watch")
            guard case .upstreamFailed(let failure) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(failure.message.contains("facts.format") && !failure.retryable)
        }
    }

    @Test("Calls beside a reload that turns facts off say so, and not that userd ends")
    func beside() async throws {
        try await Daemon.with { daemon in
            let fact = try #require(NewFact.samples.first)
            daemon.upstream.withLock {
                $0.oneFact = {
                    await daemon.turnOn(.users)
                    return fact
                }
            }
            guard case .upstreamFailed(let failure) = try await daemon.error("FetchFact") else {
                Issue.record("no failure of facts")
                return
            }
            #expect(failure.message.contains("facts.format"))
            // As `DaemonMethods` does, which has looked before the reload.
            let states = try await daemon.engine.sync([.users, .facts], wait: true)
            #expect(states.map(\.cause.rawValue).last == "turned_off" && states.first?.phase == .loaded)
        }
    }

    @Test("A watch of all resources continues with users, and with facts once they are on again")
    func watch() async throws {
        try await Daemon.with { daemon in
            let client = try await daemon.watch()
            #expect(try await client.states(2).map(\.resource) == [.users, .facts])
            await daemon.turnOn(.users)
            // Earlier watchers get this transition.
            #expect(try await client.next().cause.rawValue == "turned_off")
            let other = try await daemon.watch()
            #expect(try await other.next().resource == .users)
            _ = try await daemon.call(.sync, Sync(wait: true))
            for one in [client, other] {
                #expect(try await one.states(2).map(\.resource) == [.users, .users])
            }
            await daemon.turnOn(.users, .facts)
            #expect(
                try await daemon.call(.getState, NoParameters()).states.map(\.phase) == [.loaded, .loaded])
            _ = try await daemon.call(.sync, Sync(resources: [.facts], wait: true))
            for one in [client, other] {
                #expect(try await one.states(2).map(\.resource) == [.facts, .facts])
            }
            client.stop()
            other.stop()
        }
    }
}
