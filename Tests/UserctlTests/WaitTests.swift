import MockDaemon
import Model
import Testing
import UserdAPI
import Varlink

@testable import UserctlCommands

@Suite struct WaitTests {
    @Test func `wait ends at once if all are loaded`() async throws {
        let ended = await userctl("wait", userd: .mock())
        #expect(ended.code == 0)
        #expect(ended.output == "users  loaded   14 users\nfacts  loaded   6 facts\n")
        #expect(ended.errors == "")
        let json = await userctl("wait", "facts", "--output", "json", userd: .mock())
        #expect(json.output.hasPrefix(#"{"states":[{"cause":"#))
    }

    @Test func `wait ends with the transition to the phase`() async throws {
        let asked = Asked<Watch>()
        var userd = UserdClient.untouched
        userd.watch = asked.following([
            state(.users, .syncing, index: 6), failedUsers, state(.users, .syncing, index: 8),
            state(.users, .loaded, index: 9, count: 2), state(.users, .empty, index: 11),
        ])
        let ended = await userctl("wait", "users", userd: userd)
        #expect(ended.output == "users  loaded   2 users\n")
        #expect(asked.all == [Watch(resources: [.users])])
        let failed = await userctl("wait", "users", "--for", "error", "--for", "empty", userd: userd)
        #expect(failed.output == "users  error    5,000 users\n")
    }

    @Test func `an upstream without users has synced, too`() async throws {
        var userd = UserdClient.untouched
        userd.watch = Asked().following([state(.users, .syncing, index: 6), state(.users, .empty, index: 7)])
        let ended = await userctl("wait", "users", userd: userd)
        #expect(ended.code == 0)
        #expect(ended.output == "users  empty    0 users\n")
    }

