import Glibc
import MockDaemon
import Model
import Synchronization
import TestSupport
import Testing
import UserdAPI
import Varlink

@testable import UserctlCommands

@Suite struct RequestTests {
    private func states(_ states: State...) -> States { States(states: states) }

    @Test func `sync sends its options and prints the states`() async throws {
        let asked = Asked<Sync>()
        var userd = UserdClient.untouched
        userd.sync = try asked.answering(.sync, states(state(.users, .syncing, cause: .requested)))
        let ended = await userctl("sync", "users", "--accept-removals", userd: userd)
        #expect(ended.code == 0)
        #expect(ended.output == "users  syncing  requested\n")
        #expect(asked.all == [Sync(resources: [.users], acceptRemovals: true)])
    }

    @Test func `sync without names asks for all`() async throws {
        let asked = Asked<Sync>()
        var userd = UserdClient.mock()
        userd.sync = try asked.answering(.sync, states(loadedFacts))
        _ = await userctl("sync", "--wait", userd: userd)
        #expect(asked.all == [Sync(wait: true)])
    }

    @Test func `sync --wait prints the outcome`() async throws {
        let ended = await userctl("sync", "--wait", userd: .mock(isSynced: false))
        #expect(ended.code == 0)
        #expect(ended.output == "users  loaded   14 users\nfacts  loaded   6 facts\n")
        #expect(ended.errors == "")
    }

