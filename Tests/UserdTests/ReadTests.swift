import Cache
import Dispatch
import Model
import Synchronization
import TestSupport
import Testing
import Upstream
import UserdAPI
import Varlink

@testable import Daemon

@Suite(.timeLimit(.hang)) struct ReadTests {
    private static let bareUser = User(id: "b1", name: User.Name(first: "Bo", last: "Ng")) {
        $0.email = "bo@example.com"
        $0.nationality = "US"
    }

    private func ids(_ daemon: Daemon, _ parameters: ListUsers) async throws -> [String] {
        try await daemon.call(.listUsers, parameters).users.map(\.id)
    }

    @Test("ListUsers returns complete users with their number and freshness")
    func listUsers() async throws {
        try await Daemon.with { daemon in
            let list = try await daemon.call(.listUsers, ListUsers())
            #expect(list.users.count == User.samples.count && list.total == User.samples.count)
            #expect(Set(list.users) == Set(User.samples))
            #expect(list.next == nil)
            #expect(list.freshness == Freshness(phase: .loaded, syncedAt: began, age: 0, stale: false))
        }
    }

    @Test("Only GetState is answered on the event loop, and no read of the cache")
    func atHand() async throws {
        try await Daemon.with { daemon in
            let handler = try daemon.service.handler()
            for method in handler.interface.methods.map(\.name) {
                let call = MethodCall(
                    method: "io.userd." + method, parameters: Array(#"{"key":"sample-full"}"#.utf8))
                let isAtHand = try handler.answerNow(call) != nil
                #expect(isAtHand == (method == "GetState"), "\(method)")
            }
        }
    }

    @Test("A read that waits for the disk delays neither other clients nor the watchdog")
    func slowDisk() async throws {
        try await Daemon.with { daemon in
            let (reads, began) = AsyncStream.makeStream(of: Void.self)
            let isFirst = Atomic(true)
            let disk = DispatchSemaphore(value: 0)
            daemon.reading.withLock {
                $0 = {
                    guard isFirst.exchange(false, ordering: .relaxed) else { return }
                    began.yield()
                    disk.wait()
                }
            }
            async let slow = daemon.call(.getUser, GetUser(key: "sample-full"))
            for await _ in reads { break }
            #expect(try await daemon.call(.getState, NoParameters()).states.count == 2)
            #expect(try await daemon.call(.listUsers, ListUsers()).total == User.samples.count)
            // The watchdog reads this in addition to asking the event loop.
            #expect(try await daemon.cache.reader.resources().count == 2)
            disk.signal()
            let user = try await slow.user
            #expect(user.id == "sample-full")
        }
    }

    @Test("ListUsers searches, filters and sorts by its parameters")
    func parameters() async throws {
        try await Daemon.with { daemon in
            #expect(try await ids(daemon, ListUsers(search: "jose angstr")) == ["sample-combining"])
            #expect(try await ids(daemon, ListUsers(nationality: "ua")) == ["sample-cyrillic"])
            #expect(try await ids(daemon, ListUsers(search: "nobody")) == [])
            #expect(try await ids(daemon, ListUsers(search: "(406) 555-01")) == ["sample-full"])
            #expect(try await ids(daemon, ListUsers(department: "Відділ кадрів")) == ["sample-cyrillic"])
            #expect(
                Set(try await ids(daemon, ListUsers(gender: "female")))
                    == ["sample-full", "sample-right-to-left"])
            #expect(
                try await ids(daemon, ListUsers(search: "jennie", nationality: "US", gender: "female"))
                    == ["sample-full"])
            let emails = try await ids(daemon, ListUsers(order: .email, limit: 3))
            #expect(emails == ["sample-wide", "sample-full", "sample-escape"])
            let back = try await ids(daemon, ListUsers(order: .email, descending: true, limit: 3))
            #expect(back == emails.reversed())
            for order in UserOrder.allCases {
                #expect(try await ids(daemon, ListUsers(order: order)).count == User.samples.count)
            }
        }
    }

    @Test("A list is paged by cursors, and with more all pages follow")
    func pages() async throws {
        try await Daemon.with { daemon in
            let whole = try await ids(daemon, ListUsers())
            var (paged, cursor): ([String], String?) = ([], nil)
            repeat {
                let page = try await daemon.call(.listUsers, ListUsers(limit: 3, cursor: cursor))
                #expect(page.users.count <= 3 && page.total == whole.count)
                paged += page.users.map(\.id)
                cursor = page.next
            } while cursor != nil
            #expect(paged == whole)

            let replies = try await daemon.replies("ListUsers", #"{"limit":3}"#, more: true)
            let pages = (whole.count + 2) / 3
            #expect(replies.count == pages)
            let streamed = try replies.flatMap {
                try decoded(UserList.self, from: Array($0.utf8)).users.map(\.id)
            }
            #expect(streamed == whole)
            let rest = try await daemon.call(.listUsers, ListUsers(limit: 3))
            let from = #"{"limit":3,"cursor":"\#(try #require(rest.next))"}"#
            #expect(try await daemon.replies("ListUsers", from, more: true).count == pages - 1)
            #expect(try await daemon.replies("ListUsers", #"{"search":"nobody"}"#, more: true).count == 1)
        }
    }

    @Test("A cursor of another query, or an invalid one, fails with InvalidCursor", arguments: [true, false])
    func invalidCursor(more: Bool) async throws {
        try await Daemon.with { daemon in
            let cursor = try #require(try await daemon.call(.listUsers, ListUsers(limit: 3)).next)
            #expect(
                try await daemon.error("ListUsers", #"{"gender":"male","cursor":"\#(cursor)"}"#, more: more)
                    == .invalidCursor(cursor: cursor))
            #expect(
                try await daemon.error("ListUsers", #"{"cursor":"x"}"#, more: more)
                    == .invalidCursor(cursor: "x"))
            #expect(
                try await daemon.error("ListFacts", #"{"cursor":"\#(cursor)"}"#, more: more)
                    == .invalidCursor(cursor: cursor))
        }
    }

    /// Longer than the part that an error repeats.
    private static let long = String(repeating: "x", count: 1025)

    @Test(
        "A parameter that is out of range fails with InvalidParameter and its name",
        arguments: [
            ("ListUsers", #"{"limit":0}"#, "limit"), ("ListUsers", #"{"limit":-1}"#, "limit"),
            ("ListFacts", #"{"limit":0}"#, "limit"), ("History", #"{"limit":0}"#, "limit"),
            ("ListUsers", #"{"search":"\#(String(repeating: "x", count: 1001))"}"#, "search"),
            ("GetUser", #"{"key":"\#(ReadTests.long)"}"#, "key"),
            ("GetPicture", #"{"key":"\#(ReadTests.long)"}"#, "key"),
            ("ListUsers", #"{"cursor":"\#(ReadTests.long)"}"#, "cursor"),
            ("ListFacts", #"{"cursor":"\#(ReadTests.long)"}"#, "cursor"),
            ("ListUsers", #"{"order":"shoe_size"}"#, "order"), ("ListUsers", #"{"limit":"3"}"#, "limit"),
            ("ListUsers", #"{"limit":99999999999999999999}"#, "limit"),
            ("ListUsers", #"{"colour":"red"}"#, "colour"), ("GetUser", "{}", "key"),
            ("Watch", #"{"since":1.5}"#, "since"), ("Sync", #"{"resources":["cats"]}"#, "resources"),
        ])
    func outOfRange(method: String, parameters: String, name: String) async throws {
        try await Daemon.with(synced: false) { daemon in
            await #expect(throws: VarlinkError.invalidParameter(name)) {
                try await daemon.replies(method, parameters, more: method == "Watch")
            }
        }
    }

    @Test("History returns the requested number of states, even more than a thousand")
    func longHistory() async throws {
        try await Daemon.with { daemon in
            for _ in 0..<520 { _ = try await daemon.call(.sync, Sync(resources: [.facts], wait: true)) }
            let newest = try await daemon.call(.history, History(limit: 1)).states[0].index
            #expect(newest > 1000)
            let states = try await daemon.call(.history, History(limit: 5000)).states
            #expect(states.map(\.index) == Array((1...newest).reversed()))
        }
    }

    @Test("GetUser finds a user by id, username or address, and reports missing and ambiguous ones")
    func getUser() async throws {
        var upstream = Daemon.Upstream()
        upstream.users = [
            User.samples[0], Self.bareUser,
            User(id: "b2", name: User.Name(first: "Bob", last: "Ng")) {
                $0.email = "BO@example.com"
            },
        ]
        try await Daemon.with(upstream: upstream) { daemon in
            for key in ["sample-full", "bigswan571", "jennie.nichols@example.com"] {
                let found = try await daemon.call(.getUser, GetUser(key: key))
                #expect(found.user == User.samples[0] && found.freshness.phase == .loaded)
            }
            #expect(try await daemon.error("GetUser", #"{"key":"nobody"}"#) == .notFound(key: "nobody"))
            #expect(try await daemon.error("GetUser", #"{"key":""}"#) == .notFound(key: ""))
            #expect(
                try await daemon.error("GetUser", #"{"key":"bo@example.com"}"#)
                    == .ambiguous(key: "bo@example.com", ids: ["b1", "b2"]))
        }
    }

    @Test("A user's JSON is the same in a list, alone and from the wire type")
    func exactUser() async throws {
        var upstream = Daemon.Upstream()
        upstream.users = [Self.bareUser]
        try await Daemon.with(upstream: upstream) { daemon in
            let user =
                #"{"address":{},"email":"bo@example.com","id":"b1","name":{"first":"Bo","last":"Ng"},"nationality":"US"}"#
            let freshness =
                #"{"age":0,"phase":"loaded","stale":false,"synced_at":"2026-02-02T02:40:00.000Z"}"#
            let alone = try await daemon.call("GetUser", #"{"key":"b1"}"#)
            #expect(alone == #"{"user":\#(user),"freshness":\#(freshness)}"#)
            #expect(
                try await daemon.call("ListUsers")
                    == #"{"users":[\#(user)],"freshness":\#(freshness),"total":1}"#)
            #expect(try String(decoding: encoded(Self.bareUser), as: UTF8.self) == user)
        }
    }

    @Test("Before the first sync, lists are empty and their freshness says so")
    func cold() async throws {
        try await Daemon.with(synced: false) { daemon in
            let list = try await daemon.call(.listUsers, ListUsers())
            #expect(list.users.isEmpty && list.total == 0)
            #expect(list.freshness == Freshness(phase: .initial, syncedAt: nil, age: nil, stale: true))
            #expect(try await daemon.call(.listFacts, ListFacts()).facts.isEmpty)
            #expect(try await daemon.error("RandomFact") == .noFacts)
            #expect(try await daemon.call(.history, History()).states.isEmpty)
        }
    }

    @Test("Reads continue while a sync hangs, and report that it runs")
    func whileSyncing() async throws {
        try await Daemon.with { daemon in
            daemon.set(.hang)
            _ = try await daemon.call(.sync, Sync())
            let list = try await daemon.call(.listUsers, ListUsers())
            #expect(list.users.count == User.samples.count && list.freshness.phase == .syncing)
            #expect(try await daemon.call(.randomFact, RandomFact()).freshness.phase == .syncing)
        }
    }

    @Test("ListFacts searches, bounds lengths and pages")
    func listFacts() async throws {
        try await Daemon.with { daemon in
            let all = try await daemon.call(.listFacts, ListFacts())
            #expect(
                all.facts.map(\.text) == NewFact.samples.map(\.text) && all.total == NewFact.samples.count)
            #expect(all.facts.allSatisfy { $0.firstSeenAt == began && $0.length == $0.text.count })
            #expect(try await daemon.call(.listFacts, ListFacts(search: "CLOWD")).facts.count == 1)
            #expect(try await daemon.call(.listFacts, ListFacts(maxLength: 50)).facts.count == 2)
            let page = try await daemon.call(.listFacts, ListFacts(limit: 3))
            #expect(page.facts.count == 3)
            let rest = try await daemon.call(.listFacts, ListFacts(limit: 3, cursor: page.next))
            #expect(page.facts + rest.facts == all.facts && rest.next == nil)
            let replies = try await daemon.replies("ListFacts", #"{"limit":1}"#, more: true)
            #expect(replies.count == all.total)
        }
    }

    @Test("RandomFact chooses among facts within the length limit")
    func randomFact() async throws {
        try await Daemon.with { daemon in
            let shortest = try await daemon.call(.randomFact, RandomFact())
            #expect(shortest.freshness.phase == .loaded)
            #expect(try await daemon.call(.randomFact, RandomFact(maxLength: 40)).fact.length <= 40)
            #expect(try await daemon.error("RandomFact", #"{"max_length":1}"#) == .noFacts)
        }
    }

    @Test("History returns past transitions of one or all resources, newest first")
    func history() async throws {
        try await Daemon.with { daemon in
            let all = try await daemon.call(.history, History()).states
            #expect(all.map(\.index) == [4, 3, 2, 1])
            #expect(try await daemon.call(.history, History(limit: 1)).states == [all[0]])
            let users = try await daemon.call(.history, History(resource: .users)).states
            #expect(users == all.filter { $0.resource == .users } && users.count == 2)
            #expect(try await daemon.call(.history, History(limit: .max)).states == all)
        }
    }

    @Test(
        "A read without its cache fails with CacheUnavailable",
        arguments: ["ListUsers", "ListFacts", "History"])
    func unavailable(method: String) async throws {
        try await Daemon.with { daemon in
            await daemon.cache.close()
            guard case .cacheUnavailable(let message)? = try await daemon.error(method) else {
                Issue.record("another error")
                return
            }
            #expect(message.contains("closed"))
        }
    }
}
