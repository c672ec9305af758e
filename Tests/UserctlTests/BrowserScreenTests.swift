import Model
import TerminalViews
import Testing
import UserdAPI

@testable import UserctlCommands

@Suite struct BrowserScreenTests {
    @Test("On a wide terminal, the card is beside the list")
    func wide() {
        #expect(
            Browsing.begun([anna, wei], columns: 100, rows: 12).screen == """
                Search:                                                                                       1 of 2
                   Name                   Email                   Nat  Dr Anna Bergström
                >  Bergström, Anna        anna@example.com        SE     Email        anna@example.com
                   王 伟                  wei@example.com         CN     Phone        011-962-7516
                                                                         Cell         081-454-0666
                                                                         Username     lazyduck1
                                                                         Born         1990-07-20, 35 years old
                                                                         Gender       female
                                                                         Nationality  SE
                                                                         Street       8 Storgatan
                                                                         City         00217 Malmö
                loaded  2 users, synced 3 min ago                                                            F1 help

                """)
    }

    @Test("On a tall terminal, the card is below the list")
    func high() {
        #expect(
            Browsing.begun([anna, wei], columns: 44, rows: 26).screen == """
                Search:                               1 of 2
                   Name
                >  Bergström, Anna
                   王 伟









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
                loaded  2 users, synced 3 min ago

                """)
    }

    @Test("On a small terminal, either the list or the card is shown")
    func small() {
        var browsing = Browsing.begun([anna, wei], columns: 20, rows: 5)
        #expect(
            browsing.screen == """
                /             1 of 2
                >  Bergström, Anna
                   王 伟

                loaded  2 users, sy…

                """)
        browsing.press(.enter)
        #expect(
            browsing.screen == """
                /             1 of 2
                Dr Anna Bergström
                  Email
                    anna@example.com
                loaded  2 users, sy…

                """)
    }

    @Test("The screen says that users are being read, or that there are none")
    func empty() {
        var browsing = Browsing([], rows: 5)
        #expect(
            browsing.screen == """
                Search:
                Reading the users…


                asking userd…                                        F1 help

                """)
        browsing.answer()
        browsing.type("x")
        browsing.answer()
        #expect(
            browsing.screen == """
                Search: x
                No users match.


                asking userd…                                        F1 help

                """)
    }

    @Test("The help of browse lists the keys")
    func keys() {
        var browsing = Browsing.begun([anna, wei], columns: 70, rows: 23)
        browsing.press(.help)
        #expect(
            browsing.screen == """
                Search:                                                         1 of 2
                Keys
                  any letter          search
                  Up, Down            previous or next user
                  Left, Right         the user's managers or reports
                  Page Up, Page Down  previous or next screen
                  Home, End           first or last user
                  Enter               show the whole card, or the list again
                  Tab, Shift-Tab      mark, and go to the next or previous user
                  on the card: y      copy the address, or those of all marked users
                  on the card: t      copy the telephone number
                  on the card: m      write a mail
                  on the card: c      call, after Enter
                  on the card: o      choose by number what to open; again for more
                  on the card: v      save as a vCard in this folder
                  Ctrl-Y              the same as y, also in the list
                  Ctrl-G              groups, rooms and others too, or persons alone
                  Ctrl-W, Ctrl-U      delete a word, or all
                  Ctrl-R              sync the users
                  Ctrl-Z              suspend; `fg` resumes
                  Esc                 go back, clear the search, the marks, then leave
                  Ctrl-C              leave
                loaded  2 users, synced 3 min ago                              F1 help

                """)
    }

    @Test(
        "The bottom line shows the state of the users",
        arguments: [
            (loadedUsers, "loaded  5,000 users, synced 3 min ago"),
            (
                failedUsers,
                "error  connection refused (offline, 3 attempts); next attempt in 42 s; 5,000 users, synced 3 h ago, stale"
            ),
            (syncingUsers, "syncing  1,200 of 5,000; 4,000 users, synced 3 min ago"),
            (state(.users, .initial), "initial  0 users, never synced"),
        ])
    func bottom(_ state: State, _ line: String) {
        var browsing = Browsing.begun([anna, wei], columns: 140)
        browsing.send(.state(state))
        #expect(browsing.lines.last?.hasPrefix(line + "  ") == true, "\(browsing.lines.last ?? "")")
    }

    @Test("With a directory connected, the job title and department come after the address")
    func work() {
        var user = anna
        (user.jobTitle, user.department, user.nationality) = ("Editor", "Editing", nil)
        let headings = Browsing.begun([user], columns: 160).lines[1]
        #expect(headings.contains(#/^ +Name +Email +Job title +Department +[A-Z]/#), "\(headings)")
        #expect(!headings.contains("Nat"))
    }

    @Test("Users who have not been read yet have a line, too")
    func unread() {
        var browsing = Browsing.begun(numbered(1...2000), rows: 9)
        browsing.press(.end)
        #expect(
            browsing.screen == """
                Search:                                       2,000 of 2,000
                   Name                          Email                   Age
                   …
                   …
                   …
                   …
                   …
                >  …
                loaded  2,000 users, synced 3 min ago                F1 help

                """)
    }

    @Test("The end of a long search is shown, with the cursor after it")
    func longSearch() {
        var browsing = Browsing.begun([anna], columns: 40, rows: 5)
        #expect(
            BrowserScreen(browser: browsing.browser, clock: clock).cursor.map { [$0.row, $0.column] } == [
                0, 8,
            ])
        browsing.press(.text("王" + String(repeating: "x", count: 25) + "yz"))
        #expect(browsing.lines[0] == "Search: xxxxxxxxxxxxxxxxxxxxxyz   1 of 1")
        let cursor = BrowserScreen(browser: browsing.browser, clock: clock).cursor
        #expect(cursor?.column == 31)
    }

    @Test("The screen fits a terminal of any size")
    func sizes() {
        for columns in [1, 7, 8, 12, 20, 39, 40, 59, 60, 79, 80, 81, 132, 500] {
            for rows in [1, 2, 3, 4, 5, 7, 8, 9, 24, 25, 26, 27, 60] {
                var browsing = Browsing.begun(User.samples + [anna, wei], columns: columns, rows: rows)
                for key in [Key.down, .enter, .text("an"), .help] {
                    browsing.press(key)
                    let lines = browsing.lines
                    #expect(lines.count == rows, "\(columns)×\(rows)")
                    let widest = lines.map { $0.displayWidth }.max() ?? 0
                    #expect(widest <= max(columns, 8), "\(columns)×\(rows): \(lines)")
                }
            }
        }
    }

    @Test("Control characters of users, searches and failures are escaped on all screens")
    func hostile() {
        let evil = "\u{1B}]52;c;x\u{7}\u{1B}[2J\u{9B}31m\u{202E}\r\n\u{0}"
        let user = User(id: "1" + evil, name: .init(title: evil, first: evil, last: evil)) {
            $0.username = evil
            $0.email = evil
            $0.nationality = evil
            $0.address = .init { ($0.street, $0.city) = (evil, evil) }
            $0.picture = .init(large: evil)
        }
        var failed = failedUsers
        failed.failure?.reason = evil
        for (columns, rows) in [(20, 6), (60, 10), (60, 40), (120, 30)] {
            var browsing = Browsing.begun([user], columns: columns, rows: rows)
            browsing.send(.state(failed))
            for key in [Key.enter, .text("a" + evil), .help] {
                browsing.press(key)
                let controls = browsing.screen.unicodeScalars.filter {
                    $0 != "\n" && ($0.properties.generalCategory == .control || $0 == "\u{202E}")
                }
                #expect(controls.isEmpty)
            }
        }
    }

    @Test("Only changed lines are sent to the terminal")
    func frames() {
        var browsing = Browsing.begun([anna, wei], rows: 6)
        var frame = Frame(colour: false)
        func update() -> String {
            frame.update(to: BrowserScreen(browser: browsing.browser, clock: clock), columns: 60)
                .replacing("\u{1B}", with: "^")
        }
        #expect(
            update() == """
                ^[?25l^[?7l^[2J^[1;1H^[2KSearch:                                               1 of 2\
                ^[2;1H^[2K>  Bergström, Anna               anna@example.com        SE\
                ^[3;1H^[2K   王 伟                         wei@example.com         CN\
                ^[4;1H^[2K^[5;1H^[2K\
                ^[6;1H^[2Kloaded  2 users, synced 3 min ago                    F1 help^[?7h^[1;9H^[?25h
                """)
        #expect(update() == "")
        browsing.press(.down)
        #expect(
            update() == """
                ^[?25l^[?7l^[1;1H^[2KSearch:                                               2 of 2\
                ^[2;1H^[2K   Bergström, Anna               anna@example.com        SE\
                ^[3;1H^[2K>  王 伟                         wei@example.com         CN^[?7h^[1;9H^[?25h
                """)
        browsing.press(.text("x"))
        #expect(
            update() == """
                ^[?25l^[?7l^[1;1H^[2KSearch: x                                             2 of 2^[?7h^[1;10H^[?25h
                """)
        frame.forget()
        #expect(update().hasPrefix("^[?25l^[?7l^[2J^[1;1H"))
    }

    @Test("The selected user is highlighted as a bar")
    func bar() {
        let browsing = Browsing.begun([anna, wei], columns: 30, rows: 4)
        let screen = render(BrowserScreen(browser: browsing.browser, clock: clock), width: 30, colour: true)
        #expect(
            screen.split(separator: "\n")[1].replacing("\u{1B}", with: "^")
                == "^[7m>^[0m^[7m  ^[0m^[7mBergström, Anna^[0m^[7m            ^[0m")
    }
}

private let loadedUsers = state(.users, .loaded, count: 5000, syncedAt: time("04T11:57:00"))
private let syncingUsers = state(
    .users, .syncing, count: 4000, syncedAt: time("04T11:57:00"), progress: Progress(done: 1200, total: 5000))
