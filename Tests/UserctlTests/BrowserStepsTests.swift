import Model
import Testing
import UserdAPI

@testable import UserctlCommands

@Suite("Reports and managers in browse")
struct BrowserStepsTests {
    @Test("Right lists the selected user's reports in the order of names, Left the managers, nearest first")
    func steps() {
        var browsing = Browsing.begun(at: "Keller")
        browsing.press(.right)
        browsing.expect("Search:", allStaff, at: "Keller")
        browsing.answer()
        browsing.expect("Reports of Anna Keller", ["Ek", "Orth"], at: "Ek")
        let query = browsing.asked.last?.query
        #expect(query?.manager == "Keller" && query?.search == nil && query?.order == nil)
        browsing.press(.down, .right)
        browsing.answer()
        browsing.expect("Reports of Carl Orth", ["Pohl"], at: "Pohl")
        browsing.press(.left)
        browsing.answer()
        browsing.expect("Managers of Dora Pohl", ["Orth", "Keller", "Muster"], at: "Orth")
        browsing.press(.end, .right)
        browsing.answer()
        browsing.expect("Reports of Max Muster", ["Keller"], at: "Keller")
    }

    @Test("Esc and Backspace go back list by list, without a request, and the same users are selected")
    func back() {
        var browsing = Browsing.begun(at: "Keller")
        for keys in [[Key.right], [.down, .right], [.left]] {
            for key in keys { browsing.press(key) }
            browsing.answer()
        }
        browsing.forgetAsked()
        browsing.press(.down, .escape)
        browsing.expect("Reports of Carl Orth", ["Pohl"], at: "Pohl")
        browsing.press(.backspace)
        browsing.expect("Reports of Anna Keller", ["Ek", "Orth"], at: "Orth")
        // Nothing is typed that these could delete.
        browsing.press(.control("u"), .deleteWord)
        browsing.expect("Reports of Anna Keller", ["Ek", "Orth"], at: "Orth")
        browsing.press(.escape)
        browsing.expect("Search:", allStaff, at: "Keller")
        #expect(browsing.asked.isEmpty)
        #expect(!browsing.effects.contains(.leave(.done)))
        browsing.press(.escape)
        #expect(browsing.effects.last == .leave(.done))
    }

    @Test("The search is there again after the way back, and is cleared by the next Esc")
    func backToSearch() {
        var browsing = Browsing.begun(at: "Ek")
        browsing.type("ke")
        browsing.answer()
        browsing.press(.right)
        browsing.answer()
        browsing.expect("Reports of Anna Keller", ["Ek", "Orth"], at: "Ek")
        browsing.press(.escape)
        browsing.expect("Search: ke", ["Keller"], at: "Keller")
        browsing.press(.escape)
        browsing.elapse()
        browsing.answer()
        browsing.expect("Search:", allStaff, at: "Ek")
    }

    @Test("The way back has a limit, and ends at the search")
    func limit() {
        var browsing = Browsing.begun(at: "Keller")
        for _ in 0..<75 {
            for key in [Key.left, .right] {
                browsing.press(key)
                browsing.answer()
            }
        }
        browsing.expect("Reports of Max Muster", ["Keller"], at: "Keller")
        var count = 0
        while !browsing.lines[0].hasPrefix("Search:"), count < 200 {
            browsing.press(.escape)
            count += 1
        }
        #expect(count == 100)
        browsing.expect("Search:", allStaff, at: "Keller")
    }

    @Test("If there are no reports or managers, the bottom line says so, and the list stays")
    func nobody() {
        var browsing = Browsing.begun(at: "Ek")
        for (name, key, notice) in [
            ("Ek", .right, "Bea Ek has no reports"), ("Muster", .left, "Max Muster has no manager"),
        ] as [(String, Key, String)] {
            while browsing.browser.selected?.id != name { browsing.press(.down) }
            browsing.press(key)
            browsing.answer()
            browsing.expect("Search:", allStaff, at: name)
            #expect(browsing.lines.last?.hasPrefix(notice + " ") == true)
            browsing.press(.home)
            #expect(browsing.lines.last?.hasPrefix("loaded ") == true)
        }
        // There is nothing to go back to.
        browsing.press(.escape)
        #expect(browsing.effects.last == .leave(.done))
    }