    @Test func `sync --wait ends with 1 and the reason if the sync failed`() async throws {
        let userd = UserdClient.mock(isSynced: false, failure: { offline })
        let ended = await userctl("sync", "users", "--wait", userd: userd)
        #expect(ended.code == 1)
        #expect(ended.output == "users  error    0 users\n")
        #expect(
            ended.errors == """
                userctl: users: connection refused (offline)
                userctl: `userctl doctor` looks for the cause, `userctl status` shows the next attempt

                """)
        let again = await userctl("retry", "--wait", userd: userd)
        #expect(again.code == 1)
        #expect(again.errors.hasPrefix("userctl: users: connection refused (offline, 2 attempts)\n"))
    }

    @Test(arguments: ["sync", "retry", "cancel", "pause", "resume"])
    func `a timed-out change may still happen, and the message says so`(command: String) async {
        var userd = UserdClient.mock()
        userd.sync = { _ in throw VarlinkClientError.timedOut }
        userd.retry = { _ in throw VarlinkClientError.timedOut }
        userd.cancel = { _ in throw VarlinkClientError.timedOut }
        userd.setPaused = { _ in throw VarlinkClientError.timedOut }
        let ended = await userctl(command, userd: userd)
        #expect(ended.code == 75)
        #expect(ended.output == "")
        #expect(
            ended.errors == """
                userctl: userd did not answer in time; it may still do what was asked
                userctl: `userctl status` shows what it does; `journalctl --user -u userd` may say why

                """)
    }

    @Test func `a sync stopped by the removal guard says how to accept it`() async throws {
        let guarded = Failure(
            kind: .removalGuard, message: "would remove all", retryable: false,
            advice: Advice(.acceptRemovals))
        let ended = await userctl("sync", "users", "--wait", userd: .mock(failure: { guarded }))
        #expect(
            ended.errors == """
                userctl: users: would remove all (removal guard)
                userctl: `userctl sync users --accept-removals` removes them; users.removal_guard is the limit

                """)
    }

    @Test(
        arguments: [
            (
                Phase.loaded, LeftOut(skipped: 1200, unidentified: 3),
                """
                userctl: users: 1,203 of upstream's records are left out: 1,200 by a condition of skip, or with neither a name nor an address; 3 without an id

                """
            ),
            (
                .empty, LeftOut(skipped: 0, unidentified: 2),
                """
                userctl: users: 2 of upstream's records are left out: 2 without an id

                """
            ),
            (.loaded, nil, ""),
        ] as [(Phase, LeftOut?, String)])
    func `sync --wait says what the list left out`(phase: Phase, leftOut: LeftOut?, expected: String)
        async throws
    {
        var users = state(.users, phase, count: 3)
        users.leftOut = leftOut
        var userd = UserdClient.mock()
        userd.sync = try Asked().answering(.sync, states(users))
        #expect(await userctl("sync", "users", "--wait", userd: userd).errors == expected)
        #expect(await userctl("sync", "users", userd: userd).errors == "")
    }

    @Test func `sync --wait fails if the sync is cancelled`() async throws {
        var userd = UserdClient.mock()
        userd.sync = try Asked().answering(.sync, states(state(.users, .loaded, cause: .cancelled, count: 3)))
        let ended = await userctl("sync", "users", "--wait", userd: userd)
        #expect(ended.code == 1)
        #expect(ended.errors == "userctl: users: the sync was cancelled\n")
    }

    @Test func `a failure that nobody waited for is no failure of the command`() async throws {
        let asked = Asked<Cancel>()
        var userd = UserdClient.untouched
        userd.getState = UserdClient.mock().getState
        userd.cancel = try asked.answering(.cancel, states(failedUsers))
        #expect(await userctl("cancel", "users", userd: userd).code == 0)
        #expect(asked.all == [Cancel(resources: [.users])])
    }

    @Test func `cancel ends what sync has begun`() async throws {
        let userd = UserdClient.mock()
        #expect(await userctl("sync", "facts", userd: userd).output == "facts  syncing  requested\n")
        let ended = await userctl("cancel", "facts", userd: userd)
        #expect(ended.output == "facts  loaded   6 facts\n")
        #expect(ended.errors == "")
    }

    @Test func `a cancel that finds nothing syncing says so, whatever was cancelled before`() async throws {
        let userd = UserdClient.mock()
        for round in 1...2 {
            let ended = await userctl("cancel", userd: userd)
            #expect(ended.code == 0)
            #expect(ended.output == "users  loaded   14 users\nfacts  loaded   6 facts\n", "\(round)")
            #expect(ended.errors == "userctl: nothing to cancel: no sync is running\n")
            _ = await userctl("sync", "users", userd: userd)
            #expect(await userctl("cancel", userd: userd).errors == "")
        }
    }

    @Test func `retry asks for what the options say`() async throws {
        let asked = Asked<Retry>()
        var userd = UserdClient.mock()
        userd.retry = try asked.answering(.retry, states(failedUsers))
        #expect(await userctl("retry", "users", "--wait", userd: userd).code == 1)
        #expect(asked.all == [Retry(resources: [.users], wait: true)])
    }

    @Test func `a retry of what an earlier sync's cancelling left loaded has not failed`() async throws {
        var userd = UserdClient.mock()
        userd.retry = try Asked().answering(.retry, states(state(.users, .loaded, cause: .cancelled)))
        #expect(await userctl("retry", "--wait", userd: userd).code == 0)
    }

    @Test(arguments: [[], ["--wait"], ["-w"], ["facts", "-w"]])
    func `a retry that finds nothing failed says so`(arguments: [String]) async throws {
        let ended = await userctl(["retry"] + arguments, userd: .mock())
        #expect(ended.code == 0)
        #expect(ended.errors == "userctl: nothing to retry: nothing has failed\n")
    }

    @Test(arguments: [
        ("pause", true, "userctl: paused: no automatic syncs until `userctl resume`\n"),
        ("resume", false, "userctl: resumed: automatic syncs go on\n"),
    ])
    func `pause and resume say what is so from then on, on stderr`(
        command: String, paused: Bool, words: String
    ) async throws {
        let userd = UserdClient.mock()
        _ = try userd.setPaused(SetPaused(paused: !paused))
        let ended = await userctl(command, userd: userd)
        #expect(ended.code == 0)
        #expect(ended.output == "")
        #expect(ended.errors == words)
        #expect(try userd.getState().decoded().paused == paused)
        #expect(await userctl(command, "--output", "json", userd: userd).output == "{}\n")
    }

    @Test func `a pause that could not be kept ends with 69 and the reason`() async throws {
        var userd = UserdClient.untouched
        userd.setPaused = { _ in throw UserdError.cacheUnavailable(message: "disk full") }
        let ended = await userctl("pause", userd: userd)
        #expect(ended.code == 69)
        #expect(ended.errors.hasPrefix("userctl: the cache can't be used: disk full\n"))
    }

    @Test(arguments: ["pause", "resume"])
    func `pause and resume need userd, and say how to start it`(command: String) async {
        let ended = await userctl(command, "--socket", "/nowhere/s")
        #expect(ended.code == 69)
        #expect(ended.output == "")
        #expect(ended.errors.contains("start it with `userctl service enable`"))
    }

    @Test func `json is userd's answer, failed or not`() async throws {
        let reply = String(decoding: try encoded(states(failedUsers)), as: UTF8.self)
            .replacing("{\"states\"", with: "{\"new\" : 1,\"states\"")
        var userd = UserdClient.mock()
        userd.sync = Asked().answering(.sync, reply)
        let ended = await userctl("sync", "--wait", "--output", "json", userd: userd)
        #expect(ended.code == 1)
        #expect(ended.output == reply + "\n")
    }

    @Test func `a daemon that ends while a sync is waited for ends with 69`() async throws {
        let daemon = try StubDaemon(["Sync": .replies([])])
        #expect(await userctl("sync", "--wait", "--socket", daemon.path).code == 69)
    }

    @Test func `watch prints states as they come and waits for a daemon that went away`() async throws {
        struct Enough: Error {}
        let asked = Asked<Watch>()
        var userd = UserdClient.untouched
        userd.watch = asked.following([failedUsers, loadedFacts])
        userd.getState = {
            let state = DaemonState(
                states: [failedUsers, loadedFacts], paused: false, version: "1", startedAt: noon)
            return try RawReply(state, to: .getState)
        }
        let arguments = ["watch", "users", "facts", "--since", "4", "--progress"]
        let ended = await userctl(arguments, userd: userd, sleep: { _ in throw Enough() })
        #expect(
            ended.output == """
                2026-03-04 11:57:00      #7  users  error    connection refused (offline, 3 attempts)
                2026-03-04 11:57:00      #5  facts  loaded   1 fact

                """)
        #expect(ended.errors.hasPrefix("userctl: lost the connection to userd; reconnecting\n"))
        let watch = Watch(since: 4, epoch: failedUsers.epoch, resources: [.users, .facts], progress: true)
        #expect(asked.all == [watch])

        _ = await userctl(["watch", "--since", "a:b:4"], userd: userd, sleep: { _ in throw Enough() })
        #expect(asked.all.last == Watch(since: 4, epoch: "a:b"))

        let json = await userctl(
            ["watch", "--output", "json"], userd: userd, sleep: { _ in throw Enough() })
        let line = try encoded(failedUsers)
        #expect(json.output.hasPrefix(String(decoding: line, as: UTF8.self) + "\n"))
    }
}
