import Cache
import Model
import Stubs
import Sync
import TestSupport
import Testing
import Upstream

/// Waits that a daemon takes over from the previous one.
@Suite(.timeLimit(.hang), .stubs) struct RestartTests {
    /// The cache of a daemon whose only sync ended with this error, or with success.
    private func leftBy(
        _ error: UpstreamError?, interval: Duration = .seconds(60), in directory: TemporaryDirectory
    ) async throws -> String {
        let path = directory.file("c/userd.db")
        let rig = try await Rig {
            $0.path = path
            $0.interval = interval
        }
        if let error { rig.users.failure(error) } else { rig.users.success(people(0..<3)) }
        _ = try await rig.ended()
        await rig.stop()
        await rig.cache.close()
        return path
    }

    private func restart(_ path: String) async throws -> Rig {
        try await Rig {
            $0.path = path
            $0.now = began + .seconds(10)
        }
    }

    @Test("A sync that was planned by a longer interval comes after the current interval")
    func shorterInterval() async throws {
        let directory = try TemporaryDirectory()
        let rig = try await restart(try await leftBy(nil, interval: .seconds(86_400), in: directory))
        #expect(try await rig.clock.sleeps.receive() == .seconds(66))
        await rig.stop()
    }

    @Test("After a failure that is not retryable, userd syncs at once when it starts again")
    func mended() async throws {
        let directory = try TemporaryDirectory()
        let rig = try await restart(
            try await leftBy(upstreamError(.redirect, retryable: false), in: directory))
        rig.users.success(people(0..<3))
        #expect(try await rig.next().cause == .due)
        #expect(try await rig.ended().phase == .loaded)
        await rig.stop()
    }

    @Test(
        "A Retry-After outlives a restart, whatever wakes userd",
        arguments: Wakeup.allCases)
    func patience(wakeup: Wakeup) async throws {
        let directory = try TemporaryDirectory()
        let path = try await leftBy(
            upstreamError(.rateLimited, retryAfter: .seconds(4000)), in: directory)
        let rig = try await restart(path)
        #expect(try await rig.clock.sleeps.receive() == .seconds(3990))
        rig.engine.wake(wakeup)
        #expect(try await rig.clock.sleeps.receive() == .seconds(3990))
        await rig.stop()
    }

    @Test("A wait applies only to the source that failed", arguments: [false, true])
    func otherSource(hasRows: Bool) async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("c/userd.db")
        let isFailing = Flag(!hasRows)
        func rig(_ source: String, _ now: Timestamp = began) async throws -> Rig {
            var users = UsersService { _, _ in
                if isFailing.isOn { throw upstreamError(.rateLimited, retryAfter: .seconds(4000)) }
                return people(0..<3)
            }
            users.source = source
            return try await Rig { [users] in
                $0.path = path
                $0.now = now
                $0.users = users
            }
        }
        let first = try await rig("scim a")
        if hasRows {
            #expect(try await first.ended().phase == .loaded)
            isFailing.set(true)
            _ = try await first.engine.sync([.users], wait: true)
        }
        #expect(try await first.ended().phase == .error)
        await first.stop()
        await first.cache.close()
        isFailing.set(false)
        let same = try await rig("scim a", began + .seconds(10))
        #expect(try await same.clock.sleeps.receive() == .seconds(3990))
        await same.stop()
        await same.cache.close()
        let other = try await rig("scim b", began + .seconds(10))
        #expect(try await other.next().cause == .due)
        #expect(try await other.ended().phase == .loaded)
        await other.stop()
    }

    @Test("A reload to another source ends the wait of the source that failed")
    func otherSourceAfterReload() async throws {
        var users = UsersService { _, _ in
            throw upstreamError(.rateLimited, retryAfter: .seconds(4000))
        }
        users.source = "scim a"
        let rig = try await Rig { [users] in $0.users = users }
        #expect(try await rig.ended().phase == .error)
        #expect(try await rig.clock.sleeps.receive() == .seconds(4000))
        users = UsersService { _, _ in people(0..<3) }
        users.source = "scim b"
        await rig.engine.adopt(
            [
                .users(
                    users, into: rig.cache.writer, schedule: Schedule(interval: .seconds(60)),
                    removals: RemovalGuard(limit: 0.5))
            ], facts: FactsService(rig.facts, one: rig.oneFact), paused: false)
        #expect(try await rig.ended().phase == .loaded)
        await rig.stop()
    }

    @Test("Neither a reload nor the end of a pause shortens a Retry-After")
    func settings() async throws {
        let rig = try await Rig()
        rig.users.failure(upstreamError(.rateLimited, retryAfter: .seconds(4000)))
        _ = try await rig.ended()
        #expect(try await rig.clock.sleeps.receive() == .seconds(4000))
        rig.clock.advance(by: .seconds(1000))
        await rig.adopt(interval: .seconds(60))
        #expect(try await rig.clock.sleeps.receive() == .seconds(3000))
        try await rig.engine.setPaused(true)
        try await rig.engine.setPaused(false)
        #expect(try await rig.clock.sleeps.receive() == .seconds(3000))
        #expect(try await rig.state().phase == .error)
        await rig.stop()
    }
}
