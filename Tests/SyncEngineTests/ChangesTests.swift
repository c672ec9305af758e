import Cache
import Model
import StrictJSON
import Stubs
import TestSupport
import Testing
import Upstream

@testable import Sync

private let day = Duration.seconds(86_400)

@Suite("A directory that says what changed", .stubs)
struct ChangesTests {
    private let directory = ChangingDirectory(0..<30)

    private func rig(_ service: UsersService? = nil, _ change: (inout Rig.Options) -> Void = { _ in })
        async throws -> Rig
    {
        try await Rig {
            $0.interval = day * 100
            $0.users = service ?? directory.service()
            change(&$0)
        }
    }

    /// A rig whose directory's changes are trusted.
    private func trustedRig(_ change: (inout Rig.Options) -> Void = { _ in }) async throws -> Rig {
        let rig = try await rig(nil, change)
        _ = try await rig.ended()
        for _ in 1...2 { try await rig.sync(isFull: true) }
        #expect(try await rig.trust?.level == .trusted)
        _ = directory.takeCounts()
        return rig
    }

    @Test("Changes are watched, and trusted after two full lists that agree with them")
    func earned() async throws {
        let rig = try await rig()
        #expect(try await rig.ended().scope == .full)
        #expect(directory.takeCounts() == [1, 0])

        // Nothing changed: that is believed at once.
        #expect(try await rig.sync().scope == .changes)
        #expect(directory.takeCounts() == [0, 1])

        for agreements in 1...2 {
            directory.set(agreements, last: "Changed\(agreements)")
            let state = try await rig.sync()
            #expect(state.scope == .full && state.cause == .committed(Changes(changed: 1)))
            #expect(directory.takeCounts() == [1, 1])
            #expect(try await rig.trust?.agreements == agreements)
        }
        directory.set(3, last: "Changed3")
        let state = try await rig.sync()
        #expect(
            state.scope == .changes && state.cause == .committed(Changes(changed: 1)) && state.count == 30)
        #expect(directory.takeCounts() == [0, 1])
        #expect(try await rig.lastName(3) == "Changed3")
        await rig.stop()
    }

    @Test(
        "Trusted changes are taken alone: somebody new, changed, gone, and whoever comes twice as they came last"
    )
    func taken() async throws {
        let rig = try await trustedRig()
        directory.change { $0.pageSize = 2 }
        directory.set(30)
        directory.set(5, last: "First")
        directory.remove(5)
        directory.set(5, last: "Second")
        directory.set(6, last: "Soon gone")
        directory.remove(6)
        directory.remove(99)
        let state = try await rig.sync()
        #expect(state.cause == .committed(Changes(added: 1, changed: 1, removed: 1)))
        #expect(state.scope == .changes && state.count == 30)
        #expect(directory.takeCounts() == [0, 1])
        #expect(try await rig.lastName(5) == "Second")
        #expect(try await !rig.userIDs().contains("u6"))

        // The full list finds the same.
        let full = try await rig.sync(isFull: true)
        #expect(full.cause == .committed(Changes()) && full.scope == .full)
        await rig.stop()
    }

    @Test("What a record lacks stays as it is; an empty value clears it")
    func partial() async throws {
        let rig = try await trustedRig()
        var whole = person(4)
        (whole.department, whole.office) = ("Optics", "12")
        var part = person(4, last: "Married")
        part.office = nil
        directory.change { [whole, part] in
            $0.log += [.user(whole, absent: []), .user(part, absent: [.department, .displayName])]
            $0.users["u4"] = whole
        }
        _ = try await rig.sync()
        let user = try await rig.user(4)
        #expect(user.department == "Optics" && user.office == nil && user.name.last == "Married")
        await rig.stop()
    }

    @Test("A sync without changes writes nothing but the transition, and a token is kept over a restart")
    func restart() async throws {
        let temporary = try TemporaryDirectory()
        let path = temporary.file("c/userd.db")
        let rig = try await trustedRig { $0.path = path }
        await rig.stop()
        await rig.cache.close()
        let again = try await self.rig { $0.path = path }
        _ = directory.takeCounts()
        directory.set(1, last: "Meanwhile")
        #expect(try await again.sync().cause == .committed(Changes(changed: 1)))
        #expect(try await again.sync().cause == .committed(Changes()))
        #expect(directory.takeCounts() == [0, 2])
        await again.stop()
    }

    @Test("While changes are trusted, the longer interval holds, and a machine that is back asks soon")
    func interval() async throws {
        let rig = try await trustedRig { ($0.interval, $0.trustedInterval) = (.seconds(900), .seconds(3600)) }
        #expect(try await rig.sync().nextSyncAt == rig.environment.now() + .seconds(3600))
        rig.clock.advance(by: .seconds(1200))
        func waits() async throws {
            while try await rig.clock.sleeps.receive() != .seconds(300) {}
            #expect(try await rig.state().nextSyncAt == rig.environment.now() + .seconds(300))
        }
        for wakeup in [Wakeup.networkChanged, .resumed] {
            rig.engine.wake(wakeup)
            try await waits()
        }
        // The machine sleeps longer than that.
        rig.clock.advance(by: day)
        try await waits()
        rig.clock.advance(by: .seconds(300))
        try await rig.reaches { [now = rig.environment.now()] in $0.phase == .loaded && $0.syncedAt == now }
        await rig.stop()
    }

    @Test("A full list is read when it is due, and at once if the clock was ahead")
    func due() async throws {
        let rig = try await trustedRig()
        rig.clock.advance(by: day - .seconds(1))
        #expect(try await rig.sync().scope == .changes)
        rig.clock.advance(by: .seconds(1))
        #expect(try await rig.sync().scope == .full)
        await rig.stop()
    }

    @Test(
        "A refused token, and changes that can't be read, lead to the full list in the same sync",
        arguments: [
            UpstreamError(.http, "gone", status: 410), UpstreamError(.http, "expired", status: 400),
            UpstreamError(.decode, "no token"),
        ])
    func refused(error: UpstreamError) async throws {
        let rig = try await trustedRig()
        for number in 2...5 { directory.set(number, last: "Changed") }
        directory.remove(6, isNamed: false)
        // A page that may come later would be asked for again.
        let served = error.failure.retryable ? 0 : 2
        directory.change { ($0.refusal, $0.servedPages, $0.pageSize) = (error, served, 1) }
        let state = try await rig.sync()
        // Nothing of the pages before the refusal is left.
        #expect(state.scope == .full && state.cause == .committed(Changes(changed: 4, removed: 1)))
        #expect(directory.takeCounts() == [1, 1])
        // With the new token, changes go on.
        directory.change { $0.refusal = nil }
        #expect(try await rig.sync().scope == .changes)
        await rig.stop()
    }

    @Test("A directory that refuses each token is no longer asked for changes")
    func refusedAgain() async throws {
        let rig = try await trustedRig()
        directory.change { $0.refusal = UpstreamError(.http, "gone", status: 410) }
        for _ in 1...3 { #expect(try await rig.sync().scope == .full) }
        #expect(directory.takeCounts() == [3, 2])
        let trust = try await rig.trust
        #expect(trust?.level == .off && trust?.refusal == "gone")
        await rig.stop()
    }

    @Test(
        "Errors that say nothing about the token keep it, and fail the sync",
        arguments: [
            UpstreamError(.offline, "no route"), UpstreamError(.http, "unauthorised", status: 401),
            UpstreamError(.http, "forbidden", status: 403), UpstreamError(.rateLimited, "slow", status: 429),
            UpstreamError(.http, "broken", status: 500),
        ])
    func kept(error: UpstreamError) async throws {
        let rig = try await trustedRig()
        directory.change { $0.refusal = error }
        #expect(try await rig.sync().failure?.kind == error.failure.kind)
        directory.change { $0.refusal = nil }
        #expect(try await rig.sync().scope == .changes)
        #expect(directory.takeCounts() == [0, 2])
        await rig.stop()
    }

    @Test(
        "Two full lists with users whom no change named turn changes off; two requested ones that agree end that"
    )
    func liar() async throws {
        let rig = try await trustedRig()
        for number in 1...2 {
            directory.set(number, last: "Untold", isNamed: false)
            #expect(try await rig.sync().cause == .committed(Changes()))
            let state = try await rig.sync(isFull: true)
            #expect(state.cause == .committed(Changes(changed: 1)))
            // It is judged once the next changes came.
            #expect(try await rig.trust?.level == .trusted)
            _ = try await rig.sync()
        }
        #expect(try await rig.trust?.level == .off)
        #expect(try await rig.trust?.misses.map(\.users) == [1, 1])
        _ = directory.takeCounts()
        #expect(try await rig.sync().scope == .full)
        #expect(directory.takeCounts() == [1, 0])
        for _ in 1...2 { _ = try await rig.sync(isFull: true) }
        #expect(try await rig.trust?.level == .watched)
        await rig.stop()
    }

    @Test("A change that is named only after the full list had it is none that was missed")
    func late() async throws {
        let rig = try await trustedRig()
        for number in 1...3 {
            directory.set(number, last: "Late")
            directory.change { $0.hidden = 1 }
            #expect(try await rig.sync(isFull: true).cause == .committed(Changes(changed: 1)))
            directory.change { $0.hidden = 0 }
            #expect(try await rig.sync().scope == .changes)
        }
        #expect(try await rig.trust == trusted(agreements: 5))
        await rig.stop()
    }

    private func trusted(agreements: Int) -> ChangeTrust {
        var trust = ChangeTrust()
        (trust.level, trust.agreements) = (.trusted, agreements)
        return trust
    }

    @Test("The removal guard holds for changes, and a sync that it refuses keeps the token")
    func guarded() async throws {
        let rig = try await trustedRig()
        for number in 0..<20 { directory.remove(number) }
        let refused = try await rig.sync()
        #expect(refused.failure?.kind == .removalGuard && refused.count == 30)
        let accepted = try #require(
            try await rig.engine.sync([.users], acceptsRemovals: true, wait: true).first)
        #expect(accepted.cause == .committed(Changes(removed: 20)) && accepted.scope == .changes)
        #expect(directory.takeCounts() == [0, 2])
        await rig.stop()
    }

    @Test("If the rows can't be written, the token stays, too, and the next sync reads the changes again")
    func unwritten() async throws {
        let isFull = Flag()
        let rig = try await trustedRig { $0.before = full(while: isFull, .commit(.users)) }
        directory.set(7, last: "Changed")
        isFull.set(true)
        #expect(try await rig.sync().failure?.kind == .storage)
        isFull.set(false)
        #expect(try await rig.sync().cause == .committed(Changes(changed: 1)))
        #expect(directory.takeCounts() == [0, 2])
        await rig.stop()
    }

    @Test("Other settings, and a change that needs the list, lead to a full list")
    func fingerprint() async throws {
        let rig = try await trustedRig()
        directory.change { $0.needsList = true }
        directory.set(1, last: "Changed")
        #expect(try await rig.sync().scope == .full)
        await rig.stop()

        let temporary = try TemporaryDirectory()
        let path = temporary.file("c/userd.db")
        let other = try await trustedRig { $0.path = path }
        await other.stop()
        await other.cache.close()
        let again = try await self.rig(directory.service(fingerprint: "b")) { $0.path = path }
        _ = directory.takeCounts()
        #expect(try await again.sync().scope == .full)
        #expect(directory.takeCounts() == [1, 0])
        #expect(try await again.trust?.level == .watched)
        await again.stop()
    }

    @Test("Settings and directories that allow no changes are asked for none, and the reason is kept")
    func off() async throws {
        let obstructed = try await rig(directory.service(obstacle: "users.query has $filter"))
        _ = try await obstructed.ended()
        #expect(try await obstructed.sync().scope == .full)
        #expect(directory.takeCounts() == [2, 0])
        #expect(try await obstructed.trust?.refusal == "users.query has $filter")
        await obstructed.stop()

        directory.change { $0.beginning = UpstreamError(.http, "not for this tenant", status: 403) }
        let rig = try await rig()
        _ = try await rig.ended()
        _ = try await rig.sync()
        #expect(directory.takeCounts() == [2, 0])
        await rig.stop()
    }
}
