import Model
import TerminalViews
import TestSupport
import Testing

@testable import UserctlCommands

/// Tests what people see of the state at several widths of a terminal.
@Suite struct StateSnapshotTests {
    @Test(
        arguments: [
            (
                [40],
                """
                • Cats sleep for most of the day, and
                  hunt at dusk and dawn, when their prey
                  is awake.
                • A group of cats is a clowder.

                """
            ),
            (
                [60],
                """
                • Cats sleep for most of the day, and hunt at dusk and dawn,
                  when their prey is awake.
                • A group of cats is a clowder.

                """
            ),
            (
                [80],
                """
                • Cats sleep for most of the day, and hunt at dusk and dawn, when their prey is
                  awake.
                • A group of cats is a clowder.

                """
            ),
            (
                [100, 160],
                """
                • Cats sleep for most of the day, and hunt at dusk and dawn, when their prey is awake.
                • A group of cats is a clowder.

                """
            ),
        ] as [([Int], String)])
    func `facts`(widths: [Int], list: String) {
        let facts = Column {
            FactItem(
                text: "Cats sleep for most of the day, and hunt at dusk and dawn, when their prey is awake.")
            FactItem(text: "A group of cats is a clowder.")
        }
        for width in widths { #expect(render(facts, width: width, colour: false) == list) }
    }

    private let failed = state(
        .users, .error, index: 12, cause: .failed, count: 5000, syncedAt: time("04T09:00:00"), stale: true,
        nextSyncAt: noon,
        failure: Failure(
            kind: .offline, message: "connection to https://idp.example.org/scim/v2/Users was refused",
            retryable: true, attempts: 3))

    @Test(
        arguments: [
            (
                [40],
                """
                Time                 Resource  Phase
                2026-03-04 11:57:00  users     error
                  offline: connection to
                  https://idp.example.org/scim/v2/Users
                  was refused
                2026-03-04 11:57:00  users     loaded

                """
            ),
            (
                [60],
                """
                 #  Time                 Resource  Phase   Cause      Cached
                12  2026-03-04 11:57:00  users     error   failed      5,000
                  offline: connection to
                  https://idp.example.org/scim/v2/Users was refused
                11  2026-03-04 11:57:00  users     loaded  committed   5,000

                """
            ),
            (
                [80, 100],
                """
                 #  Time                 Resource  Phase   Cause      Cached
                12  2026-03-04 11:57:00  users     error   failed      5,000
                  offline: connection to https://idp.example.org/scim/v2/Users was refused
                11  2026-03-04 11:57:00  users     loaded  committed   5,000

                """
            ),
            (
                [160],
                """
                 #  Time                 Resource  Phase   Cause      Cached  Failure
                12  2026-03-04 11:57:00  users     error   failed      5,000  offline: connection to https://idp.example.org/scim/v2/Users was refused
                11  2026-03-04 11:57:00  users     loaded  committed   5,000

                """
            ),
        ] as [([Int], String)])
    func `history`(widths: [Int], table: String) {
        let loaded = state(.users, .loaded, index: 11, count: 5000)
        for width in widths {
            let view = HistoryTable(states: [failed, loaded], clock: clock)
            #expect(render(view, width: width, colour: false) == table)
        }
    }

    @Test(
        arguments: [
            (
                [40],
                """
                Users
                  Phase    error
                  Since    3 min ago
                  Cached   5,000 users
                  Synced   3 h ago
                  Failure
                   connection to
                   https://idp.example.org/scim/v2/Users
                   was refused (offline, 3 attempts)

                userd is not running

                """
            ),
            (
                [60],
                """
                Users
                  Phase    error
                  Since    3 min ago
                  Cached   5,000 users
                  Synced   3 h ago
                  Failure  connection to
                           https://idp.example.org/scim/v2/Users was refused
                           (offline, 3 attempts)

                userd is not running

                """
            ),
            (
                [80],
                """
                Users
                  Phase    error
                  Since    3 min ago
                  Cached   5,000 users
                  Synced   3 h ago
                  Failure  connection to https://idp.example.org/scim/v2/Users was refused
                           (offline, 3 attempts)

                userd is not running

                """
            ),
            (
                [100, 160],
                """
                Users
                  Phase    error
                  Since    3 min ago
                  Cached   5,000 users
                  Synced   3 h ago
                  Failure  connection to https://idp.example.org/scim/v2/Users was refused (offline, 3 attempts)

                userd is not running

                """
            ),
        ] as [([Int], String)])
    func `status`(widths: [Int], page: String) {
        for width in widths {
            let view = StatusView(states: [failed], daemon: nil, clock: clock)
            #expect(render(view, width: width, colour: false) == page)
        }
    }
}
