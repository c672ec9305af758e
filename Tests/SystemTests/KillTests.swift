import DemoUpstream
import Foundation
import Glibc
import Model
import StateRecording
import TestSupport
import Testing
import UserdAPI

@Suite("A daemon killed during syncs", .timeLimit(.minutes(40)))
struct KillTests {
    /// When the daemon is killed.
    private enum Moment: CaseIterable {
        /// Before the last page is requested.
        case fetching
        /// After the last page was requested: before, in or after the commit.
        case committing
        /// After a client was told of the commit.
        case told
    }

    @Test("A daemon killed during a sync leaves the old users or the new ones, and continues from there")
    func kills() async throws {
        try await onMachine(users: 250) { machine in
            var random = SeededRandom(seed: 1)
            // With validators, which must belong to the rows that a kill leaves.
            try await machine.upstream.setFaults([Fault(.etag, path: "/api")])
            let settings = ["users.page_size": "50", "users.pages": "20", "paused": "true"]
            var userd = try await machine.startUserd(settings)
            for round in 0..<Volume.kills {
                let moment = Moment.allCases[round % Moment.allCases.count]
                let state = try await machine.sync(.users)
                #expect(state.phase == .loaded, "round \(round): \(state.failure?.message ?? "")")
                let old = try await machine.upstreamAddresses()
                try machine.upstream.edit(Edit(added: 7, changed: .first(1000), removed: .first(3)))
                let new = try await machine.upstreamAddresses()

                let last = new.count / 50 + 1
                let page = moment == .fetching ? Int.random(in: 1..<last, using: &random) : last
                machine.upstream.forgetRequests()
                var arrivals = machine.upstream.arrivals().makeAsyncIterator()
                async let reply = try? machine.call(
                    .sync, Sync(resources: [.users], wait: moment == .told))
                if moment == .told {
                    _ = await reply
                } else {
                    while let arrival = await arrivals.next(), !arrival.uri.contains("page=\(page)&") {}
                }
                if moment == .committing {
                    try await Task.sleep(for: .milliseconds(.random(in: 0..<60, using: &random)))
                }
                userd.send(SIGKILL)
                #expect(try await userd.ended() == .signalled(SIGKILL))
                _ = await reply

                let cache = try KilledCache(of: machine)
                let isNew = cache.users == new
                #expect(isNew || cache.users == old, "a mixture: \(cache.users.count) users")
                let saved = try #require(cache.states[.users])
                #expect((saved.cause.isCommitted && saved.index > state.index) == isNew)
                if moment == .told { #expect(isNew) }
                // The kill may come late on a busy machine.
                let isComplete = machine.upstream.recentRequests.contains { $0.uri.contains("page=\(last)&") }
                if !isComplete { #expect(!isNew) }
                userd = try await machine.startUserd(settings)
            }
            #expect(try await machine.sync(.users).phase == .loaded)
        }
    }

    @Test(
        "After a kill under load, everything that a client was told or has read is still there"
    )
    func load() async throws {
        try await onMachine(users: 120) { machine in
            var random = SeededRandom(seed: 2)
            let settings = ["users.page_size": "30", "users.pages": "20", "paused": "true"]
            var userd = try await machine.startUserd(settings)
            #expect(
                try await machine.call(.sync, Sync(wait: true)).states.map(\.phase) == [.loaded, .loaded])
            let load = KillLoad(machine, users: try await machine.upstreamAddresses())
            var checked = 0
            for round in 0..<Volume.loadKills {
                // Every fifth daemon is killed while it starts.
                if round % 5 == 4 {
                    userd.send(SIGKILL)
                    try await userd.ended()
                    userd = try machine.start(.userd, machine.arguments(settings))
                    try await Task.sleep(for: .milliseconds(.random(in: 0..<80, using: &random)))
                } else {
                    let states = load.watchedStates + Int.random(in: 0..<12, using: &random)
                    async let clients: Void = load.run()
                    try await wait { load.watchedStates >= states }
                    try await Task.sleep(for: .microseconds(.random(in: 0..<20_000, using: &random)))
                    userd.send(SIGKILL)
                    await clients
                }
                userd.send(SIGKILL)
                #expect(try await userd.ended() == .signalled(SIGKILL))

                let told = load.takeTold()
                #expect(told.faults.prefix(5) == [], "round \(round)")
                let first = told.states.map(\.index).min() ?? checked + 1
                let cache = try KilledCache(of: machine, after: max(0, min(checked, first - 1)))
                let edition = try #require(load.edition(of: cache.users), "round \(round): a mixture")
                #expect(edition >= told.edition, "round \(round)")
                let kept = Set(cache.transitions.map(\.asTold))
                let lost = told.states.map(\.asTold).filter { $0.index > 0 && !kept.contains($0) }
                #expect(lost == [], "round \(round)")
                checked = cache.transitions.last?.index ?? checked
                userd = try await machine.startUserd(settings)
            }
            print("FAULT|kills under load|\(Volume.loadKills)|ok")
        }
    }
}

extension RecordedState {
    /// Why a sync was stopped is in the history, but not in the state that it returns to.
    fileprivate var asTold: RecordedState {
        var told = self
        if [.cancelled, .interrupted].contains(cause) { told.failure = nil }
        return told
    }
}
