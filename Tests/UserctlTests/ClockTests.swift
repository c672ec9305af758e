import Browse
import CommandSupport
import Commands
import Diagnostics
import MockDaemon
import Model
import Testing
import UserdAPI
import Varlink

@Suite struct ClockTests {
    private let longAgo = noon + .seconds(-100 * 86_400)

    @Test func `ages follow the clock of a replay, which is named`() async {
        let longAgo = longAgo
        let status = await userctl("status", userd: .mock(now: { longAgo }))
        #expect(status.output.contains("  Since      just now\n"))
        #expect(status.output.contains("  Synced     just now\n"))
        #expect(status.output.contains("  Next sync  in 15 min\n"))
        #expect(
            status.output.hasSuffix(
                "\nuserd \(version), started just now; by its clock it is 2025-11-24 12:00:00\n"))
    }

    @Test(arguments: [Resource.users, .facts])
    func `what one of the resources says of its age is enough`(resource: Resource) async throws {
        var userd = UserdClient.mock(now: { [longAgo] in longAgo })
        var daemon = try userd.getState().decoded()
        for index in daemon.states.indices where daemon.states[index].resource != resource {
            daemon.states[index].syncedAt = nil
        }
        let reply = try RawReply(daemon, to: .getState)
        userd.getState = { reply }
        if resource == .users { userd.listFacts = UserdClient.untouched.listFacts }
        let status = await userctl("status", userd: userd)
        #expect(status.output.contains("  Synced     just now\n"))
    }

    @Test(arguments: [-1, 1])
    func `a clock ahead, a clock behind and a slow answer are told apart`(sign: Int) {
        func freshness(behind lag: Duration) -> Freshness {
            Freshness(phase: .loaded, syncedAt: noon + (.seconds(-60) - lag), age: 60, stale: false)
        }
        let lag = Duration.seconds(sign * 90_000)
        #expect(clock.following(freshness(behind: lag)).now() == noon + (.zero - lag))
        #expect(clock.following(freshness(behind: .seconds(sign * 4))).now() == noon)
        #expect(
            clock.following(Freshness(phase: .loaded, syncedAt: noon, age: .infinity, stale: false)).now()
                > noon)
    }

    @Test func `ages follow this machine's clock if userd is too busy to answer`() async {
        var userd = UserdClient.mock(now: { noon + .seconds(-7200) })
        userd.listFacts = { _ in throw VarlinkError.permissionDenied }
        let status = await userctl("status", userd: userd)
        #expect(status.code == 0)
        #expect(status.errors == "")
        #expect(status.output.contains("  Synced     2026-03-04 10:00:00\n"))
    }

    @Test(
        arguments: [
            (-600.0, nil, "10 min ago"), (-7200.0, nil, "2026-03-04 10:00:00"),
            // The next attempt is still to come; the next attempt is long past.
            (-7200.0, 60.0, "2 h ago"), (-7200.0, -7100.0, "2026-03-04 10:00:00"),
            (-5.0, 86_400.0, "5 s ago"), (7200.0, nil, "2026-03-04 14:00:00"),
        ] as [(Double, Double?, String)])
    func `without a sync, times of another clock are shown as times, not ages`(
        since: Double, next: Double?, shown: String
    ) async throws {
        var users = state(
            .users, next == nil ? .initial : .error, nextSyncAt: next.map { noon + .seconds($0) })
        users.since = noon + .seconds(since)
        let daemon = DaemonState(states: [users], paused: false, version: "1", startedAt: users.since)
        let reply = try RawReply(daemon, to: .getState)
        var userd = UserdClient.untouched
        userd.getState = { reply }
        let status = await userctl("status", userd: userd)
        #expect(
            status.output.contains(" Since      \(shown)\n") || status.output.contains(" Since   \(shown)\n"))
        #expect(status.output.hasSuffix("\nuserd 1, started \(shown)\n"))
    }

    @Test func `a watched status follows userd's clock, too`() async {
        var userd = UserdClient.mock(now: { [longAgo] in longAgo })
        userd.watch = { _ in
            RawReplies(forEach: { body in
                _ = try body(RawReply(WatchedState(state: loadedFacts), to: .watch))
                throw VarlinkClientError.violation("enough")
            })
        }
        let status = await userctl("status", "--watch", userd: userd)
        #expect(status.output.hasSuffix("started just now; by its clock it is 2025-11-24 12:00:00\n"))
    }
}
