import MockDaemon
import Model
import Testing
import UserdAPI

@testable import UserctlCommands

/// Tests the messages beside the data, and the end of a search without hits.
@Suite struct NoticeTests {
    private static let none =
        #"{"users":[],"total":0,"freshness":{"age":9000,"phase":"error","stale":true,"synced_at":"2026-03-04T09:30:00.000Z"}}"#

    /// A userd whose users are stale, and none of them matches.
    private var nobody: UserdClient {
        var userd = UserdClient.untouched
        userd.listUsers = { _ in RawReply(Array(Self.none.utf8), to: .listUsers) }
        userd.listAllUsers = { _ in .pages([Self.none]) }
        return userd
    }

    @Test(arguments: ["table", "json", "ndjson", "csv", "vcard", "mutt"])
    func `a search without hits says so and ends with 1, in each format`(format: String) async {
        for command in [["search", "zzz"], ["list", "--search", "zzz"]] {
            let ended = await userctl(command + ["--output", format], userd: nobody)
            #expect(ended.code == 1)
            // Text on stderr would be written over mutt's screen.
            #expect(format == "mutt" ? ended.errors == "" : ended.errors.hasPrefix("No users match.\n"))
        }
        #expect(await userctl("list", "--output", format, userd: nobody).code == 0)
        #expect(await userctl("list", "--nationality", "zz", "--output", format, userd: nobody).code == 0)
    }

    @Test func `a search of facts without hits ends likewise`() async {
        let ended = await userctl("facts", "--search", "zzz", "-o", "csv", userd: .mock())
        #expect(ended.code == 1)
        #expect(ended.errors == "No facts match.\n")
        #expect(ended.output == "id,text,length,first_seen_at\r\n")
    }

    @Test func `with -q only errors are said`() async throws {
        let loud = await userctl("list", userd: nobody)
        #expect(loud.errors.contains("last sync failed; showing users synced 2 h 30 min ago"))
        for option in ["-q", "--quiet"] {
            #expect(await userctl("list", option, "-o", "json", userd: nobody).errors == "")
            let none = await userctl("search", "zzz", option, userd: nobody)
            #expect(none.code == 1 && none.errors == "")
            #expect(await userctl("pause", option, userd: .mock()).errors == "")
            #expect(await userctl("retry", option, userd: .mock()).errors == "")
            let down = await userctl("sync", option, "--socket", "/nowhere/s")
            #expect(down.code == 69)
            #expect(down.errors.hasPrefix("userctl: userd is not running"))
        }
    }

    @Test(arguments: [
        ("table", 80, 100), ("table", nil, nil), ("mutt", 80, 100), ("mutt", nil, 100), ("csv", 80, nil),
        ("csv", nil, nil), ("json", nil, nil), ("ndjson", nil, nil), ("vcard", nil, nil),
    ])
    func `a table on a terminal and mutt's lines have a hundred users, all else has all`(
        format: String, width: Int?, limit: Int?
    ) async {
        let (some, all) = (Asked<ListUsers>(), Asked<ListUsers>())
        var userd = UserdClient.untouched
        userd.listUsers = some.answering(.listUsers, Self.none)
        userd.listAllUsers = {
            _ = try all.answering(.listUsers, Self.none)($0)
            return .pages([Self.none])
        }
        _ = await userctl(["list", "-o", format], userd: userd, width: width)
        #expect(some.all.map(\.limit) == (limit.map { [$0] } ?? []))
        #expect(all.all.count == (limit == nil ? 1 : 0))
        _ = await userctl(["list", "-o", format, "-n", "7"], userd: userd, width: width)
        #expect(some.all.last?.limit == 7)
    }

    @Test func `facts in a pipe are all facts`() async {
        let facts = (100..<250).map { "Fact \($0)." }
        let piped = await userctl("facts", userd: .mock(facts: facts))
        #expect(piped.output == facts.map { "• \($0)\n" }.joined() && piped.errors == "")
        let shown = await userctl(["facts"], userd: .mock(facts: facts), width: 80)
        #expect(shown.output.split(separator: "\n").count == 100)
        #expect(shown.errors == "userctl: 50 more: --all prints all\n")
    }

    @Test(arguments: [
        ("table", 80, 20), ("table", nil, History.most), ("csv", 80, History.most),
        ("json", nil, History.most),
    ])
    func `only a table on a terminal has a part of the history`(
        format: String, width: Int?, limit: Int
    ) async throws {
        let asked = Asked<History>()
        var userd = UserdClient.untouched
        userd.history = try asked.answering(.history, States(states: [loadedFacts]))
        _ = await userctl(["history", "-o", format], userd: userd, width: width)
        _ = await userctl(["history", "-o", format, "-n", "3"], userd: userd, width: width)
        #expect(asked.all.map(\.limit) == [limit, 3])
    }

    @Test func `status has the resources that are named`() async throws {
        let userd = UserdClient.mock(now: { noon })
        let table = await userctl("status", "users", userd: userd).output
        #expect(table.contains("Users\n") && !table.contains("Facts\n"))
        let json = await userctl("status", "facts", "-o", "json", userd: userd)
        let state = try decoded(DaemonState.self, from: json.bytes)
        #expect(state.states.map(\.resource) == [.facts])
        let all = try decoded(
            DaemonState.self, from: await userctl("status", "-o", "json", userd: userd).bytes)
        #expect(all.states.map(\.resource) == [.users, .facts])
        let lines = await userctl("status", "-o", "ndjson", userd: userd).output.split(separator: "\n")
        #expect(try lines.map { try decoded(State.self, from: Array($0.utf8)) } == all.states)
    }
}
