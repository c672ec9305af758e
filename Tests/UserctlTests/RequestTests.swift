import Model
import Testing
import UserctlKit
import UserdAPI

@Suite struct RequestTests {
    private func reply(_ states: State...) throws -> StubDaemon.Replies {
        .reply(String(decoding: try encoded(States(states: states)), as: UTF8.self))
    }

    @Test func `sync asks for what the options say and prints the states`() async throws {
        let daemon = try StubDaemon(["Sync": try reply(state(.users, .syncing, cause: .requested))])
        let ended = await userctl("sync", "users", "--accept-removals", "--socket", daemon.path)
        #expect(ended.code == 0)
        #expect(ended.output == "users  syncing  requested\n")
        #expect(
            try daemon.parameters(Sync.self, of: "Sync") == Sync(resources: [.users], acceptRemovals: true))
    }

    @Test func `sync without names asks for all`() async throws {
        let daemon = try StubDaemon(["Sync": try reply(loadedFacts)])
        _ = await userctl("sync", "--wait", "--socket", daemon.path)
        #expect(try daemon.parameters(Sync.self, of: "Sync") == Sync(wait: true))
    }

    @Test func `a sync that was waited for and failed ends with 1 and the reason`() async throws {
        let daemon = try StubDaemon(["Sync": try reply(failedUsers, loadedFacts)])
        let ended = await userctl("sync", "--wait", "--socket", daemon.path)
        #expect(ended.code == 1)
        #expect(ended.output == "users  error    5,000 users\nfacts  loaded   1 fact\n")
        #expect(ended.errors == "userctl: users: connection refused (offline, 3 attempts)\n")
    }

    @Test func `a sync that removes too much says how to accept that`() async throws {
        let guarded = state(
            .users, .error, cause: .failed,
            failure: Failure(kind: .removalGuard, message: "would remove all", retryable: false))
        let daemon = try StubDaemon(["Sync": try reply(guarded)])
        let ended = await userctl("sync", "--wait", "--socket", daemon.path)
        #expect(
            ended.errors == """
                userctl: users: would remove all (removal guard)
                userctl: `userctl sync users --accept-removals` accepts that

                """)
    }

    @Test func `a sync that was cancelled while it was waited for has failed`() async throws {
        let daemon = try StubDaemon(["Sync": try reply(state(.users, .loaded, cause: .cancelled, count: 3))])
        let ended = await userctl("sync", "users", "--wait", "--socket", daemon.path)
        #expect(ended.code == 1)
        #expect(ended.errors == "userctl: users: the sync was cancelled\n")
    }

    @Test func `a failure that nobody waited for is no failure of the command`() async throws {
        let daemon = try StubDaemon(["Cancel": try reply(failedUsers)])
        #expect(await userctl("cancel", "users", "--socket", daemon.path).code == 0)
        #expect(try daemon.parameters(Cancel.self, of: "Cancel") == Cancel(resources: [.users]))
    }

    @Test func `a retry that fails again ends with 1`() async throws {
        let daemon = try StubDaemon(["Retry": try reply(failedUsers)])
        let ended = await userctl("retry", "users", "--wait", "--socket", daemon.path)
        #expect(ended.code == 1)
        #expect(try daemon.parameters(Retry.self, of: "Retry") == Retry(resources: [.users], wait: true))
    }

    @Test func `a retry of what an earlier sync's cancelling left loaded has not failed`() async throws {
        let daemon = try StubDaemon(["Retry": try reply(state(.users, .loaded, cause: .cancelled))])
        #expect(await userctl("retry", "--wait", "--socket", daemon.path).code == 0)
    }

    @Test func `a retry that finds nothing failed says so`() async throws {
        let daemon = try StubDaemon(["Retry": try reply(loadedFacts)])
        let ended = await userctl("retry", "--socket", daemon.path)
        #expect(ended.code == 0)
        #expect(ended.errors == "userctl: nothing to retry: nothing has failed\n")
    }

    @Test(arguments: [
        ("pause", true, "userctl: paused: nothing syncs by itself until `userctl resume`\n"),
        ("resume", false, "userctl: resumed: users and facts sync by themselves\n"),
    ])
    func `pause and resume say what is so from then on, on stderr`(
        command: String, paused: Bool, words: String
    ) async throws {
        let daemon = try StubDaemon(["SetPaused": .reply("{}")])
        let ended = await userctl(command, "--socket", daemon.path)
        #expect(ended.code == 0)
        #expect(ended.output == "")
        #expect(ended.errors == words)
        #expect(try daemon.parameters(SetPaused.self, of: "SetPaused") == SetPaused(paused: paused))
        #expect(await userctl(command, "--output", "json", "--socket", daemon.path).output == "{}\n")
    }

    @Test func `a pause that could not be kept ends with 69 and the reason`() async throws {
        let daemon = try StubDaemon([
            "SetPaused": .error("io.userd.CacheUnavailable", #"{"message":"disk full"}"#)
        ])
        let ended = await userctl("pause", "--socket", daemon.path)
        #expect(ended.code == 69)
        #expect(ended.errors.hasPrefix("userctl: the cache can't be used: disk full\n"))
    }

    @Test(arguments: ["pause", "resume"])
    func `pause and resume need a daemon, and say how to start it`(command: String) async {
        let ended = await userctl(command, "--socket", "/nowhere/s")
        #expect(ended.code == 69)
        #expect(ended.output == "")
        #expect(ended.errors.contains("start it with `systemctl --user start userd`"))
    }

    @Test func `json is what userd answered, failed or not`() async throws {
        let replies = try reply(failedUsers)
        let daemon = try StubDaemon(["Sync": replies])
        let ended = await userctl("sync", "--wait", "--output", "json", "--socket", daemon.path)
        #expect(ended.code == 1)
        #expect(#"{"parameters":\#(ended.output.dropLast())}"# == replies.messages[0])
    }

    @Test func `a daemon that ends while a sync is waited for ends with 69`() async throws {
        let daemon = try StubDaemon(["Sync": .replies([])])
        #expect(await userctl("sync", "--wait", "--socket", daemon.path).code == 69)
    }

    @Test func `watch prints states as they come and waits for a daemon that went away`() async throws {
        struct Enough: Error {}
        let states = try [failedUsers, loadedFacts].map {
            String(decoding: try encoded(WatchedState(state: $0)), as: UTF8.self)
        }
        let arguments = ["watch", "users", "facts", "--since", "4", "--progress", "--socket"]
        let daemon = try StubDaemon(["Watch": .replies(states)])
        let ended = await userctl(arguments + [daemon.path], sleep: { _ in throw Enough() })
        #expect(
            ended.output == """
                2026-03-04 11:57:00      #7  users  error    connection refused (offline, 3 attempts)
                2026-03-04 11:57:00      #5  facts  loaded   1 fact

                """)
        #expect(ended.errors.hasPrefix("userctl: lost userd; waiting for it to come back\n"))
        #expect(
            try daemon.parameters(Watch.self, of: "Watch")
                == Watch(since: 4, resources: [.users, .facts], progress: true))

        let again = try StubDaemon(["Watch": .replies(states)])
        let json = await userctl(
            ["watch", "--output", "json", "--socket", again.path], sleep: { _ in throw Enough() })
        let line = try encoded(failedUsers)
        #expect(json.output.hasPrefix(String(decoding: line, as: UTF8.self) + "\n"))
    }
}
