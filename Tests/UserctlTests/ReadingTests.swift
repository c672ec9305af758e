import MockDaemon
import Model
import Testing
import UserdAPI

@testable import UserctlCommands

private let loaded =
    #""freshness":{"age":1.5,"phase":"loaded","stale":false,"synced_at":"2026-03-04T11:59:58.500Z"}"#
private let bob = #"{"id":"1","name":{"first":"Bob","last":"Ng"},"address":{}}"#

private func users(_ count: Int, total: Int, next: String? = nil) -> String {
    let list = Array(repeating: bob, count: count).joined(separator: ",")
    return #"{"users":[\#(list)],"total":\#(total)\#(next.map { #","next":"\#($0)""# } ?? ""),\#(loaded)}"#
}

/// Tests reads that userd answers.
@Suite struct ReadingTests {
    private func userd(listing reply: String, _ asked: Asked<ListUsers> = Asked()) -> UserdClient {
        var userd = UserdClient.untouched
        userd.listUsers = asked.answering(.listUsers, reply)
        return userd
    }

    private func userd(finding reply: String, _ asked: Asked<GetUser> = Asked()) -> UserdClient {
        var userd = UserdClient.untouched
        userd.getUser = asked.answering(.getUser, reply)
        return userd
    }

    @Test func `list sends its options`() async throws {
        let asked = Asked<ListUsers>()
        let ended = await userctl(
            "list", "--search", "an ber", "--nationality", "us", "--gender", "female", "--order", "age",
            "--descending", "--limit", "5", "--columns", "name,id",
            userd: userd(listing: users(1, total: 1), asked))
        #expect(ended.code == 0)
        #expect(ended.output == "Name     ID\nNg, Bob  1\n")
        #expect(ended.errors == "")
        #expect(
            asked.all == [
                ListUsers(
                    search: "an ber", nationality: "us", gender: "female", order: .age, descending: true,
                    limit: 5)
            ])
    }

    @Test func `search is list with words`() async throws {
        let asked = Asked<ListUsers>()
        _ = await userctl(
            ["search", "an", "ber"], userd: userd(listing: users(1, total: 1), asked), width: 80)
        #expect(asked.all.first == ListUsers(search: "an ber", order: .match, limit: 100))
    }

    @Test func `json is userd's answer`() async throws {
        let reply = users(2, total: 2)
        #expect(
            await userctl("list", "-n", "2", "-o", "json", userd: userd(listing: reply)).output == reply
                + "\n")
    }

    @Test func `json on a terminal has controls escaped`() async throws {
        let userd = userd(finding: #"{"user":\#(bob.replacing("Ng", with: "N\u{9B}g")),\#(loaded)}"#)
        let ended = await userctl(["show", "bob", "--output", "json"], userd: userd, width: 80)
        #expect(ended.output.contains(#""last": "N\u009bg""#))
    }

    @Test func `a longer list says how many more there are`() async throws {
        let ended = await userctl(
            ["list"], userd: userd(listing: users(100, total: 5100, next: "c")), width: 80)
        #expect(ended.errors == "userctl: 5,000 more: --all prints all\n")
    }

    @Test func `an empty page ends the list, even with a cursor`() async throws {
        let asked = Asked<ListUsers>()
        let ended = await userctl(
            "list", "--limit", "9", userd: userd(listing: users(0, total: 9, next: "c"), asked))
        #expect(ended.code == 0)
        #expect(asked.all.count == 1)
        var userd = UserdClient.untouched
        userd.listAllUsers = { _ in .pages([users(0, total: 9, next: "c"), users(1, total: 9)]) }
        #expect(await userctl("list", "--all", userd: userd).output == "")
    }

    @Test(arguments: ["json", "csv", "table", "vcard"])
    func `a whole list is one call`(format: String) async throws {
        let calls = Asked<ListUsers>()
        var userd = UserdClient.untouched
        userd.listAllUsers = { query in
            _ = try calls.answering(.listUsers, "{}")(query)
            return .pages([users(2, total: 3, next: "c"), users(1, total: 3)])
        }
        let ended = await userctl("list", "--all", "--search", "b", "--output", format, userd: userd)
        #expect(ended.code == 0 && ended.errors == "")
        #expect(calls.all == [ListUsers(search: "b", order: .name, limit: 1000)])
        #expect(ended.output.split(separator: "Ng").count > 3)
        if format == "json" { #expect(ended.output == users(3, total: 3) + "\n") }
    }

    @Test(arguments: ["1e300", "-1e300", "1e19"])
    func `an absurd age does not crash`(age: String) async throws {
        let freshness =
            #"{"age":\#(age),"phase":"error","stale":true,"synced_at":"2026-03-04T10:00:00.000Z"}"#
        let ended = await userctl(
            "show", "bob", userd: userd(finding: #"{"user":\#(bob),"freshness":\#(freshness)}"#))
        #expect(ended.code == 0)
        #expect(ended.errors.contains("showing users synced"))
    }

    @Test func `a list with --limit does not mention the rest`() async throws {
        let ended = await userctl(
            "list", "--limit", "2", userd: userd(listing: users(2, total: 5100, next: "c")))
        #expect(ended.errors == "")
    }

    @Test func `a short option and its value may be one word`() async throws {
        let asked = Asked<ListUsers>()
        let reply = users(1, total: 1)
        let ended = await userctl("list", "-n3", "-ojson", userd: userd(listing: reply, asked))
        #expect(ended.output == reply + "\n")
        #expect(asked.all.map(\.limit) == [3])
    }

    @Test func `a short page is followed by the next one`() async throws {
        let asked = Asked<ListUsers>()
        let ended = await userctl(
            "list", "--limit", "4", "--output", "json",
            userd: userd(listing: users(2, total: 9, next: "c"), asked))
        #expect(ended.output == users(4, total: 9, next: "c") + "\n")
        #expect(asked.all.map(\.limit) == [4, 2] && asked.all.map(\.cursor) == [nil, "c"])
    }

    @Test func `show draws a card, or copies the answer`() async throws {
        let asked = Asked<GetUser>()
        let reply = #"{"user":\#(bob),\#(loaded)}"#
        let userd = userd(finding: reply, asked)
        #expect(await userctl("show", "bob", userd: userd).output == "Bob Ng\n  ID  1\n")
        #expect(await userctl("show", "bob", "--output", "json", userd: userd).output == reply + "\n")
        #expect(asked.all.map(\.key) == ["bob", "bob"])
    }

    @Test func `a key that nobody has is searched for: one is shown, several are listed`() async throws {
        for word in ["a", "e", "ev", "b", "be", "s"] {
            let found = await userctl("search", word, "--output", "ndjson", userd: .mock())
            let lines = found.output.split(separator: "\n")
            let shown = await userctl("show", word, "--output", "ndjson", userd: .mock())
            switch lines.count {
            case 0: #expect(shown.code == 1 && shown.output.isEmpty)
            case 1: #expect(shown.code == 0 && shown.output == found.output, "\(word)")
            default:
                #expect(shown.code == 1 && shown.output.isEmpty)
                #expect(shown.errors.contains("“\(word)” matches \(lines.count) users"), "\(shown.errors)")
                #expect(shown.errors.split(separator: "\n").count == 1 + lines.count)
            }
        }
    }

    @Test func `of several that are found, the usernames are named, and the ids of those without their own`()
        async throws
    {
        func user(_ id: String, _ username: String?) -> User {
            User(id: id, name: User.Name(first: "Bob", last: "Berg")) {
                $0.username = username
            }
        }
        let users = [user("1", "bob"), user("2", nil), user("3", "twin"), user("4", "twin")]
        let ended = await userctl("show", "berg", userd: .mock(users: users))
        #expect(ended.code == 1)
        let lines = ended.errors.split(separator: "\n").map { $0.dropFirst("userctl: ".count) }
        #expect(lines.first == "“berg” matches 4 users: choose one")
        let keys = lines.dropFirst().compactMap { $0.split(separator: " ").first.map(String.init) }
        #expect(keys.sorted() == ["2", "3", "4", "bob"])
        for key in keys { #expect(await userctl("show", key, userd: .mock(users: users)).code == 0) }
    }

    @Test
    func `facts that are turned off have no state, and both commands say what to set or show the cached`()
        async throws
    {
        var userd = UserdClient.mock(facts: [])
        let users = DaemonState(
            states: [state(.users, .loaded)], paused: false, version: "1", startedAt: noon)
        userd.getState = { try RawReply(users, to: .getState) }
        let said = "userctl: facts are turned off: set facts.format, for example to catfact\n"
        for arguments in [["fact"], ["facts"], ["facts", "-o", "csv"], ["status", "facts"]] {
            let ended = await userctl(arguments, userd: userd)
            #expect(ended.code == 1 && ended.errors == said, "\(arguments): \(ended.errors)")
        }
        userd = UserdClient.mock(facts: ["Cats."])
        userd.getState = { try RawReply(users, to: .getState) }
        #expect(await userctl("facts", userd: userd).output.contains("Cats."))
        #expect(await userctl("fact", userd: userd).output == "Cats.\n")
    }

    @Test func `an unknown key ends with 1 and a hint`() async throws {
        let ended = await userctl("show", "zz\u{1B}qq", userd: .mock())
        #expect(ended.code == 1)
        #expect(ended.output == "")
        #expect(
            ended.errors == """
                userctl: no user has the id, username or email address “zz\\u{1B}qq”, or a word that begins with it
                userctl: `userctl list` lists all users

                """)
    }

    @Test func `fact prints a cached one, fact --new one from upstream`() async throws {
        let userd = UserdClient.mock(facts: ["Cats.", "C."])
        #expect(await userctl("fact", userd: userd).output == "Cats.\n")
        #expect(await userctl("fact", "--max-length", "4", userd: userd).output == "C.\n")
        let new = await userctl("fact", "--new", userd: userd)
        #expect(new.output == "This is fetched fact number 1.\n")
        #expect(await userctl("facts", userd: userd).output.contains(new.output))
    }

    @Test func `facts sends its options`() async throws {
        let asked = Asked<ListFacts>()
        var userd = UserdClient.untouched
        userd.listFacts = asked.answering(.listFacts, #"{"facts":[],"total":0,\#(loaded)}"#)
        let ended = await userctl(
            ["facts", "--search", "purr", "--max-length", "9"], userd: userd, width: 80)
        #expect(ended.code == 1)
        #expect(ended.output == "")
        #expect(ended.errors == "No facts match.\n")
        #expect(asked.all == [ListFacts(search: "purr", maxLength: 9, limit: 100)])
    }

    @Test func `status shows userd's state`() async throws {
        let userd = UserdClient.mock(now: { noon })
        let reply = String(decoding: try userd.getState().bytes, as: UTF8.self)
        #expect(await userctl("status", "--output", "json", userd: userd).output == reply + "\n")
        let status = await userctl("status", userd: userd)
        #expect(status.output.hasSuffix("\nuserd \(version), started just now\n"))
    }

    @Test func `history sends its options`() async throws {
        let asked = Asked<History>()
        var userd = UserdClient.untouched
        userd.history = try asked.answering(.history, States(states: []))
        let ended = await userctl("history", "users", "--limit", "5", userd: userd)
        #expect(ended.errors == "userctl: no transitions yet\n")
        #expect(asked.all == [History(resource: .users, limit: 5)])
    }

    @Test(arguments: [
        (
            #"{"age":7200,"phase":"error","stale":true,"synced_at":"2026-03-04T10:00:00.000Z"}"#,
            "userctl: last sync failed; showing users synced 2 h ago (see `userctl status`)\n"
        ),
        (
            #"{"age":7200,"phase":"error","stale":true,"synced_at":"2026-03-04T10:00:00.000Z","failure":{"kind":"timeout","message":"no answer in 30 s","retryable":true,"attempts":1}}"#,
            "userctl: last sync failed (timeout); showing users synced 2 h ago (see `userctl status`)\n"
        ),
        (
            #"{"age":7200,"phase":"error","stale":true,"synced_at":"2026-03-04T10:00:00.000Z","failure":{"kind":"http","message":"https://a.example/ answered 401: the token has expired","retryable":false,"attempts":1}}"#,
            "userctl: https://a.example/ answered 401: the token has expired; showing users synced 2 h ago (see `userctl status`)\n"
        ),
        (
            #"{"age":172800,"phase":"loaded","stale":true,"synced_at":"2026-03-02T12:00:00.000Z"}"#,
            "userctl: showing stale users, last synced 2 days ago\n"
        ),
        (
            #"{"phase":"error","stale":true}"#,
            "userctl: no sync of users has succeeded yet (see `userctl status`)\n"
        ),
        (#"{"phase":"syncing","stale":true}"#, "userctl: users were never synced\n"),
    ])
    func `a stale or failed state is reported on stderr with exit code 0`(
        freshness: String, notice: String
    ) async throws {
        let userd = userd(finding: #"{"user":\#(bob),"freshness":\#(freshness)}"#)
        let ended = await userctl("show", "bob", userd: userd)
        #expect(ended.code == 0)
        #expect(ended.errors == notice)
    }

    @Test(arguments: [
        ("{}", "users is missing"), (#"{"users":[],\#(loaded)}"#, "total is missing"),
    ])
    func `a list that is not io.userd's is told as such`(reply: String, reason: String) async throws {
        let ended = await userctl(["list"], userd: userd(listing: reply), width: 80)
        #expect(ended.code == 69)
        #expect(
            ended.errors == """
                userctl: the reply to io.userd.ListUsers does not match its interface: \(reason)
                userctl: check that `userctl --version` and `userd --version` are the same

                """)
    }

    @Test func `an answer of another shape is reported`() async throws {
        let ended = await userctl("show", "bob", userd: userd(finding: "{}"))
        #expect(ended.code == 69)
        #expect(
            ended.errors.hasPrefix("userctl: the reply to io.userd.GetUser does not match its interface: ")
        )
    }
}
