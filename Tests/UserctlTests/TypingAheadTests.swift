import Model
import Testing
import UserdAPI

@testable import UserctlCommands

@Suite("Keys typed ahead of the list that they are meant for")
struct TypingAheadTests {
    private static func choices(_ browsing: Browsing) -> [[User]] {
        browsing.effects.compactMap { if case .leave(.chosen(let users)) = $0 { users } else { nil } }
    }

    @Test(
        "Text after Ctrl-U is the new search, however it is written and whatever was shown before",
        arguments: [["\u{15}anna"], ["\u{15}", "a", "n", "n", "a"], ["\u{15}an", "na"], ["\u{15}maria"]],
        ["list", "search", "card", "card of a search", "help"])
    func afterCtrlU(writes: [String], before: String) {
        var browsing = Browsing.begun([anna, wei] + numbered(1...3))
        if before.hasSuffix("search") {
            browsing.type("user")
            browsing.answer()
        }
        if before.hasPrefix("card") { browsing.press(.enter) }
        if before == "help" { browsing.press(.help) }
        var decoder = KeyDecoder()
        for write in writes {
            for key in decoder.keys(Array(write.utf8)) { browsing.press(key) }
        }
        let typed = writes.joined().dropFirst()
        #expect(browsing.lines[0].hasPrefix("Search: \(typed) "), "\(browsing.lines[0])")
        #expect(!browsing.effects.contains { if case .act = $0 { true } else { false } })
    }

    @Test("A key after Ctrl-U moves in the whole list, once that is there")
    func moving() {
        var browsing = Browsing.begun(numbered(1...5))
        browsing.type("user000003")
        browsing.answer()
        #expect(browsing.place == "1 of 1")
        browsing.press(.control("u"), .down, .down, .up)
        #expect(browsing.place == "1 of 1")
        browsing.answer()
        #expect(browsing.place == "2 of 5")
        #expect(browsing.chosen == "User000002,")
    }

    @Test("Enter after a search waits for its result, and never chooses from the earlier list")
    func choosing() {
        var browsing = Browsing([anna, wei], .choosing)
        browsing.press(.text("王"), .enter)
        browsing.answer()
        #expect(Self.choices(browsing) == [[wei]])
        // Of the keys after the choice none is left.
        browsing = Browsing([anna, wei], .choosing)
        browsing.press(.down, .enter, .up, .enter)
        #expect(Self.choices(browsing).isEmpty)
        browsing.answer()
        #expect(Self.choices(browsing) == [[wei]])
    }

    @Test("A search with Enter starts at once, without the pause in typing")
    func atOnce() {
        var browsing = Browsing.begun([anna, wei])
        browsing.forgetAsked()
        browsing.press(.text("b"))
        #expect(browsing.asked.isEmpty)
        browsing.press(.enter)
        #expect(browsing.asked.map(\.query.search) == ["b"])
    }

    @Test("Enter waits until the selected user has been read")
    func unread() {
        var browsing = Browsing(numbered(1...2000), .choosing)
        browsing.answer()
        browsing.press(.end, .enter)
        #expect(Self.choices(browsing).isEmpty)
        browsing.answer()
        #expect(Self.choices(browsing).map { $0.map(\.id) } == [["id2000"]])
    }

    @Test("Esc and a failure drop the keys that wait")
    func dropped() throws {
        var browsing = Browsing([anna, wei], .choosing)
        browsing.answer()
        browsing.press(.text("b"), .enter, .escape)
        browsing.elapse()
        browsing.answer()
        #expect(Self.choices(browsing).isEmpty)
        #expect(browsing.lines[0].hasPrefix("Search:  "))
        browsing.press(.text("b"), .enter)
        browsing.fail(try #require(CommandError(UserdError.cacheUnavailable(message: "disk full"))))
        browsing.press(.text("e"))
        browsing.elapse()
        browsing.answer()
        #expect(Self.choices(browsing).isEmpty)
        browsing.press(.enter)
        #expect(Self.choices(browsing) == [[anna]])
    }

    @Test("With an absurd total from userd no key waits for ever")
    func absurdTotal() {
        var browsing = Browsing(numbered(1...3), .choosing)
        browsing.total = .max
        browsing.answer()
        browsing.press(.end, .pageUp, .enter)
        browsing.answer(atMost: 20)
        browsing.press(.home, .enter)
        #expect(Self.choices(browsing).map { $0.map(\.id) } == [["id1"]])
    }
}
