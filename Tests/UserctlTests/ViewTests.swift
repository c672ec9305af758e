import Model
import TerminalViews
import Testing
import UserdAPI

@testable import UserctlCommands

@Suite struct ViewTests {
    private func drawn(_ view: some View, _ width: Int? = nil) -> String {
        render(view, width: width, colour: false)
    }

    private func table(_ columns: [UserColumn]? = nil) -> Table {
        let cells = UserCells(columns ?? UserColumn.usual)
        return Table(.users(columns), cells: [anna, wei].map { cells.cells(of: $0).map { Text($0) } })
    }

    @Test func `a table of users begins with the last name and lines up`() {
        #expect(
            drawn(table(), 80) == """
                Name             Email             Phone         City   Nat  Age
                Bergström, Anna  anna@example.com  011-962-7516  Malmö  SE    35
                王 伟            wei@example.com                        CN

                """)
    }

    @Test func `a narrow table of users has name, address and number`() {
        #expect(
            drawn(table(), 50) == """
                Name             Email             Phone
                Bergström, Anna  anna@example.com  011-962-7516
                王 伟            wei@example.com

                """)
    }

    @Test func `a table of users on a very narrow terminal becomes blocks`() {
        #expect(
            drawn(table([.name, .email, .id]), 24) == """
                Name   Bergström, Anna
                Email  anna@example.com
                ID     id-anna

                Name   王 伟
                Email  wei@example.com
                ID     id-wei

                """)
    }

    @Test func `every column has its field`() {
        let cells = zip(UserColumn.all, UserCells(UserColumn.all).cells(of: anna)).filter { !$0.1.isEmpty }
        #expect(
            cells.map { "\($0.0.key): \($0.1)" }.joined(separator: "\n") == """
                id: id-anna
                username: lazyduck1
                name: Bergström, Anna
                name_title: Dr
                name_first: Anna
                name_last: Bergström
                gender: female
                mailbox: Anna Bergström <anna@example.com>
                email: anna@example.com
                phone: 011-962-7516
                cell: 081-454-0666
                born_at: 1990-07-20
                age: 35
                registered_at: 2012-01-02
                nationality: SE
                address_street: 8 Storgatan
                address_city: Malmö
                address_state: Skåne
                address_postcode: 00217
                address_country: Sweden
                address_latitude: 55.6
                address_longitude: -13
                address_utc_offset: +1:00
                picture_large: https://example.com/l.png
                """)
    }

    @Test func `a card has all members of a user`() {
        #expect(
            drawn(UserCard(user: anna), 80) == """
                Dr Anna Bergström
                  Email        anna@example.com
                  Phone        011-962-7516
                  Cell         081-454-0666
                  Username     lazyduck1
                  Born         1990-07-20, 35 years old
                  Gender       female
                  Nationality  SE
                  Street       8 Storgatan
                  City         00217 Malmö
                  State        Skåne
                  Country      Sweden
                  Coordinates  55.6, -13.0
                  Time zone    UTC+1:00
                  Registered   2012-01-02
                  Picture      https://example.com/l.png
                  ID           id-anna

                """)
    }

    @Test func `a card leaves out missing members`() {
        #expect(
            drawn(UserCard(user: User(id: "1", name: .init(first: "", last: "Ng"))), 80) == """
                Ng
                  ID  1

                """)
    }

    @Test func `names can't control the terminal`() {
        let user = User(id: "1", name: .init(first: "A\u{1B}[2J\u{202E}", last: "B\n\u{7}"))
        #expect(
            drawn(UserCard(user: user)) == """
                A\\u{1B}[2J\\u{202E} B\\u{A}\\u{7}
                  ID  1

                """)
    }

    @Test func `a street of several lines is one line`() {
        let user = User(id: "1", name: .init(first: "", last: "Ng")) {
            $0.address.street = "Main Street 1\r\nYard 2\n"
        }
        #expect(
            drawn(UserCard(user: user), 80) == """
                Ng
                  Street  Main Street 1, Yard 2
                  ID      1

                """)
        let street = [UserColumn(.street)]
        let table = Table(.users(street), cells: [UserCells(street).cells(of: user).map { Text($0) }])
        #expect(drawn(table, 80) == "Street\nMain Street 1, Yard 2\n")
    }

    @Test func `facts wrap, each after a bullet`() {
        let facts = Column {
            FactItem(text: "Cats sleep for most of the day.")
            FactItem(text: "Cats purr.")
        }
        #expect(
            drawn(facts, 20) == """
                • Cats sleep for
                  most of the day.
                • Cats purr.

                """)
    }

    @Test func `the status says phase, age, failure and next sync of each resource`() {
        let daemon = DaemonState(
            states: [failedUsers, loadedFacts], paused: true, version: "1.2.3",
            startedAt: time("04T10:00:00"))
        #expect(
            drawn(StatusView(states: daemon.states, daemon: daemon, clock: clock), 80) == """
                Users
                  Phase      error
                  Since      3 min ago
                  Cached     5,000 users
                  Synced     3 h ago
                  Failure    connection refused (offline, 3 attempts)
                  Next sync  in 42 s

                Facts
                  Phase      loaded
                  Since      3 min ago
                  Cached     1 fact
                  Synced     3 min ago
                  Next sync  in 27 min

                userd 1.2.3, started 2 h ago, paused: `userctl resume` resumes automatic syncs

                """)
    }

    @Test func `where userd waits for a directory, the status begins with what to do`() {
        let daemon = DaemonState(
            states: [state(.users, .initial, cause: .created)], paused: true, version: "1.2.3",
            startedAt: noon,
            pauseCause: DaemonState.noDirectory)
        let text = drawn(StatusView(states: daemon.states, daemon: daemon, clock: clock), 130)
        #expect(
            text.hasPrefix(
                "Not connected: `userctl connect example.org`, or `userctl connect demo` for twenty made-up users and cat facts."
            ))
        #expect(!text.contains("resume"))
    }

    @Test func `as many users as are asked for are told to be perhaps not all`() {
        let loaded = state(.users, .loaded, count: 20, syncedAt: noon)
        let daemon = DaemonState(states: [loaded], paused: false, version: "1.2.3", startedAt: noon)
        let settings = ["users.pages": "1", "users.page_size": "20"].map {
            SettingValue(name: $0.key, value: $0.value, origin: "default")
        }
        #expect(
            drawn(StatusView(states: daemon.states, daemon: daemon, settings: settings, clock: clock), 100)
                .contains(
                    "Cached  20 users, as many as users.pages × users.page_size ask for; upstream may have more\n"
                ))
        #expect(
            !drawn(StatusView(states: daemon.states, daemon: daemon, clock: clock), 100).contains("as many"))
    }

    @Test func `a failure without a next attempt has advice`() {
        let refused = Failure(kind: .decode, message: "no", retryable: false)
        let guarded = Failure(kind: .removalGuard, message: "no", retryable: false)
        func drawn(_ failure: Failure, nextSyncAt: Timestamp? = nil) -> String {
            let state = state(.users, .error, cause: .failed, nextSyncAt: nextSyncAt, failure: failure)
            return self.drawn(StatusView(states: [state], daemon: nil, clock: clock), 80)
        }
        #expect(drawn(refused).contains("  To do    `userctl retry users` tries again\n"))
        #expect(!drawn(refused, nextSyncAt: noon).contains("To do"))
        #expect(
            drawn(guarded, nextSyncAt: noon)
                .contains("  To do    `userctl sync users --accept-removals` removes them;"))
    }

    @Test func `without userd the status has no next sync`() {
        #expect(
            drawn(StatusView(states: [loadedFacts], daemon: nil, clock: clock), 80) == """
                Facts
                  Phase   loaded
                  Since   3 min ago
                  Cached  1 fact
                  Synced  3 min ago

                userd is not running

                """)
    }

    @Test func `the status of a running sync has its progress`() {
        let syncing = state(
            .users, .syncing, cause: .due, stale: true, progress: Progress(done: 1200, total: 5000))
        let drawn = drawn(StatusView(states: [syncing], daemon: nil, clock: clock), 80)
        #expect(drawn.contains("Progress  1,200 of 5,000\n"))
        #expect(drawn.contains("Synced    never\n"))
    }

    @Test func `the history is a table, in local time, that fits 80 cells`() {
        let syncing = state(.users, .syncing, index: 6, cause: .retried, count: 5000)
        let stockholm = WallClock(now: { noon }, offset: { _ in 3600 })
        #expect(
            drawn(HistoryTable(states: [failedUsers, syncing], clock: stockholm), 80) == """
                #  Time                 Resource  Phase    Cause    Cached
                7  2026-03-04 12:57:00  users     error    failed    5,000
                  offline: connection refused
                6  2026-03-04 12:57:00  users     syncing  retried   5,000

                """)
    }

    @Test(arguments: [
        (state(.users, .syncing, index: 41, cause: .requested), "syncing  requested"),
        (state(.users, .syncing, index: 41, progress: Progress(done: 20)), "syncing  20"),
        (state(.users, .loaded, index: 41, count: 5000), "loaded   5,000 users"),
        (state(.users, .empty, index: 41), "empty    0 users"),
        (state(.users, .initial, index: 41, cause: .created), "initial  0 users"),
        (
            state(
                .users, .error, index: 41,
                failure: Failure(kind: .rateLimited, message: "429", retryable: true)),
            "error    429 (rate limited)"
        ),
    ])
    func `a transition is one line`(state: State, expected: String) {
        #expect(
            drawn(TransitionLine(state: state, clock: clock), 100)
                == "2026-03-04 11:57:00     #41  users  \(expected)\n")
    }

    @Test func `an outcome has the number of records`() {
        #expect(
            drawn(OutcomeTable(states: [failedUsers, loadedFacts]), 80) == """
                users  error    5,000 users
                facts  loaded   1 fact

                """)
    }

    @Test(arguments: [
        (Phase.error, false, "No users yet: the first sync failed."),
        (.initial, true, "No users yet: they were never synced."),
        (.syncing, false, "No users yet: the first sync is running."),
    ])
    func `an empty list that was never synced says why`(phase: Phase, isFiltered: Bool, expected: String) {
        let freshness = Freshness(phase: phase, syncedAt: nil, age: nil, stale: true)
        let page = NoRecordsPage(resource: .users, freshness: freshness, isFiltered: isFiltered)
        #expect(drawn(page).hasPrefix(expected + "\n`userctl "))
    }

    @Test(arguments: [
        (true, "No users match.\n"), (false, "There are no users: upstream has none.\n"),
    ])
    func `a list that was synced tells a filter that nothing fits from an empty upstream`(
        isFiltered: Bool, expected: String
    ) {
        let freshness = Freshness(phase: .loaded, syncedAt: noon, age: 0, stale: false)
        let page = NoRecordsPage(resource: .users, freshness: freshness, isFiltered: isFiltered)
        #expect(drawn(page) == expected)
    }
}
