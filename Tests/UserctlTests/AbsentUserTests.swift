import MockDaemon
import Model
import Testing
import UserdAPI

@testable import UserctlCommands

/// Reading one user from a cache without users.
@Suite struct AbsentUserTests {
    private func userd(_ states: [State]) throws -> UserdClient {
        var userd = UserdClient.untouched
        userd.getUser = { _ in throw UserdError.notFound(key: "anna") }
        let daemon = DaemonState(states: states, paused: false, version: "1", startedAt: noon)
        userd.getState = { try RawReply(daemon, to: .getState) }
        return userd
    }

    @Test(arguments: [
        (state(.users, .initial, cause: .created, stale: true), "No users yet: they were never synced.\n"),
        (state(.users, .syncing, cause: .due, stale: true), "No users yet: the first sync is running.\n"),
        (
            state(.users, .error, cause: .failed, stale: true, failure: offline),
            "No users yet: the first sync failed.\n"
        ),
        (state(.users, .empty, syncedAt: time("04T11:57:00")), "There are no users: upstream has none.\n"),
    ])
    func `show says why there are no users`(users: State, expected: String) async throws {
        let ended = await userctl("show", "anna", userd: try userd([users, loadedFacts]))
        #expect(ended.code == 1)
        #expect(ended.output == "")
        #expect(ended.errors.hasPrefix(expected))
        #expect(!ended.errors.contains("anna"))
    }

    @Test(arguments: [["show", "anna"], ["fact"]])
    func `where userd waits for a directory, it is said how to connect one`(arguments: [String]) async throws
    {
        var userd = try userd([])
        userd.randomFact = { _ in throw UserdError.noFacts }
        let daemon = DaemonState(
            states: [state(.users, .initial, cause: .created), state(.facts, .initial, cause: .created)],
            paused: true, version: "1", startedAt: noon, pauseCause: DaemonState.noDirectory)
        userd.getState = { try RawReply(daemon, to: .getState) }
        let ended = await userctl(arguments, userd: userd)
        #expect(ended.code == 1)
        #expect(
            ended.errors.hasPrefix("userctl: not connected: `userctl connect "))
    }

    @Test func `an unknown user among others is reported`() async throws {
        let users = state(.users, .loaded, count: 1, syncedAt: time("04T11:57:00"))
        var userd = try userd([users])
        userd.listUsers = { _ in throw UserdError.ending }
        let ended = await userctl("show", "anna", userd: userd)
        #expect(ended.code == 1)
        #expect(ended.errors.hasPrefix("userctl: no user has the id, username or email address “anna”\n"))
    }

    @Test(arguments: [["picture", "anna", "--output", "-"], ["fact"]])
    func `picture and fact say so, too`(arguments: [String]) async throws {
        var userd = try userd([state(.users, .initial, cause: .created), state(.facts, .empty)])
        userd.getPicture = { _ in throw UserdError.notFound(key: "anna") }
        userd.randomFact = { _ in throw UserdError.noFacts }
        let ended = await userctl(arguments, userd: userd)
        #expect(ended.code == 1)
        #expect(
            ended.errors.hasPrefix(
                "No \(arguments[0] == "fact" ? "facts" : "users") yet: they were never synced"))
    }

    @Test func `an ambiguous key lists the users`() async throws {
        var userd = UserdClient.mock()
        let mock = userd.getUser
        let ids = User.samples.prefix(2).map(\.id)
        userd.getUser = { parameters in
            guard parameters.key == "twin" else { return try mock(parameters) }
            throw UserdError.ambiguous(key: "twin", ids: ids + ["gone"])
        }
        let ended = await userctl("show", "twin", userd: userd)
        #expect(ended.code == 1)
        let lines = ended.errors.split(separator: "\n")
        #expect(lines[0] == "userctl: “twin” matches 3 users: choose one by its id")
        for (line, user) in zip(lines.dropFirst().prefix(2), User.samples) {
            #expect(line.hasPrefix("userctl:   \(user.id)  ") && line.contains(user.name.last))
        }
        #expect(lines.last == "userctl:   gone")
    }

    @Test func `without userd the cache file answers`() async throws {
        let cache = try await CacheFile(users: nil)
        let ended = await userctl(
            "show", "anna", "--socket", "/nonexistent/userd.sock", "--database", cache.path)
        #expect(ended.code == 1)
        #expect(
            ended.errors == """
                No users yet: they were never synced.
                `userctl sync --wait users` syncs them.
                userctl: userd is not running; reading the cache at \(cache.path)

                """)
    }
}
