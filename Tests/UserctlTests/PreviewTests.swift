import Browse
import CommandSupport
import Commands
import Diagnostics
import Model
import TerminalViews
import Testing

struct PreviewTests {
    private func drawn(_ phase: Phase, _ width: Int, colour: Bool = false, _ charset: Charset = .unicode)
        -> String
    {
        render(Preview(phase), width: width, colour: colour, charset: charset)
    }

    @Test("Before the first sync, list and show say how to sync")
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

                userd 1.0.0, started 2 h ago

                """)
    }

    @Test("During the first sync they say where to see its progress")
    func syncing40() {
        #expect(
            drawn(.syncing, 40) == """
                $ userctl list
                No users yet: the first sync is running.
                `userctl status` shows its progress.

                $ userctl show bigswan571
                No users yet: the first sync is running.
                `userctl status` shows its progress.

                $ userctl status
                Users
                  Phase     syncing
                  Since     3 min ago
                  Progress  6 of 13
                  Cached    0 users
                  Synced    never

                Facts
                  Phase     syncing
                  Since     3 min ago
                  Progress  3 of 6
                  Cached    0 facts
                  Synced    never

                userd 1.0.0, started 2 h ago

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

                userd 1.0.0, started 2 h ago

                """)
    }

    @Test("A failed first sync is reported with advice, on 20 columns, too")
    func error20() {
        #expect(
            drawn(.error, 20) == """
                $ userctl list
                No users yet: the
                first sync failed.
                `userctl status`
                says why; `userctl
                retry` tries again.

                $ userctl show
                bigswan571
                No users yet: the
                first sync failed.
                `userctl status`
                says why; `userctl
                retry` tries again.

                $ userctl status
                Users
                  Phase      error
                  Since
                    3 min ago
                  Cached     0 users
                  Synced     never
                  Failure
                    upstream.example
                    can't be found
                    (offline, 3
                    attempts)
                  Next sync  in 42 s

                Facts
                  Phase      error
                  Since
                    3 min ago
                  Cached     0 facts
                  Synced     never
                  Failure
                    upstream.example
                    can't be found
                    (offline, 3
                    attempts)
                  Next sync  in 42 s

                userd 1.0.0, started
                2 h ago

