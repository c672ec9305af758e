import Model
import Testing
import UserdAPI

@testable import UserctlCommands

@Suite("Marked users in browse and pick")
struct BrowserMarksTests {
    private static func begun(_ users: [User], columns: Int = 60) -> Browsing {
        var browsing = Browsing(users, columns: columns, .choosingSeveral)
        browsing.answer()
        return browsing
    }

    @Test("Tab marks a user with a star and goes to the next, Shift-Tab to the previous, and both unmark")
    func marking() {
        var browsing = Self.begun(numbered(1...3))
        browsing.press(.tab)
        #expect(browsing.lines[2].hasPrefix(" * User000001, Ann"))
        #expect(browsing.lines[3].hasPrefix(">  User000002, Ann"))
        #expect(browsing.lines.last?.hasSuffix("1 marked  F1 help") == true)
        browsing.press(.backTab)
        #expect(browsing.lines[2].hasPrefix(">* User000001, Ann"))
        #expect(browsing.lines[3].hasPrefix(" * User000002, Ann"))
        #expect(browsing.lines[0].hasSuffix("* 1 of 3"))
        #expect(browsing.lines.last?.contains("2 marked") == true)
        browsing.press(.tab)
        #expect(browsing.lines[2].hasPrefix("   User000001, Ann"))
        #expect(browsing.lines.last?.contains("1 marked") == true)
    }

    @Test("Users whose ids are equal only to Unicode are marked one by one")
    func sameToUnicode() {
        let people = ["caf\u{e9}", "cafe\u{301}"].map { User(id: $0, name: .init(first: "A", last: "B")) }
        var browsing = Self.begun(people)
        browsing.press(.tab)
        #expect(browsing.lines.last?.contains("1 marked") == true)
        browsing.press(.tab)
        #expect(browsing.lines.last?.contains("2 marked") == true)
        browsing.press(.enter)
        #expect(browsing.effects.last == .leave(.chosen(people)))
    }

    @Test("Enter in pick chooses the marked users in the order of marking, also after other searches")
    func severalSearches() {
        var browsing = Self.begun([wei, anna] + numbered(1...3))
        browsing.type("ber")
        browsing.answer()
        browsing.press(.tab, .control("u"))
        browsing.type("王")
        browsing.answer()
        #expect(browsing.lines.last?.contains("1 marked") == true)
        browsing.press(.tab)
        browsing.type("xyz")
        browsing.answer()
        #expect(browsing.screen.contains("No users match."))
        browsing.press(.enter)
        #expect(browsing.effects.last == .leave(.chosen([anna, wei])))
    }

    @Test("The same keys, typed ahead, mark and choose the same users")
    func ahead() {
        var browsing = Browsing([wei, anna] + numbered(1...3), .choosingSeveral)
        browsing.press(.text("ber"), .tab, .control("u"), .text("王"), .tab, .enter)
        browsing.answer()
        #expect(browsing.effects.contains(.leave(.chosen([anna, wei]))))
    }

    @Test("Without marks Enter chooses the selected user")
    func single() {
        var browsing = Self.begun([anna, wei])
        browsing.press(.tab, .up, .tab, .enter)
        #expect(browsing.effects.last == .leave(.chosen([wei])))
    }

    @Test("Where one user is chosen, as by show, nothing is marked")
    func one() {
        var browsing = Browsing([anna, wei], .choosing)
        browsing.answer()
        browsing.press(.tab, .enter)
        #expect(browsing.effects.last == .leave(.chosen([anna])))
    }

    @Test("Esc clears the search, then the marks, then leaves")
    func escape() {
        var browsing = Self.begun([anna, wei])
        browsing.press(.tab)
        browsing.type("b")
        browsing.answer()
        browsing.press(.escape)
        #expect(browsing.lines.last?.contains("1 marked") == true)
        browsing.press(.escape)
        #expect(browsing.lines.last?.contains("marked") == false)
        #expect(!browsing.effects.contains(.leave(.done)))
        browsing.press(.escape)
        #expect(browsing.effects.last == .leave(.done))
    }

    @Test("y in browse copies the addresses of all marked users, and says how many have none")
    func copying() {
        var nobody = User(id: "id-nobody", name: .init(first: "No", last: "Body"))
        nobody.phone = "1"
        var browsing = Browsing.begun([anna, nobody, wei])
        browsing.press(.down, .down, .tab, .home, .tab, .control("y"))
        let both = "wei@example.com, anna@example.com"
        #expect(browsing.effects.last == .act(.copy(both, named: "2 addresses")))
        browsing.press(.tab, .enter, .text("y"))
        let name = "2 addresses (1 marked user without one)"
        #expect(browsing.effects.last == .act(.copy(both, named: name)))
        // The other keys act on the selected user.
        browsing.press(.text("m"))
        #expect(browsing.effects.last == ActionAddress.mail(to: "wei@example.com").map { .act(.open($0)) })
    }

    @Test("Marks stay when a sync changes the list")
    func synced() {
        var browsing = Browsing.begun(numbered(1...3))
        browsing.press(.tab)
        browsing.commit(numbered(1...4), second: 0)
        browsing.answer()
        #expect(browsing.lines[2].hasPrefix(" * User000001, Ann"))
        #expect(browsing.chosen == "User000002,")
    }

    @Test("A narrow screen shows the number of marks in place of the state")
    func narrow() {
        var browsing = Self.begun(numbered(1...3), columns: 20)
        browsing.press(.tab, .tab)
        #expect(browsing.lines.last == "2 marked")
    }
}
