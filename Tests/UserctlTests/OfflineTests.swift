import Cache
import Glibc
import MockDaemon
import Model
import TestSupport
import Testing
import UserdAPI
import Varlink

@testable import UserctlCommands

/// Tests commands while userd does not run, or has reached its limit of connections.
@Suite struct OfflineTests {
    private let nobody = "/nonexistent/userd.sock"

    @Test func `list reads the cache file and says so`() async throws {
        let cache = try await CacheFile(users: [anna, wei])
        let ended = await userctl(
            "list", "--columns", "id", "--socket", nobody, "--database", cache.path)
        #expect(ended.code == 0)
        #expect(ended.output == "ID\nid-anna\nid-wei\n")
        #expect(
            ended.errors
                == "userctl: userd is not running; reading the cache at \(cache.path), last synced 3 min ago\n"
        )
    }

    @Test func `a hanging userd is reported as such, and the cache answers`()
        async throws
    {
        let cache = try await CacheFile(users: [anna])
        var userd = UserdClient.untouched
        userd.listAllUsers = { _ in throw VarlinkClientError.timedOut }
        userd.getState = { throw VarlinkClientError.timedOut }
        let list = await userctl("list", "--columns", "id", "--database", cache.path, userd: userd)
        #expect(list.code == 0)
        #expect(list.output == "ID\nid-anna\n")
        #expect(list.errors.hasPrefix("userctl: userd does not answer; reading the cache at \(cache.path)"))
        let status = await userctl("status", "--database", cache.path, userd: userd)
        #expect(status.errors == "userctl: userd does not answer; reading the cache at \(cache.path)\n")
        #expect(status.code == 0)
    }

    @Test func `all pages of the cache file are one document`() async throws {
        let many = (0..<1200).map { number in
            User(id: "\(number)", name: .init(first: "A", last: "B\(number)")) {
                $0.email = "\(number)@example.com"
            }
        }
        let cache = try await CacheFile(users: many)
        let ended = await userctl(
            "list", "--all", "--output", "json", "--socket", nobody, "--database", cache.path)
        let list = try decoded(UserList.self, from: Array(ended.output.utf8))
        #expect(Set(list.users) == Set(many))
        #expect(list.users.count == 1200)
        #expect(list.total == 1200)
        #expect(list.next == nil)
    }

    @Test func `a list that userd ends goes on from the cache file`() async throws {
        let cache = try await CacheFile(users: [anna, wei])
        let reader = try await CacheReader.offline(path: cache.path, now: { noon }, random: { $0.lowerBound })
        let first = try await reader.users(UserQuery(limit: 1))
        await reader.close()
        let page = """
            {"users":[\(String(decoding: first.records, as: UTF8.self))],"total":2,"next":"\(try #require(first.next))",\
            "freshness":{"phase":"loaded","stale":false}}
            """
        var userd = UserdClient.untouched
        userd.listAllUsers = { _ in .pages([page], end: .closed) }
        let ended = await userctl(
            "list", "--all", "--output", "json", "--database", cache.path, userd: userd)
        #expect(
            try decoded(UserList.self, from: Array(ended.output.utf8)).users.map(\.id) == [anna.id, wei.id])
        #expect(ended.errors.contains("userd closed the connection"))
    }

    @Test func `the environment names the socket and the cache`() async throws {
        let cache = try await CacheFile(users: [anna])
        let ended = await userctl(
            "show", "ANNA@example.com",
            environment: ["USERD_SOCKET": nobody, "USERD_DATABASE": cache.path])
        #expect(ended.output.hasPrefix("Dr Anna Bergström\n"))
    }

    @Test func `without XDG_RUNTIME_DIR reads still find the cache below the home directory`() async throws {
        let cache = try await CacheFile(
            users: nil, facts: [Fact(id: "1", text: "Cats.", length: 5, firstSeenAt: noon)])
        let link = cache.directory.file("userd")
        try #require(symlink(cache.directory.file("cache"), link) == 0)
        let ended = await userctl("facts", environment: ["XDG_CACHE_HOME": cache.directory.path])
        #expect(ended.output == "• Cats.\n")
    }

    @Test func `a userd that ends during a call counts as not running`() async throws {
        let cache = try await CacheFile(users: [anna])
        let daemon = try StubDaemon(["GetUser": .replies([])])
        let ended = await userctl(
            "show", "id-anna", "--socket", daemon.path, "--database", cache.path)
        #expect(ended.code == 0)
    }

    @Test(arguments: [
        (["show", "id-anna"], ", last synced 3 min ago"), (["list"], ", last synced 3 min ago"),
        (["history"], ""), (["facts"], ", never synced"),
    ])
    func `at userd's limit of connections, reads use the cache file`(
        command: [String], freshness: String
    ) async throws {
        let cache = try await CacheFile(
            users: [anna], facts: [Fact(id: "1", text: "Cats.", length: 5, firstSeenAt: noon)])
        let ended = await userctl(command + ["--database", cache.path], userd: .full)
        #expect(ended.code == 0)
        #expect(ended.output != "")
        #expect(
            ended.errors
                == "userctl: userd has reached its limit of connections; reading the cache at \(cache.path)\(freshness)\n"
        )
    }

    @Test(arguments: [["sync"], ["sync", "--wait"], ["fact", "--new"], ["pause"], ["watch"]])
    func `at userd's limit of connections, other calls end with 69 and advice`(
        command: [String]
    ) async {
        let ended = await userctl(command, userd: .full)
        #expect(ended.code == 69)
        #expect(ended.output == "")
        #expect(
            ended.errors
                == """
                userctl: userd has reached its limit of connections
                userctl: close some, or raise the setting limits.connections

                """
        )
    }

    @Test func `status shows the states of the cache file`() async throws {
        let cache = try await CacheFile(users: [anna])
        let ended = await userctl("status", "--socket", nobody, "--database", cache.path)
        #expect(ended.output.hasPrefix("Users\n  Phase   loaded\n"))
        #expect(!ended.output.contains("userd"))
        #expect(ended.errors == "userctl: userd is not running; reading the cache at \(cache.path)\n")
        let quiet = await userctl("status", "-q", "--socket", nobody, "--database", cache.path)
        #expect(quiet.output.hasSuffix("\nuserd is not running; reading the cache at \(cache.path)\n"))
        #expect(quiet.errors == "")
        let json = await userctl(
            "status", "--output", "json", "--socket", nobody, "--database", cache.path)
        let states = try decoded(States.self, from: Array(json.output.utf8)).states
        #expect(states.map(\.resource) == [.users, .facts])
        #expect(states.map(\.stale) == [false, true])
    }

    @Test func `history reads the cache file`() async throws {
        let cache = try await CacheFile(users: [anna])
        let ended = await userctl("history", "--socket", nobody, "--database", cache.path)
        #expect(ended.output.hasSuffix("1  2026-03-04 11:57:00  users     loaded  committed       1\n"))
        #expect(ended.errors == "userctl: userd is not running; reading the cache at \(cache.path)\n")
    }

    @Test func `an empty list of a cache that was never synced says so once`() async throws {
        let cache = try await CacheFile(users: nil)
        let ended = await userctl("list", "--socket", nobody, "--database", cache.path)
        #expect(ended.code == 0)
        #expect(
            ended.errors == """
                No users yet: they were never synced.
                `userctl sync --wait users` syncs them.
                userctl: userd is not running; reading the cache at \(cache.path), never synced

                """)
    }

    @Test func `an unknown key ends with 1`() async throws {
        let cache = try await CacheFile(users: [anna])
        let ended = await userctl("show", "bob", "--socket", nobody, "--database", cache.path)
        #expect(ended.code == 1)
    }

    @Test(arguments: [["list"], ["status"], ["fact"], ["history"]])
    func `without a cache either, a read ends with 69 and what to do`(command: [String]) async throws {
        let ended = await userctl(command + ["--socket", nobody, "--database", "/nonexistent/userd.db"])
        #expect(ended.code == 69)
        #expect(
            ended.errors == """
                userctl: userd is not running, and there is no cache at /nonexistent/userd.db
                userctl: start it with `userctl service enable`, or run `userd`

                """)
    }

    @Test(
        arguments: [
            (
                VarlinkClientError.closed, "closed the connection",
                ["userd answers only its own user", "`journalctl"]
            ),
            (VarlinkClientError.timedOut, "does not answer", ["`journalctl"]),
            (VarlinkError.permissionDenied, "has reached its limit of connections", ["close some"]),
        ] as [(any Error & Sendable, String, [String])])
    func `a userd that does not answer is not reported as not running`(
        error: any Error & Sendable, reason: String, advice: [String]
    ) async {
        var userd = UserdClient.untouched
        userd.listUsers = { _ in throw error }
        userd.listAllUsers = { _ in throw error }
        userd.getState = { throw error }
        for command in ["list", "status"] {
            let ended = await userctl(command, "--database", "/nonexistent/userd.db", userd: userd)
            #expect(ended.code == 69)
            let lines = ended.errors.split(separator: "\n")
            #expect(lines.first == "userctl: userd \(reason), and there is no cache at /nonexistent/userd.db")
            #expect(lines.count == 1 + advice.count)
            for (line, beginning) in zip(lines.dropFirst(), advice) {
                #expect(line.hasPrefix("userctl: " + beginning))
            }
        }
    }

    @Test(arguments: [["sync"], ["retry", "--wait"], ["cancel"], ["watch"], ["fact", "--new"]])
    func `calls that need userd end with 69 and advice`(command: [String]) async throws {
        let ended = await userctl(command + ["--socket", nobody])
        #expect(ended.code == 69)
        #expect(
            ended.errors == """
                userctl: userd is not running (no socket at \(nobody))
                userctl: start it with `userctl service enable`, or run `userd`

                """)
    }

    @Test func `an unknown socket is reported with advice`() async {
        #expect(
            await userctl("sync").errors.hasSuffix("name the socket with --socket or USERD_SOCKET\n"))
    }

    @Test func `an unknown cache file is reported with advice`() async {
        #expect(await userctl("list").errors.contains("name the file with --database"))
    }
}

extension UserdClient {
    /// A userd that has reached its limit of connections.
    fileprivate static var full: UserdClient {
        var userd = UserdClient.untouched
        userd.listUsers = { _ in throw VarlinkError.permissionDenied }
        userd.getUser = { _ in throw VarlinkError.permissionDenied }
        userd.listFacts = { _ in throw VarlinkError.permissionDenied }
        userd.listAllUsers = { _ in throw VarlinkError.permissionDenied }
        userd.listAllFacts = { _ in throw VarlinkError.permissionDenied }
        userd.history = { _ in throw VarlinkError.permissionDenied }
        userd.fetchFact = { throw VarlinkError.permissionDenied }
        userd.sync = { _ in throw VarlinkError.permissionDenied }
        userd.setPaused = { _ in throw VarlinkError.permissionDenied }
        userd.watch = { _ in RawReplies(forEach: { _ in throw VarlinkError.permissionDenied }) }
        return userd
    }
}
