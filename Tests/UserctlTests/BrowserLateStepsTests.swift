import Model
import Testing
import UserdAPI

@testable import UserctlCommands

@Suite("Reports and managers in browse that come late, or change")
struct BrowserLateStepsTests {
    @Test("A sync reloads the reports, and the selected user stays; the list before is reloaded later")
    func synced() {
        var browsing = Browsing.begun(at: "Keller")
        browsing.press(.right)
        browsing.answer()
        browsing.press(.down)
        browsing.commit([person("Eva", "Abt", under: "Keller")] + staff, second: 0)
        browsing.answer()
        browsing.expect("Reports of Anna Keller", ["Abt", "Ek", "Orth"], at: "Orth")
        browsing.press(.escape)
        browsing.answer()
        browsing.expect("Search:", ["Abt"] + allStaff, at: "Keller")
        #expect(!browsing.isWaiting)
    }

    @Test("A sync reloads the managers, in their order")
    func managersSynced() {
        var browsing = Browsing.begun(at: "Pohl")
        browsing.press(.left)
        browsing.answer()
        browsing.press(.end)
        browsing.commit(staff, second: 0)
        browsing.answer()
        browsing.expect("Managers of Dora Pohl", ["Orth", "Keller", "Muster"], at: "Muster")
        // Without the manager, the list is empty; the way back stays.
        var users = staff
        users[4].manager = nil
        browsing.commit(users, second: 1)
        browsing.answer()
        #expect(browsing.lines[1] == "Dora Pohl has no manager")
        browsing.press(.escape)
        browsing.answer()
        browsing.expect("Search:", allStaff, at: "Pohl")
    }

    @Test("Without its last report, a list says that there are none")
    func lastReport() {
        var browsing = Browsing.begun(at: "Orth")
        browsing.press(.right)
        browsing.answer()
        browsing.commit(Array(staff.dropLast()), second: 0)
        browsing.answer()
        #expect(browsing.lines[0].hasPrefix("Reports of Carl Orth"))
        #expect(browsing.lines[1] == "Carl Orth has no reports")
    }

    @Test("Right twice at once lists the reports of the first report")
    func twice() {
        var browsing = Browsing.begun(at: "Muster")
        browsing.press(.right, .right)
        browsing.answer()
        browsing.expect("Reports of Anna Keller", ["Ek", "Orth"], at: "Ek")
        browsing.press(.escape)
        browsing.expect("Reports of Max Muster", ["Keller"], at: "Keller")
    }

    @Test("Right after a search waits for its result")
    func afterSearch() {
        var browsing = Browsing.begun(at: "Ek")
        browsing.press(.text("ke"), .right)
        browsing.answer()
        browsing.expect("Reports of Anna Keller", ["Ek", "Orth"], at: "Ek")
    }

    @Test("A letter after Right is a search, also if the reports have not come yet")
    func letterAhead() {
        var browsing = Browsing.begun(at: "Ek")
        browsing.type("ke")
        browsing.answer()
        browsing.press(.right, .text("p"))
        browsing.answer()
        browsing.elapse()
        browsing.answer()
        browsing.expect("Search: p", ["Pohl"], at: "Pohl")
    }

    @Test("Enter after Right chooses nobody from the list before")
    func enterAhead() {
        var browsing = Browsing.begun(at: "Ek", .choosing)
        browsing.press(.right, .enter)
        browsing.answer()
        #expect(!browsing.effects.contains { if case .leave = $0 { true } else { false } })

        browsing = Browsing.begun(at: "Muster", .choosing)
        browsing.press(.right, .enter)
        browsing.source = .cache(path: "/c", because: "userd is not running")
        browsing.send(.lost)
        browsing.answer()
        #expect(browsing.effects.last == .leave(.chosen([staff[1]])))
    }

    @Test("Esc before the reports have come keeps the list")
    func cancelled() {
        var browsing = Browsing.begun(at: "Keller")
        browsing.press(.right, .right, .escape)
        browsing.answer()
        browsing.expect("Search:", allStaff, at: "Keller")
        #expect(!browsing.effects.contains(.leave(.done)))
    }

    @Test("After a failure the list stays, and the next step is tried")
    func failing() {
        var browsing = Browsing.begun(at: "Keller")
        browsing.press(.left, .enter)
        browsing.fail(CommandError("this userd is of an earlier version", .unavailable))
        browsing.expect("Search:", allStaff, at: "Keller")
        #expect(browsing.lines.last?.hasPrefix("this userd is of an earlier version") == true)
        #expect(!browsing.browser.showsCard)
        browsing.press(.right)
        browsing.answer()
        browsing.expect("Reports of Anna Keller", ["Ek", "Orth"], at: "Ek")
    }
}