    @Test func `an error that does not pass by itself ends it, others only with --fail-fast`() async throws {
        var rejected = failedUsers
        rejected.failure = Failure(kind: .http, message: "401", retryable: false, httpStatus: 401)
        var userd = UserdClient.untouched
        userd.watch = Asked().following([failedUsers, rejected, state(.users, .loaded, index: 9)])
        let permanent = await userctl("wait", "users", userd: userd)
        #expect(permanent.code == 1)
        #expect(permanent.output == "")
        #expect(
            permanent.errors == """
                userctl: users: connection refused (offline, 3 attempts); waiting for an attempt that succeeds
                userctl: users: 401 (http)
                userctl: upstream rejected the credentials: check the setting users.token_file

                """)
        #expect(
            await userctl("wait", "users", "--quiet", userd: userd).errors.hasPrefix("userctl: users: 401"))
        let first = await userctl("wait", "users", "--fail-fast", userd: userd)
        #expect(first.code == 1)
        #expect(first.errors.hasPrefix("userctl: users: connection refused (offline, 3 attempts)\n"))
        #expect(await userctl("wait", "users", "--for", "error", userd: userd).code == 0)
    }

    @Test func `every named resource has to reach the phase`() async throws {
        var userd = UserdClient.untouched
        userd.watch = Asked().following([
            state(.users, .loaded, index: 1, count: 2), state(.facts, .syncing, index: 2),
            state(.users, .syncing, index: 3), state(.facts, .loaded, index: 4, count: 1),
            state(.users, .loaded, index: 5, count: 3),
        ])
        userd.getState = Self.telling(.users, .facts)
        #expect(
            await userctl("wait", userd: userd).output == "users  loaded   3 users\nfacts  loaded   1 fact\n")
    }

    private static func telling(
        _ resources: Resource...
    ) -> @Sendable () throws -> RawReply<DaemonState> {
        {
            try RawReply(
                DaemonState(
                    states: resources.map { state($0, .initial) }, paused: false, version: "1",
                    startedAt: noon), to: .getState)
        }
    }

    @Test func `without names, those that are turned off are not waited for`() async throws {
        var userd = UserdClient.untouched
        userd.watch = Asked().following([
            state(.users, .syncing, index: 1), state(.users, .loaded, index: 2, count: 2),
        ])
        userd.getState = Self.telling(.users)
        #expect(await userctl("wait", userd: userd).output == "users  loaded   2 users\n")
    }

    @Test func `one that is turned off meanwhile is not waited for any more`() async throws {
        let off = try #require(Cause(rawValue: "turned_off"))
        var userd = UserdClient.untouched
        userd.watch = Asked().following([
            state(.users, .loaded, index: 1, count: 2), state(.facts, .syncing, index: 2),
            state(.facts, .initial, index: 3, cause: off),
        ])
        userd.getState = Self.telling(.users, .facts)
        #expect(await userctl("wait", userd: userd).output == "users  loaded   2 users\n")
        let named = await userctl("wait", "facts", userd: userd)
        #expect(named.code == 1 && named.errors.contains("set facts.format"))
    }

    @Test func `wait outlasts a restart of userd`() async throws {
        let connections = Asked<Watch>()
        var userd = UserdClient.untouched
        let first = connections.following([state(.users, .syncing, index: 3)])
        let second = connections.following([state(.users, .loaded, index: 4, count: 1)])
        userd.watch = { try (connections.all.isEmpty ? first : second)($0) }
        let ended = await userctl("wait", "users", userd: userd)
        #expect(ended.code == 0)
        #expect(connections.all.map(\.since) == [nil, 3])
        #expect(
            ended.errors == "userctl: lost the connection to userd; reconnecting\nuserctl: userd is back\n")
    }

    @Test(arguments: [
        // A sync that was asked for runs in spite of the pause.
        (true, Phase.initial, Int32(1)), (true, .error, 1), (true, .syncing, 75), (false, .initial, 75),
    ])
    func `while userd is paused, wait ends unless a sync runs`(
        isPaused: Bool, phase: Phase, code: Int32
    ) async throws {
        let users = state(.users, phase, failure: phase == .error ? offline : nil)
        var userd = UserdClient.untouched
        userd.watch = { _ in
            RawReplies({ body, whenIdle in
                _ = try whenIdle?()
                _ = try body(RawReply(WatchedState(state: users), to: .watch))
                while true { #expect(try #require(try whenIdle?()) <= .seconds(2)) }
            })
        }
        userd.getState = {
            try RawReply(
                DaemonState(states: [users], paused: isPaused, version: "1", startedAt: noon), to: .getState)
        }
        let ended = await userctl(
            ["wait", "users", "--quiet", "--timeout", isPaused && code == 1 ? "1h" : "0.1"], userd: userd)
        #expect(ended.code == code)
        let paused = """
            userctl: userd is paused, so users will not sync
            userctl: `userctl resume` ends the pause; `userctl sync --wait` syncs once

            """
        #expect(ended.errors == paused || code != 1)
    }

    @Test func `on timeout, wait ends with 75 and says the phases`() async throws {
        let ended = await userctl("wait", "--timeout", "0.2", userd: .mock(isSynced: false))
        #expect(ended.code == 75)
        #expect(ended.output == "")
        #expect(
            ended.errors == """
                userctl: after 0.2s: users still initial, facts still initial
                userctl: `userctl status` shows more

                """)
    }

    @Test func `a timeout of 0 checks the current phases`() async throws {
        #expect(await userctl("wait", "--timeout", "0", userd: .mock()).code == 0)
        let ended = await userctl("wait", "users", "--timeout", "0", userd: .mock(isSynced: false))
        #expect(ended.code == 75)
        #expect(ended.errors.hasPrefix("userctl: after 0s: users still initial\n"))
    }

    @Test func `the timeout runs while userd is away, too`() async throws {
        var userd = UserdClient.untouched
        let asked = Asked<Watch>()
        let first = asked.following([state(.users, .syncing)])
        userd.watch = { parameters in
            if asked.all.isEmpty { return try first(parameters) }
            throw VarlinkClientError.noSocket(path: "/s")
        }
        let ended = await userctl(
            ["wait", "users", "--timeout", "0.3s"], userd: userd, sleep: { try await Task.sleep(for: $0) })
        #expect(ended.code == 75)
    }

    @Test(arguments: ["", "s", "-1", "1d", "nan", "inf", "1e99", "0x10s"])
    func `a time that is none is refused`(time: String) async throws {
        #expect(await userctl("wait", "--timeout", time, userd: .mock()).code == 64)
    }

    @Test(arguments: [([], 25), (["--timeout", "1s"], 5), (["--timeout", "0"], 0)])
    func `userd has 5 seconds to start, or the timeout`(timeout: [String], attempts: Int) async throws {
        let slept = Asked<Duration>()
        let ended = await userctl(
            ["wait", "--quiet", "--socket", "/nowhere/s"] + timeout, sleep: slept.note)
        #expect(ended.code == 69)
        #expect(ended.errors.hasPrefix("userctl: userd is not running (no socket at /nowhere/s)\n"))
        #expect(slept.all == Array(repeating: .milliseconds(200), count: attempts))
    }

    @Test func `the timeout includes the time that userd takes to start`() async throws {
        let asked = Asked<Watch>()
        let left = Asked<Duration>()
        let slept = Asked<Duration>()
        var userd = UserdClient.untouched
        let states = asked.following([
            state(.users, .syncing, index: 3), state(.users, .loaded, index: 4, count: 1),
        ])
        userd.getState = Self.telling(.users)
        userd.watch = { parameters in
            if slept.all.count < 3 { throw VarlinkClientError.refused(path: "/s") }
            let replies = try states(parameters)
            return RawReplies({ body, whenIdle in
                let noteLeft = { left.note(try #require(try whenIdle?())) }
                try noteLeft()
                try replies.forEach { reply in
                    defer { try? noteLeft() }
                    return try body(reply)
                }
            })
        }
        let ended = await userctl(
            ["wait", "users", "--timeout", "10s"], userd: userd, sleep: slept.note)
        #expect(ended.code == 0)
        #expect(ended.errors == "userctl: userd is not running; waiting for it to start\n")
        // Before userd's answer, and after it.
        #expect(left.all.count >= 2)
        #expect(left.all.allSatisfy { $0 <= .milliseconds(9400) && $0 > .seconds(0) })
    }

    @Test func `a watched status is printed once for each change`()
        async throws
    {
        var userd = UserdClient.mock(now: { noon })
        let watched = Asked<Watch>()
        userd.watch = { parameters in
            guard watched.all.isEmpty else { throw VarlinkClientError.violation("enough") }
            return try watched.following([loadedFacts, failedUsers])(parameters)
        }
        let ended = await userctl("status", "--watch", "--output", "json", userd: userd)
        #expect(ended.code == 69)
        let once = await userctl("status", "--output", "json", userd: userd)
        #expect(ended.output == once.output)
        #expect(watched.all == [Watch()])
    }
}