                """)
    }

    @Test("Failures are coloured")
    func error80InColour() {
        #expect(
            drawn(.error, 80, colour: true) == """
                \u{1B}[2m$ userctl list\u{1B}[0m
                \u{1B}[31mNo users yet: the first sync failed.\u{1B}[0m
                `userctl status` says why; `userctl retry` tries again.

                \u{1B}[2m$ userctl show bigswan571\u{1B}[0m
                \u{1B}[31mNo users yet: the first sync failed.\u{1B}[0m
                `userctl status` says why; `userctl retry` tries again.

                \u{1B}[2m$ userctl status\u{1B}[0m
                \u{1B}[1mUsers\u{1B}[0m
                  \u{1B}[2mPhase\u{1B}[0m      \u{1B}[31merror\u{1B}[0m
                  \u{1B}[2mSince\u{1B}[0m      3 min ago
                  \u{1B}[2mCached\u{1B}[0m     0 users
                  \u{1B}[2mSynced\u{1B}[0m     \u{1B}[33mnever\u{1B}[0m
                  \u{1B}[2mFailure\u{1B}[0m    \u{1B}[31mupstream.example can't be found (offline, 3 attempts)\u{1B}[0m
                  \u{1B}[2mNext sync\u{1B}[0m  in 42 s

                \u{1B}[1mFacts\u{1B}[0m
                  \u{1B}[2mPhase\u{1B}[0m      \u{1B}[31merror\u{1B}[0m
                  \u{1B}[2mSince\u{1B}[0m      3 min ago
                  \u{1B}[2mCached\u{1B}[0m     0 facts
                  \u{1B}[2mSynced\u{1B}[0m     \u{1B}[33mnever\u{1B}[0m
                  \u{1B}[2mFailure\u{1B}[0m    \u{1B}[31mupstream.example can't be found (offline, 3 attempts)\u{1B}[0m
                  \u{1B}[2mNext sync\u{1B}[0m  in 42 s

                \u{1B}[2muserd 1.0.0, started 2 h ago\u{1B}[0m

                """)
    }

    @Test("On 80 columns the widest cells of the table are cut")
    func loaded80() {
        #expect(
            drawn(.loaded, 80) == #"""
                $ userctl list
                Name                                 Email        Phone       City      Nat  Age
                Nichols, Jennie                      jennie.nic…  (272) 790…  Billings  US    33
                Ng
                \#u{2068}علیزاده, آدرینا\#u{2069}                                               \#u{2068}کرمان\#u{2069}     IR
                \#u{2068}בן־דוד, נועה\#u{2069}                                                  \#u{2068}תל אביב\#u{2069}   IL
                Ґжицький, Світогор                                (067) P51…            UA
                髙橋, 花子                           hanako@exa…              東京      JP
                श्रीवास्तव, क्षितिज                                              मुंबई       IN
                เพ็ชรรัตน์, กัญญ์                                                  เชียงใหม่   TH
                O’Neill 🏳️‍🌈, Zoë 👩🏽‍🚀                                                      IE
                A\#u{30A}ngstro\#u{308}m , Jose\#u{301}                                                         ES
                "O'Brien", & <Sons>\u{A}, \u{1B}[3…  o'brien@ex…                        IE
                \u{1B}]0;owned\u{1B}\\u{D}\u{8}Eve…               \u{9B}1m
                hausenbergerdorffhausenbergerdorff…

                $ userctl show bigswan571
                Ms Jennie Nichols
                  Email        jennie.nichols@example.com
                  Phone        (272) 790-0888
                  Cell         (489) 330-2385
                  Username     bigswan571
                  Born         1992-03-08, 33 years old
                  Gender       female
                  Nationality  US
                  Street       8929 Valwood Pkwy
                  City         06310 Billings
                  State        Michigan
                  Country      United States
                  Coordinates  -69.8246, 134.8719
                  Time zone    UTC+9:30
                  Registered   2007-07-09
                  Picture      https://mock.invalid/jennie.large.png
                  ID           sample-full

                $ userctl status
                Users
                  Phase      loaded
                  Since      3 min ago
                  Cached     13 users
                  Synced     3 min ago
                  Next sync  in 12 min

                Facts
                  Phase      loaded
                  Since      3 min ago
                  Cached     6 facts
                  Synced     3 min ago
                  Next sync  in 12 min

                userd 1.0.0, started 2 h ago

                """#)
    }

    @Test("On 120 columns more cells fit")
    func loaded120() {
        let list = drawn(.loaded, 120).split(separator: "\n\n")[0]
        #expect(
            list == #"""
                $ userctl list
                Name                                                      Email                       Phone           City      Nat  Age
                Nichols, Jennie                                           jennie.nichols@example.com  (272) 790-0888  Billings  US    33
                Ng
                \#u{2068}علیزاده, آدرینا\#u{2069}                                                                                       \#u{2068}کرمان\#u{2069}     IR
                \#u{2068}בן־דוד, נועה\#u{2069}                                                                                          \#u{2068}תל אביב\#u{2069}   IL
                Ґжицький, Світогор                                                                    (067) P51-8406            UA
                髙橋, 花子                                                hanako@example.com                          東京      JP
                श्रीवास्तव, क्षितिज                                                                                      मुंबई       IN
                เพ็ชรรัตน์, กัญญ์                                                                                          เชียงใหม่   TH
                O’Neill 🏳️‍🌈, Zoë 👩🏽‍🚀                                                                                              IE
                A\#u{30A}ngstro\#u{308}m , Jose\#u{301}                                                                                                 ES
                "O'Brien", & <Sons>\u{A}, \u{1B}[31mRed\u{202E}           o'brien@example.com                                   IE
                \u{1B}]0;owned\u{1B}\\u{D}\u{8}Eve\u{2066}\u{202E}, \u{…                              \u{9B}1m
                hausenbergerdorffhausenbergerdorffhausenbergerdorffhaus…
                """#)
    }

    @Test("In a C locale the output is ASCII, and columns still line up")
    func ascii() {
        let list = drawn(.loaded, 80, .ascii).split(separator: "\n\n")[0]
        #expect(
            list == #"""
                $ userctl list
                Name                                 Email        Phone       City      Nat  Age
                Nichols, Jennie                      jennie.n...  (272) 7...  Billings  US    33
                Ng
                \u{639}\u{644}\u{6CC}\u{632}\u{6...                           \u{6A...  IR
                \u{5D1}\u{5DF}\u{5BE}\u{5D3}\u{5...                           \u{5E...  IL
                \u{490}\u{436}\u{438}\u{446}\u{4...               (067) P...            UA
                \u{9AD9}\u{6A4B}, \u{82B1}\u{5B50}   hanako@e...              \u{67...  JP
                \u{936}\u{94D}\u{930}\u{940}\u{9...                           \u{92...  IN
                \u{E40}\u{E1E}\u{E47}\u{E0A}\u{E...                           \u{E4...  TH
                O'Neill \u{1F3F3}\u{FE0F}\u{200D...                                     IE
                A\u{30A}ngstro\u{308}m , Jose\u{...                                     ES
                "O'Brien", & <Sons>\u{A}, \u{1B}...  o'brien@...                        IE
                \u{1B}]0;owned\u{1B}\\u{D}\u{8}E...               \u{9B}1m
                hausenbergerdorffhausenbergerdor...
                """#)
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
