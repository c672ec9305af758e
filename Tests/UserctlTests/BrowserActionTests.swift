import Model
import Testing
import UserdAPI

@testable import UserctlCommands

@Suite("The actions of browse and pick on a user")
struct BrowserActionTests {
    private static func actions(_ browsing: Browsing) -> [Browser.Action] {
        browsing.effects.compactMap { if case .act(let action) = $0 { action } else { nil } }
    }

    @Test(
        "Letters act on the whole card, on a screen of any size, and search in the list",
        arguments: [60, 120])
    func letters(columns: Int) throws {
        var browsing = Browsing.begun([anna, wei], columns: columns)
        browsing.press(.text("y"))
        #expect(Self.actions(browsing).isEmpty && browsing.lines[0].hasPrefix("Search: y"))
        browsing.press(.backspace, .enter)
        #expect(!browsing.screen.contains(wei.name.last))
        browsing.press(.text("y"), .text("t"), .text("m"), .text("v"))
        let (address, number) = (anna.email ?? "", anna.phone ?? "")
        let mail = try #require(ActionAddress.mail(to: address))
        #expect(
            Self.actions(browsing) == [
                .copy(address, named: address), .copy(number, named: number), .open(mail), .save(anna),
            ])
        browsing.send(.done("saved"))
        #expect(browsing.lines.last?.contains("saved") == true)
        browsing.press(.escape)
        #expect(browsing.screen.contains(wei.name.last))
    }

    @Test("Without an address or a number nothing is copied, and nobody is written to")
    func withoutAddress() {
        var nobody = wei
        (nobody.email, nobody.emails) = (nil, nil)
        var browsing = Browsing.begun([nobody])
        browsing.press(.enter)
        for (letter, message) in [
            ("m", "no email"), ("c", "no phone"), ("y", "no address"), ("t", "no telephone number"),
        ] {
            browsing.press(.text(letter))
            #expect(Self.actions(browsing).isEmpty)
            #expect(browsing.lines.last?.contains(message) == true)
        }
    }

    @Test("t copies the mobile number of a user without another, and Ctrl-Y copies the address from the list")
    func otherSources() {
        var user = anna
        user.phone = nil
        var browsing = Browsing.begun([user])
        browsing.press(.control("y"), .enter, .text("t"))
        let (address, number) = (anna.email ?? "", anna.cell ?? "")
        #expect(
            Self.actions(browsing) == [.copy(address, named: address), .copy(number, named: number)])
    }

    @Test("Control characters are not copied: pasted into a shell, a line end would run a command")
    func hostileAddress() {
        var user = wei
        user.email = "a@example.com\nrm -r x\n"
        var browsing = Browsing.begun([user])
        browsing.press(.enter, .text("y"))
        guard case .copy(let text, _)? = Self.actions(browsing).last else {
            Issue.record("nothing was copied")
            return
        }
        #expect(text == #"a@example.com\u{A}rm -r x\u{A}"#)
    }

    @Test("Enter chooses a user that the first search found, and Esc leaves")
    func choosing() {
        var browsing = Browsing([anna, wei], .choosing, query: wei.name.last)
        browsing.answer()
        #expect(browsing.place == "1 of 1")
        browsing.press(.enter)
        #expect(browsing.effects.last == .leave(.chosen([wei])))
        browsing.press(.escape, .escape)
        #expect(browsing.effects.last == .leave(.done))
    }

    @Test("One picture is requested at a time, for the user who is selected then")
    func pictures() {
        var users = numbered(1...3)
        for index in users.indices { users[index].picture = anna.picture }
        var browsing = Browsing(users, columns: 120, drawsPictures: true)
        browsing.answer()
        var asked: [String] {
            browsing.effects.compactMap { if case .details(let user) = $0 { user.id } else { nil } }
        }
        #expect(anna.picture != nil && asked == ["id1"])
        browsing.press(.down, .down)
        #expect(asked == ["id1"])
        browsing.send(.details(of: "id1", CardDetails()))
        #expect(asked == ["id1", "id3"])
        browsing.send(.details(of: "id3", CardDetails()))
        browsing.press(.text("u"))
        #expect(asked == ["id1", "id3"])
    }

    @Test("c shows the number and calls after Enter alone; the card stays open")
    func call() {
        var browsing = Browsing.begun([anna, wei])
        browsing.press(.enter, .text("c"))
        #expect(Self.actions(browsing).isEmpty)
        #expect(browsing.lines.last?.hasPrefix("Enter calls 0119627516, Dr Anna Bergström") == true)
        browsing.press(.escape)
        #expect(Self.actions(browsing).isEmpty && browsing.browser.showsCard)
        browsing.press(.enter, .enter, .text("c"), .enter)
        #expect(Self.actions(browsing).map(\.opened) == ["tel:0119627516"])
        browsing.press(.text("c"), .text("y"), .enter)
        #expect(Self.actions(browsing).compactMap(\.opened).count == 1)
    }

    @Test("o lists what can be opened for the user, and a digit opens it; a call still waits for Enter")
    func choice() throws {
        let chat = try UserAction("chat", "https://chat.example.org/{username}")
        let gone = try UserAction("office", "https://map.example.org/{office}")
        var browsing = Browsing([anna, wei], actions: [chat, gone] + UserAction.builtIn)
        browsing.answer()
        browsing.press(.enter, .text("o"))
        #expect(browsing.lines.last?.hasPrefix("1 chat  2 mail  3 call") == true)
        browsing.press(.text("1"))
        #expect(Self.actions(browsing).map(\.opened) == ["https://chat.example.org/lazyduck1"])
        browsing.press(.text("o"), .text("3"))
        #expect(Self.actions(browsing).count == 1)
        browsing.press(.enter, .text("o"), .text("9"))
        #expect(Self.actions(browsing).compactMap(\.opened).last == "tel:0119627516")
        #expect(browsing.browser.showsCard && Self.actions(browsing).count == 2)
        browsing.press(.down, .text("o"))
        #expect(browsing.lines.last?.hasPrefix("1 mail") == true)
    }

    @Test("o shows more actions than a line has room for, part by part", arguments: [20, 40, 80, 200])
    func choices(columns: Int) throws {
        let pages = try (1...20).map {
            try UserAction("\($0)" + String(repeating: "x", count: 28), "https://page.example.org/\($0)")
        }
        let all = UserAction.builtIn + pages
        var browsing = Browsing([anna], columns: columns, actions: all)
        browsing.answer()
        browsing.press(.enter)
        var opened: [String] = []
        while opened.count < all.count {
            // Each choice anew, by as many parts as lie before it.
            var (part, rest) = (0, opened.count)
            browsing.press(.text("o"))
            while let count = browsing.choices, rest >= count, part < all.count {
                (part, rest) = (part + 1, rest - count)
                #expect(columns < 40 || browsing.lines.last?.contains("  o more") == true)
                browsing.press(.text("o"))
            }
            browsing.press(.text("\(rest + 1)"))
            if browsing.browser.question != nil { browsing.press(.enter) }
            let addresses = Self.actions(browsing).compactMap(\.opened)
            try #require(addresses.count == opened.count + 1)
            opened = addresses
        }
        #expect(Array(opened.suffix(20)) == pages.compactMap(\.template?.text))
        #expect(opened.prefix(2) == ["mailto:anna@example.com", "tel:0119627516"])
    }

    @Test("An action that config.yaml removes is not opened")
    func removed() {
        var browsing = Browsing([anna], actions: [])
        browsing.answer()
        browsing.press(.enter)
        for (letter, words) in [
            ("m", "mail is turned off"), ("c", "call is turned off"), ("o", "lacks what"),
        ] {
            browsing.press(.text(letter))
            #expect(browsing.lines.last?.contains(words) == true)
        }
        #expect(Self.actions(browsing).isEmpty)
    }

    @Test("A hostile record makes no address, and no code that a telephone would dial")
    func hostileRecord() {
        var user = wei
        (user.email, user.phone) = ("javascript:alert(1)", "*21*0900#")
        var browsing = Browsing.begun([user])
        browsing.press(.enter, .text("m"), .text("c"), .enter, .enter, .text("o"), .text("1"))
        #expect(Self.actions(browsing).isEmpty)
    }

    @Test("browse can start with a user's card, above the search that finds the user")
    func firstCard() {
        var browsing = Browsing([anna, wei], query: wei.name.last, card: wei.id)
        browsing.answer()
        #expect(browsing.browser.showsCard && browsing.browser.selected == wei)
        browsing.press(.escape, .escape)
        #expect(!browsing.browser.showsCard && browsing.browser.query == "")
        var other = Browsing([anna, wei], query: anna.name.last, card: wei.id)
        other.answer()
        #expect(!other.browser.showsCard)
    }
}

extension Browsing {
    /// The number of actions that the line shows.
    fileprivate var choices: Int? {
        guard case .which(let choices, _)? = browser.question else { return nil }
        return Browser.Question.shown(choices, width: browser.size.columns).count
    }
}

extension Browser.Action {
    /// The address that it opens.
    fileprivate var opened: String? { if case .open(let address) = self { address.text } else { nil } }
}
