import Model
import Sync
import Synchronization
import TestSupport
import Testing
import Upstream
import UserdAPI

@Suite(.timeLimit(.hang)) struct NotConnectedTests {
    @Test(
        "While userd waits for a directory, requests for syncs fail with what to do, and a pause is the person's"
    )
    func refused() async throws {
        try await Daemon.with { daemon in
            daemon.asksNobody.withLock { $0 = true }
            let before = try await daemon.call(.getState, NoParameters())
            #expect(before.pauseCause == "no_directory" && before.paused)
            #expect(before.notConnected?.hasPrefix("not connected: `userctl connect example.org`") == true)
            for (method, parameters) in [
                ("Sync", "{}"), ("Sync", #"{"resources":["users"],"wait":true}"#), ("Retry", "{}"),
                ("FetchFact", "{}"),
                ("SetPaused", #"{"paused":false}"#),
            ] {
                let error = try await daemon.error(method, parameters)
                #expect(error == .upstreamFailed(failure: .notConnected), "\(method)")
            }
            #expect(try await daemon.call(.getState, NoParameters()).states == before.states)
            // Reads and a pause still work.
            _ = try await daemon.call(.listUsers, ListUsers())
            _ = try await daemon.call(.setPaused, SetPaused(paused: true))
            daemon.asksNobody.withLock { $0 = false }
            let after = try await daemon.call(.getState, NoParameters())
            #expect(after.paused && after.pauseCause == nil)
        }
    }

    @Test(
        "A plan that is not scheduled starts no sync at the start, at a wakeup or after a resume, and the next plan does"
    )
    func unscheduled() async throws {
        try await Daemon.with { daemon in
            var waiting = daemon.plans
            for place in waiting.indices { waiting[place].isScheduled = false }
            await daemon.engine.adopt(waiting, facts: daemon.facts, paused: false)
            daemon.engine.wake(.networkChanged)
            try await daemon.engine.setPaused(true)
            try await daemon.engine.setPaused(false)
            #expect(daemon.engine.states.allSatisfy { $0.nextSyncAt == nil && $0.phase != .syncing })
            await daemon.engine.adopt(daemon.plans, facts: daemon.facts, paused: false)
            #expect(daemon.engine.states.allSatisfy { $0.nextSyncAt != nil || $0.phase == .syncing })
        }
    }
}
