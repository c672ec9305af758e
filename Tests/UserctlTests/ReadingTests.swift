import Glibc
import Model
import TestSupport
import Testing
import UserctlKit
import UserdAPI

private let loaded =
    #""freshness":{"age":1.5,"phase":"loaded","stale":false,"synced_at":"2026-03-04T11:59:58.500Z"}"#
private let bob = #"{"id":"1","name":{"first":"Bob","last":"Ng"},"address":{}}"#

private func users(_ count: Int, total: Int, next: String? = nil) -> String {
    let list = Array(repeating: bob, count: count).joined(separator: ",")
    return #"{"users":[\#(list)],"total":\#(total)\#(next.map { #","next":"\#($0)""# } ?? ""),\#(loaded)}"#
}

/// Reads that userd answers.
@Suite struct ReadingTests {
    @Test func `list asks for what the options say`() async throws {
        let daemon = try StubDaemon(["ListUsers": .reply(users(1, total: 1))])
        let ended = await userctl(
            "list", "--search", "an ber", "--nationality", "us", "--gender", "female", "--order", "age",
            "--descending", "--limit", "5", "--columns", "name,id", "--socket", daemon.path)
        #expect(ended.code == 0)
        #expect(ended.output == "Name     ID\nNg, Bob  1\n")
        #expect(ended.errors == "")
        #expect(
            try daemon.parameters(ListUsers.self, of: "ListUsers")
                == ListUsers(
                    search: "an ber", nationality: "us", gender: "female", order: .age, descending: true,
                    limit: 5))
    }

    @Test func `search is list with words`() async throws {
        let daemon = try StubDaemon(["ListUsers": .reply(users(1, total: 1))])
        _ = await userctl("search", "an", "ber", "--socket", daemon.path)
        #expect(
            try daemon.parameters(ListUsers.self, of: "ListUsers")
                == ListUsers(search: "an ber", order: .name, limit: 100))
    }

    @Test func `json is what userd answered`() async throws {
        let reply = users(2, total: 2)
        let daemon = try StubDaemon(["ListUsers": .reply(reply)])
        #expect(await userctl("list", "--output", "json", "--socket", daemon.path).output == reply + "\n")
    }

    @Test func `json on a terminal has controls escaped`() async throws {
        let daemon = try StubDaemon([
            "GetUser": .reply(#"{"user":\#(bob.replacing("Ng", with: "N\u{9B}g")),\#(loaded)}"#)
        ])
        let ended = await userctl(["show", "bob", "--output", "json", "--socket", daemon.path], width: 80)
        #expect(ended.output.contains(#""last":"N\u009bg""#))
    }

    @Test func `a list that is longer than the usual says how much more there is`() async throws {
        let daemon = try StubDaemon(["ListUsers": .reply(users(100, total: 5100, next: "c"))])
        let ended = await userctl("list", "--socket", daemon.path)
        #expect(ended.errors == "userctl: 5,000 more: --all prints them all\n")
    }

    @Test func `a list as long as it was asked for needs no word about the rest`() async throws {
        let daemon = try StubDaemon(["ListUsers": .reply(users(2, total: 5100, next: "c"))])
        let ended = await userctl("list", "--limit", "2", "--socket", daemon.path)
        #expect(ended.errors == "")
    }

    @Test func `a page that was cut short is followed by the next, for as many as are left`() async throws {
        let daemon = try StubDaemon(["ListUsers": .reply(users(2, total: 9, next: "c"))])
        let ended = await userctl("list", "--limit", "4", "--output", "json", "--socket", daemon.path)
        #expect(ended.output == users(4, total: 9, next: "c") + "\n")
        #expect(daemon.calls.count == 2)
        #expect(daemon.calls[1].contains(#""cursor":"c","limit":2"#))
    }

    @Test func `show draws a card, or copies the answer`() async throws {
        let reply = #"{"user":\#(bob),\#(loaded)}"#
        let daemon = try StubDaemon(["GetUser": .reply(reply)])
        #expect(await userctl("show", "bob", "--socket", daemon.path).output == "Bob Ng\n  ID  1\n")
        #expect(
            await userctl("show", "bob", "--output", "json", "--socket", daemon.path).output == reply + "\n")
        #expect(try daemon.parameters(GetUser.self, of: "GetUser").key == "bob")
    }

    @Test func `a key of nobody ends with 1 and a hint`() async throws {
        let daemon = try StubDaemon(["GetUser": .error("io.userd.NotFound", #"{"key":"a\u001bb"}"#)])
        let ended = await userctl("show", "x", "--socket", daemon.path)
        #expect(ended.code == 1)
        #expect(ended.output == "")
        #expect(
            ended.errors == """
                userctl: no user has the id, username or email address “a\\u{1B}b”
                userctl: look for one with `userctl search a\\u{1B}b`

                """)
    }

    @Test func `fact tells one of the cache, fact --new one from upstream`() async throws {
        func reply(_ text: String) -> StubDaemon.Replies {
            .reply(
                #"{"fact":{"id":"1","text":"\#(text)","length":3,"first_seen_at":"2026-03-04T00:00:00.000Z"},\#(loaded)}"#
            )
        }
        let daemon = try StubDaemon(["RandomFact": reply("Old"), "FetchFact": reply("New")])
        #expect(await userctl("fact", "--max-length", "9", "--socket", daemon.path).output == "Old\n")
        #expect(await userctl("fact", "--new", "--socket", daemon.path).output == "New\n")
        #expect(try daemon.parameters(RandomFact.self, of: "RandomFact").maxLength == 9)
    }

    @Test func `facts asks for what the options say`() async throws {
        let daemon = try StubDaemon(["ListFacts": .reply(#"{"facts":[],"total":0,\#(loaded)}"#)])
        let ended = await userctl("facts", "--search", "purr", "--max-length", "9", "--socket", daemon.path)
        #expect(ended.code == 0)
        #expect(ended.output == "")
        #expect(ended.errors == "None of the facts fit.\n")
        #expect(
            try daemon.parameters(ListFacts.self, of: "ListFacts")
                == ListFacts(search: "purr", maxLength: 9, limit: 100))
    }

    @Test func `status is what userd says of itself`() async throws {
        let reply = String(
            decoding: try encoded(
                DaemonState(states: [loadedFacts], paused: false, version: "1.2.3", startedAt: noon)),
            as: UTF8.self)
        let daemon = try StubDaemon(["GetState": .reply(reply)])
        #expect(
            await userctl("status", "--output", "json", "--socket", daemon.path).output == reply + "\n")
        #expect(
            await userctl("status", "--socket", daemon.path).output.hasSuffix(
                "\nuserd 1.2.3, started just now\n"))
    }

    @Test func `history asks for what the options say`() async throws {
        let daemon = try StubDaemon(["History": .reply(#"{"states":[]}"#)])
        let ended = await userctl("history", "users", "--limit", "5", "--socket", daemon.path)
        #expect(ended.errors == "userctl: there were no transitions yet\n")
        #expect(
            try daemon.parameters(History.self, of: "History") == History(resource: .users, limit: 5))
    }

    @Test(arguments: [
        (
            #"{"age":7200,"phase":"error","stale":true,"synced_at":"2026-03-04T10:00:00.000Z"}"#,
            "userctl: the last sync failed; these users were synced 2 h ago (see `userctl status`)\n"
        ),
        (
            #"{"age":172800,"phase":"loaded","stale":true,"synced_at":"2026-03-02T12:00:00.000Z"}"#,
            "userctl: these users were last synced 2 days ago\n"
        ),
        (
            #"{"phase":"error","stale":true}"#,
            "userctl: no sync of the users has succeeded yet (see `userctl status`)\n"
        ),
        (#"{"phase":"syncing","stale":true}"#, "userctl: the users were never synced yet\n"),
    ])
    func `a stale or failed state is said on stderr and leaves the exit code alone`(
        freshness: String, notice: String
    ) async throws {
        let daemon = try StubDaemon(["GetUser": .reply(#"{"user":\#(bob),"freshness":\#(freshness)}"#)])
        let ended = await userctl("show", "bob", "--socket", daemon.path)
        #expect(ended.code == 0)
        #expect(ended.errors == notice)
    }

    @Test func `an answer that is not io.userd's is told as such`() async throws {
        let daemon = try StubDaemon(["GetUser": .reply("{}"), "ListUsers": .reply("{}")])
        #expect(await userctl("show", "bob", "--socket", daemon.path).code == 69)
        #expect(await userctl("list", "--socket", daemon.path).code == 69)
    }
}

/// Reads where no userd runs.
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

    @Test func `all pages of the cache file are one document`() async throws {
        let many = (0..<1200).map {
            User(id: "\($0)", name: .init(first: "A", last: "B\($0)"), email: "\($0)@example.com")
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

    @Test func `a daemon that ends while it is asked is no daemon`() async throws {
        let cache = try await CacheFile(users: [anna])
        let daemon = try StubDaemon(["GetUser": .replies([])])
        let ended = await userctl(
            "show", "id-anna", "--socket", daemon.path, "--database", cache.path)
        #expect(ended.code == 0)
    }

    @Test func `status shows the states of the cache file`() async throws {
        let cache = try await CacheFile(users: [anna])
        let ended = await userctl("status", "--socket", nobody, "--database", cache.path)
        #expect(ended.output.hasPrefix("Users\n  Phase   loaded\n"))
        #expect(ended.output.hasSuffix("\nuserd is not running\n"))
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
                No users yet: none have been fetched.
                `userctl sync --wait users` fetches them.
                userctl: userd is not running; reading the cache at \(cache.path), never synced

                """)
    }

    @Test func `a key of nobody ends with 1`() async throws {
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
                userctl: start it with `systemctl --user start userd`, or run `userd`

                """)
    }

    @Test(arguments: [["sync"], ["retry", "--wait"], ["cancel"], ["watch"], ["fact", "--new"]])
    func `what only userd can do ends with 69 and what to do`(command: [String]) async throws {
        let ended = await userctl(command + ["--socket", nobody])
        #expect(ended.code == 69)
        #expect(
            ended.errors == """
                userctl: userd is not running (no socket at \(nobody))
                userctl: start it with `systemctl --user start userd`, or run `userd`

                """)
    }

    @Test func `where no socket is known, it says how to name one`() async {
        #expect(
            await userctl("sync").errors.hasSuffix("name the socket with --socket or USERD_SOCKET\n"))
    }

    @Test func `where no cache file is known, it says how to name one`() async {
        #expect(await userctl("list").errors.contains("name the file with --database"))
    }
}