    @Test("A manager who is not among the users is named, and a directory without managers is told")
    func absent() {
        func notice(_ manager: User.Manager?) -> String {
            var users = [anna, wei]
            users[0].manager = manager
            var browsing = Browsing.begun(at: anna.id, columns: 120, users: users)
            browsing.press(.left)
            browsing.answer()
            browsing.expect("Search:", users.map(\.id), at: anna.id)
            let line = browsing.lines.last ?? ""
            return String(line[..<(line.firstRange(of: "  ")?.lowerBound ?? line.endIndex)])
        }
        let named = "Dr Anna Bergström's manager Max Muster is not among the users"
        #expect(notice(.init(id: "m", name: "Max Muster")) == named)
        #expect(notice(.init(id: "CN=Max Muster,DC=example")) == named)
        #expect(notice(nil) == "upstream sent no managers")
        let chain = ManagerChain(
            user: anna, managers: [], end: .absent, named: true,
            freshness: Freshness(phase: .loaded, syncedAt: nil, age: nil, stale: false))
        #expect(chain.whyEmpty == "Dr Anna Bergström's manager is not among the users")
    }

    @Test("A letter starts a search among all users, and there is no way back")
    func typing() {
        var browsing = Browsing.begun(at: "Keller")
        browsing.press(.right)
        browsing.answer()
        browsing.type("p")
        let query = browsing.asked.last?.query
        #expect(query?.search == "p" && query?.manager == nil)
        browsing.answer()
        browsing.expect("Search: p", ["Pohl"], at: "Pohl")
        browsing.press(.escape)
        browsing.elapse()
        browsing.answer()
        browsing.expect("Search:", allStaff, at: "Ek")
        browsing.press(.escape)
        #expect(browsing.effects.last == .leave(.done))

        // The same if the letter is deleted before the search starts.
        browsing = Browsing.begun(at: "Keller")
        browsing.press(.right)
        browsing.answer()
        browsing.press(.text("p"), .backspace)
        browsing.elapse()
        browsing.answer()
        browsing.expect("Search:", allStaff, at: "Ek")
    }

    @Test("The whole card is closed by a step, and by the way back")
    func card() {
        var browsing = Browsing.begun(at: "Keller")
        for (key, top, selected) in [
            (.right, "Reports of Anna Keller", "Ek"), (.left, "Managers of Bea Ek", "Keller"),
        ] as [(Key, String, User.ID)] {
            browsing.press(.enter)
            #expect(browsing.browser.showsCard)
            browsing.press(key)
            browsing.answer()
            #expect(!browsing.browser.showsCard)
            #expect(browsing.lines[0].hasPrefix(top) && browsing.browser.selected?.id == selected)
        }
        browsing.press(.enter, .escape)
        #expect(!browsing.browser.showsCard && browsing.lines[0].hasPrefix("Managers of Bea Ek"))
        browsing.press(.escape)
        browsing.expect("Reports of Anna Keller", ["Ek", "Orth"], at: "Ek")
    }

    @Test("Marks stay on the way and back, and Enter chooses them", arguments: [false, true])
    func marks(goesBack: Bool) {
        var browsing = Browsing.begun(at: "Keller", .choosingSeveral)
        browsing.press(.tab, .up, .right)
        browsing.answer()
        browsing.press(.end, .tab)
        #expect(browsing.lines.last?.contains("2 marked") == true)
        if goesBack {
            browsing.press(.escape)
            #expect(browsing.lines.last?.contains("2 marked") == true)
        }
        browsing.press(.enter)
        #expect(browsing.effects.last == .leave(.chosen([staff[1], staff[3]])))
    }

    @Test("Enter chooses a report or a manager", arguments: [(.right, 0), (.left, 2)] as [(Key, Int)])
    func choosing(key: Key, index: Int) {
        var browsing = Browsing.begun(at: "Keller", .choosing)
        browsing.press(key)
        browsing.answer()
        browsing.press(.enter)
        #expect(browsing.effects.last == .leave(.chosen([staff[index]])))
    }

    @Test("Many reports are read by pages, from both ends")
    func pages() {
        var users = numbered(1...1201)
        for index in 1...1200 { users[index].manager = .init(id: "id1") }
        var browsing = Browsing.begun(at: "id1", users: users)
        browsing.press(.right)
        browsing.answer()
        #expect(browsing.place == "1 of 1,200" && browsing.chosen == "User000002,")
        browsing.press(.end)
        browsing.answer()
        #expect(browsing.chosen == "User001201,")
        #expect(browsing.asked.suffix(2).map(\.end) == [.front, .back])
        #expect(browsing.asked.suffix(2).map(\.query.manager) == ["id1", "id1"])
    }
}
