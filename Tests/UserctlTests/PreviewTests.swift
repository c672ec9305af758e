import Model
import TerminalViews
import Testing

@testable import UserctlCommands

struct PreviewTests {
    private func drawn(_ phase: Phase, _ width: Int, colour: Bool = false, _ charset: Charset = .unicode)
        -> String
    {
        render(Preview(phase: phase), width: width, colour: colour, charset: charset)
    }

    @Test("Before the first sync, list and show say how to start one")
    func initial80() {
        #expect(
            drawn(.initial, 80) == """
                $ userctl list
                No users yet: they were never synced.
                `userctl sync --wait users` syncs them.

                $ userctl show bigswan571
                No users yet: they were never synced.
                `userctl sync --wait users` syncs them.

                $ userctl status
                Users
                  Phase      initial
                  Since      3 min ago
                  Cached     0 users
                  Synced     never
                  Next sync  now

                Facts
                  Phase      initial
                  Since      3 min ago
                  Cached     0 facts
                  Synced     never
                  Next sync  now

                userd \(version), started 2 h ago

                """)
    }

    /// The output of list and show.
    private func records(_ phase: Phase) -> Substring {
        let drawn = drawn(phase, 100)
        return drawn.firstRange(of: "$ userctl status").map { drawn[..<$0.lowerBound] } ?? ""
    }

    @Test("During a sync, the users of the last one are shown")
    func syncing100() {
        #expect(records(.syncing) == records(.loaded))
        #expect(
            drawn(.syncing, 100).dropFirst(records(.syncing).count) == """
                $ userctl status
                Users
                  Phase     syncing
                  Since     3 min ago
                  Progress  7 of 14
                  Cached    14 users
                  Synced    18 min ago

                Facts
                  Phase     syncing
                  Since     3 min ago
                  Progress  3 of 6
                  Cached    6 facts
                  Synced    18 min ago

                userd \(version), started 2 h ago

                """)
    }

    @Test("An empty upstream is reported")
    func empty120() {
        #expect(
            drawn(.empty, 120) == """
                $ userctl list
                There are no users: upstream has none.

                $ userctl show bigswan571
                There are no users: upstream has none.

                $ userctl status
                Users
                  Phase      empty
                  Since      3 min ago
                  Cached     0 users
                  Synced     3 min ago
                  Next sync  in 12 min

                Facts
                  Phase      empty
                  Since      3 min ago
                  Cached     0 facts
                  Synced     3 min ago
                  Next sync  in 12 min

                userd \(version), started 2 h ago

                """)
    }

    @Test("After a failed sync, the last users and the failure are shown")
    func error100() {
        let notice =
            "userctl: last sync failed (offline); showing users synced 18 min ago (see `userctl status`)\n"
        #expect(records(.error).replacing(notice, with: "") == records(.loaded))
        #expect(records(.error).ranges(of: notice).count == 2)
    }

    @Test("Failures are coloured")
    func error80InColour() {
        #expect(
            drawn(.error, 80, colour: true).hasSuffix(
                """
                \u{1B}[2m$ userctl status\u{1B}[0m
                \u{1B}[1mUsers\u{1B}[0m
                  \u{1B}[2mPhase\u{1B}[0m      \u{1B}[31merror\u{1B}[0m
                  \u{1B}[2mSince\u{1B}[0m      3 min ago
                  \u{1B}[2mCached\u{1B}[0m     14 users
                  \u{1B}[2mSynced\u{1B}[0m     18 min ago
                  \u{1B}[2mFailure\u{1B}[0m    \u{1B}[31mupstream.example can't be found (offline, 3 attempts)\u{1B}[0m
                  \u{1B}[2mNext sync\u{1B}[0m  in 42 s

                \u{1B}[1mFacts\u{1B}[0m
                  \u{1B}[2mPhase\u{1B}[0m      \u{1B}[31merror\u{1B}[0m
                  \u{1B}[2mSince\u{1B}[0m      3 min ago
                  \u{1B}[2mCached\u{1B}[0m     6 facts
                  \u{1B}[2mSynced\u{1B}[0m     18 min ago
                  \u{1B}[2mFailure\u{1B}[0m    \u{1B}[31mupstream.example can't be found (offline, 3 attempts)\u{1B}[0m
                  \u{1B}[2mNext sync\u{1B}[0m  in 42 s

                \u{1B}[2muserd \(version), started 2 h ago\u{1B}[0m

                """))
    }

    @Test(
        "Lines fit the width, and only newlines control the terminal",
        arguments: Phase.allCases, [20, 40, 80, 120, 500])
    func fits(phase: Phase, width: Int) {
        for charset in [Charset.unicode, .ascii] {
            let output = drawn(phase, width, charset)
            #expect(output.split(separator: "\n").allSatisfy { $0.displayWidth <= width })
            #expect(
                output.unicodeScalars.allSatisfy { $0 == "\n" || $0.properties.generalCategory != .control })
            if charset == .ascii { #expect(output.utf8.allSatisfy { $0 < 0x80 }) }
            #expect(output.contains("$ userctl list\n") && output.contains("$ userctl status\n"))
        }
    }

    @Test("The preview is the same each time")
    func still() {
        for phase in Phase.allCases { #expect(drawn(phase, 80) == drawn(phase, 80)) }
    }
}
