import Model
import Synchronization
import TerminalViews
import TestSupport
import Testing
import UserdAPI
import Varlink

@testable import UserctlCommands

@Suite("The screen of reports and managers in browse")
struct BrowserStepsScreenTests {
    private static func people(_ name: String = "Keller") -> [User] {
        [
            User(id: "1", name: .init(first: "Anna", last: name)) { $0.manager = .init(id: "2") },
            User(id: "2", name: .init(first: "Max", last: name)) { $0.manager = .init(id: "3", name: name) },
        ]
    }

    /// Lists the managers of the first user.
    private static func begun(columns: Int, rows: Int = 8, _ users: [User] = people()) -> Browsing {
        var browsing = Browsing.begun(users, columns: columns, rows: rows)
        browsing.press(.left)
        browsing.answer()
        return browsing
    }

    @Test("The top line says whose managers or reports these are, and has no cursor")
    func top() {
        var browsing = Self.begun(columns: 40)
        #expect(browsing.lines[0] == "Managers of Anna Keller           1 of 1")
        #expect(BrowserScreen(browser: browsing.browser, clock: clock).cursor == nil)
        browsing.press(.right)
        browsing.answer()
        #expect(browsing.lines[0] == "Reports of Max Keller             1 of 1")
        browsing.press(.text("x"))
        #expect(browsing.lines[0] == "Search: x                         1 of 1")
        #expect(BrowserScreen(browser: browsing.browser, clock: clock).cursor?.column == 9)
    }

    @Test("A long name is cut, and a narrow screen has a sign in place of the words")
    func cut() {
        var browsing = Self.begun(columns: 20)
        #expect(browsing.lines[0] == "< Anna Kell…  1 of 1")
        let screen = BrowserScreen(browser: browsing.browser, clock: clock, charset: .ascii)
        let line = render(screen, width: 20, colour: false, charset: .ascii).prefix { $0 != "\n" }
        #expect(line == "< Anna Ke...  1 of 1")
        browsing.press(.right)
        browsing.answer()
        #expect(browsing.lines[0] == "> Max Keller  1 of 1")
        #expect(
            Self.begun(columns: 40, Self.people("von Hohenstein-Bergström")).lines[0]
                == "Managers of Anna von Hohenstein…  1 of 1")
    }

    @Test("The screen fits a terminal of any size")
    func sizes() {
        for columns in [1, 7, 8, 12, 20, 39, 40, 59, 60, 79, 80, 132] {
            for rows in [1, 2, 3, 5, 8, 24, 26, 60] {
                let users = Self.people("王王王王王王王王王王王")
                var browsing = Self.begun(columns: columns, rows: rows, users)
                for key in [Key.enter, .right, .right, .help] {
                    browsing.press(key)
                    browsing.answer()
                    let lines = browsing.lines
                    #expect(lines.count == rows, "\(columns)×\(rows)")
                    let widest = lines.map { $0.displayWidth }.max() ?? 0
                    #expect(widest <= max(columns, 8), "\(columns)×\(rows): \(lines)")
                }
            }
        }
    }

    @Test("Control characters of names are escaped on the top line and in what the bottom line says")
    func hostile() {
        let evil = "\u{1B}]52;c;x\u{7}\u{1B}[2J\u{9B}31m\u{202E}\r\n\u{0}"
        for columns in [20, 60, 200] {
            var browsing = Self.begun(columns: columns, Self.people(evil))
            #expect(browsing.lines[0].contains(columns == 20 ? "< Anna" : "Managers of Anna"))
            for key in [Key.left, .right, .right, .escape, .escape] {
                browsing.press(key)
                browsing.answer()
                let controls = browsing.screen.unicodeScalars.filter {
                    $0 != "\n" && ($0.properties.generalCategory == .control || $0 == "\u{202E}")
                }
                #expect(controls.isEmpty, "\(key)")
            }
        }
    }

    @Test(
        "After random keys and events, only reports and managers have a way back, and it ends at the search",
        arguments: 1...UInt64(Volume.randomInputs / 6))
    func anything(seed: UInt64) {
        func tree(_ count: Int) -> [User] {
            var users = numbered(1...count)
            for index in users.indices.dropFirst() {
                users[index].manager = .init(id: "id\((index + 1) / 2)")
            }
            return users
        }
        var random = SeededRandom(seed: seed)
        var browsing = Browsing(tree(300))
        browsing.send(.connected)
        browsing.answer()
        let keys: [Key] = [
            .left, .left, .right, .right, .right, .down, .end, .escape, .backspace, .enter, .text("u"),
            .control("u"), .tab,
        ]
        for step in 0..<150 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0...4: browsing.press(keys.randomElement(using: &random) ?? .up)
            case 5: browsing.elapse()
            case 6: browsing.answer(atMost: 1)
            case 7: browsing.commit(tree(.random(in: 1...600, using: &random)), second: step)
            case 8: browsing.send(Bool.random(using: &random) ? .lost : .connected)
            default: browsing.answer()
            }
            let browser = browsing.browser
            #expect(browsing.lines.count == 8)
            if !browser.path.isEmpty {
                #expect(browser.list?.subject.user != nil && browser.query.isEmpty)
                #expect(browser.path.first?.list.subject.user == nil)
            }
        }
        browsing.send(.connected)
        browsing.answer()
        browsing.press(.text("u"), .control("u"))
        browsing.elapse()
        browsing.answer()
        #expect(browsing.browser.path.isEmpty)
        #expect(browsing.place.hasSuffix("of \(browsing.users.count)"))
    }

    // MARK: Asking userd

    /// - Returns: the answer to a request for the managers of Anna.
    private func asked(
        _ answer: @escaping UserdClient.Call<ListManagers, ManagerChain>
    ) async -> Browser.Event? {
        let event = Mutex<Browser.Event?>(nil)
        var userd = UserdClient.untouched
        userd.listManagers = answer
        let console = Console(
            environment: ["USERD_SOCKET": "/s"], clock: clock, sleep: { _ in },
            output: .init(send: { _ in }), errors: .init(send: { _ in }), userd: { _ in .untouched })
        let client = BrowseClient(
            connect: { [userd] in UserdOrCache(client: userd, database: nil, clock: clock) },
            console: console, post: { posted in event.withLock { $0 = posted } })
        let list = BrowsedList(generation: 1, .managers(of: Self.people()[0]))
        await client.answer(
            AsyncStream { requests in
                requests.yield(.fetch(list.fetch(.front, page: 0)))
                requests.finish()
            })
        return event.withLock { $0 }
    }

    @Test("userd is asked for the managers by the user's id")
    func managers() async {
        let users = Self.people()
        let event = await asked { query in
            #expect(query.key == "1")
            let chain = ManagerChain(
                user: users[0], managers: [users[1]], end: .absent, named: true,
                freshness: Freshness(phase: .loaded, syncedAt: noon, age: 1, stale: false))
            return try RawReply(chain, to: .listManagers)
        }
        guard case .page(let list, let fetch, .daemon, false, _)? = event else {
            Issue.record("\(String(describing: event))")
            return
        }
        #expect(list.users == [users[1]] && list.total == 1 && list.next == nil)
        #expect(list.freshness.syncedAt == noon && fetch.generation == 1)
    }

    @Test(
        "A userd of an earlier version, and a user who has left, are told in plain words",
        arguments: [
            (
                VarlinkError.methodNotFound("io.userd.ListManagers"),
                "this userd is of an earlier version, which does not list managers; restart it"
            ),
            (
                VarlinkError.methodNotImplemented("io.userd.ListManagers"),
                "this userd is of an earlier version, which does not list managers; restart it"
            ),
            (UserdError.notFound(key: "1"), "Anna Keller is no longer among the users"),
        ] as [(any Error, String)])
    func refused(error: any Error, message: String) async {
        let event = await asked { _ in throw error }
        guard case .failed(_, let failure, false)? = event else {
            Issue.record("\(String(describing: event))")
            return
        }
        #expect(failure.lines == [message])
    }
}
