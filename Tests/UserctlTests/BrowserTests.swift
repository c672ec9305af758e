import Model
import Testing
import UserdAPI

@testable import UserctlCommands

@Suite struct BrowserTests {
    @Test("A search starts after a pause in typing, with the whole text")
    func search() {
        var browsing = Browsing.begun([anna, wei] + numbered(1...3))
        browsing.forgetAsked()
        browsing.press(.text("u"), .text("s"), .text("e"))
        #expect(browsing.asked.isEmpty)
        browsing.send(.elapsed(1))
        #expect(browsing.asked.isEmpty)
        browsing.elapse()
        #expect(browsing.asked.map(\.query.search) == ["use"])
        #expect(browsing.place == "1 of 5")
        browsing.answer()
        #expect(browsing.place == "1 of 3")
        #expect(browsing.chosen == "User000001,")
    }

    @Test("The result of an older search is ignored")
    func olderSearch() {
        var browsing = Browsing.begun([anna, wei] + numbered(1...3))
        browsing.type("b")
        browsing.press(.backspace)
        browsing.type("u")
        #expect(browsing.asked.last?.query.search == "b")
        browsing.answerOne()
        #expect(browsing.place == "1 of 5")
        browsing.answerOne()
        #expect(browsing.place == "1 of 3")
        #expect(!browsing.isWaiting)
    }

    @Test("Backspace, Ctrl-W and Ctrl-U delete text, and the earlier list is shown again")
    func takingBack() {
        var browsing = Browsing.begun([anna, wei])
        browsing.type("one two  three")
        for (key, left) in [
            (.backspace, "one two  thre"), (.deleteWord, "one two  "), (.deleteWord, "one "),
            (.control("u"), ""),
        ] as [(Key, String)] {
            browsing.press(key)
            #expect(browsing.lines[0].hasPrefix(("Search: " + left).trimmingBlanks), "\(key)")
        }
        browsing.elapse()
        browsing.answer()
        #expect(browsing.place == "1 of 2")
    }

    @Test(
        "An absurd total from userd overflows nothing", arguments: [-1, .min, .max, .max - 1])
    func absurdTotal(total: Int) {
        var browsing = Browsing(numbered(1...3))
        browsing.total = total
        browsing.answer()
        for key in [Key.end, .down, .pageDown, .pageUp, .home] {
            browsing.press(key)
            browsing.answer(atMost: 20)
            #expect(browsing.lines.count == 8)
        }
        browsing.commit(numbered(1...4), second: 0)
        browsing.answer(atMost: 20)
        #expect(browsing.lines.count == 8)
    }

    @Test("On a huge screen, each visible page is read once")
    func highest() {
        var browsing = Browsing(numbered(1...20_000), columns: 80, rows: 10_000)
        browsing.answer(atMost: 50)
        browsing.press(.end)
        browsing.answer(atMost: 50)
        let (isWaiting, asked) = (browsing.isWaiting, browsing.asked)
        #expect(!isWaiting)
        #expect(Set(asked).count == asked.count)
        #expect(browsing.lines.count == 1000)
    }

    @Test("Keys move through the list, which scrolls with them, and stop at its ends")
    func moving() {
        // Five users at once, below the headings.
        var browsing = Browsing.begun(numbered(1...12))
        func at(_ keys: Key..., place: Int, line: Int) {
            for key in keys { browsing.press(key) }
            #expect(browsing.place == "\(place) of 12", "\(keys)")
            #expect(browsing.lines.firstIndex { $0.hasPrefix(">") } == line + 1, "\(keys)")
        }
        at(place: 1, line: 1)
        at(.up, place: 1, line: 1)
        at(.down, .down, .down, .down, place: 5, line: 5)
        at(.down, place: 6, line: 5)
        at(.up, .up, place: 4, line: 3)
        at(.pageDown, place: 9, line: 3)
        at(.pageDown, place: 12, line: 5)
        at(.pageUp, place: 7, line: 5)
        at(.home, place: 1, line: 1)
        at(.end, place: 12, line: 5)
        at(.down, place: 12, line: 5)
    }

    @Test("The end of a long list is read backwards, each page once")
    func end() {
        var browsing = Browsing.begun(numbered(1...100_000))
        #expect(browsing.asked.count == 1)
        browsing.press(.end)
        browsing.answer()
        #expect(browsing.chosen == "User100000,")
        browsing.press(.pageUp)
        browsing.answer()
        #expect(browsing.chosen == "User099995,")
        browsing.press(.home)
        browsing.answer()
        #expect(browsing.chosen == "User000001,")
        #expect(browsing.asked.map(\.end) == [.front, .back])
        #expect(browsing.asked[1].query.descending == true)
    }

    @Test("A list that is read from both ends has each user once")
    func middle() {
        var browsing = Browsing.begun(numbered(1...1200))
        browsing.press(.end)
        browsing.answer()
        var seen: [String] = []
        for place in (1...1200).reversed() {
            #expect(browsing.chosen == "User\(String(1_000_000 + place).dropFirst()),")
            seen.append(browsing.chosen)
            browsing.press(.up)
            browsing.answer()
        }
        #expect(Set(seen).count == 1200)
        #expect(browsing.asked.map(\.end) == [.front, .back, .back, .back, .back])
        #expect(browsing.asked.dropFirst().map(\.page) == [0, 1, 2, 3])
    }

    @Test("Only some pages are kept, and dropped ones are read again from their cursors")
    func keeping() {
        var browsing = Browsing.begun(numbered(1...50_000), columns: 100, rows: 253)
        for _ in 0..<60 {
            browsing.press(.pageDown)
            browsing.answer()
        }
        let cursors = browsing.asked.map(\.query.cursor)
        #expect(cursors.count == Set(cursors).count)
        browsing.forgetAsked()
        browsing.press(.home)
        browsing.answer()
        #expect(browsing.chosen == "User000001,")
        #expect(browsing.asked.map(\.query.cursor).prefix(1) == [nil])
        browsing.press(.pageDown)
        browsing.answer()
        #expect(browsing.chosen == "User000251,")
    }

    @Test("A list that changes while its end is read is reloaded")
    func changing() {
        var browsing = Browsing.begun(numbered(1...1000))
        browsing.users = numbered(1...1500)
        browsing.press(.end)
        browsing.answer()
        #expect(browsing.place == "1,000 of 1,500")
        #expect(browsing.chosen == "User001000,")
    }

    @Test("Esc clears the search, then leaves; Ctrl-C leaves at once")
    func leaving() {
        var browsing = Browsing.begun([anna, wei])
        browsing.type("ber")
        browsing.press(.escape)
        #expect(browsing.lines[0].hasPrefix("Search:  "))
        #expect(!browsing.effects.contains(.leave(.done)))
        browsing.press(.escape)
        #expect(browsing.effects.last == .leave(.done))

        browsing = Browsing.begun([anna, wei])
        browsing.type("ber")
        browsing.press(.control("c"))
        #expect(browsing.effects.last == .leave(.interrupted))
        browsing.press(.control("z"))
        #expect(browsing.effects.last == .suspend)
        browsing.press(.control("r"))
        #expect(browsing.effects.last == .sync)
        browsing.press(.control("l"))
        #expect(browsing.effects.last == .redraw)
    }

    @Test("F1 and ? show the help until the next key, which acts, and within a search ? and / are text")
    func help() {
        for key in [Key.help, .text("?")] {
            var browsing = Browsing.begun([anna, wei], rows: 25)
            for end in [Key.escape, .enter, .help, .text("?"), .text(" ")] {
                browsing.press(key)
                #expect(browsing.screen.contains("Ctrl-R"))
                browsing.press(end)
                #expect(!browsing.screen.contains("Ctrl-R"))
            }
            browsing.press(key, .text("x"))
            #expect(!browsing.screen.contains("Ctrl-R"))
            #expect(browsing.lines[0].hasPrefix("Search: x"), "the key is not lost")
            browsing.press(.backspace, .text("/"))
            #expect(browsing.lines[0].hasPrefix("Search:  "))
            browsing.press(.text("a"), .text("/"), .text("?"))
            #expect(browsing.lines[0].hasPrefix("Search: a/?"))
        }
    }

    @Test("On a small screen, Enter shows the card, and typing shows the list again")
    func narrow() {
        var browsing = Browsing.begun([anna, wei])
        let list = browsing.screen
        browsing.press(.enter)
        #expect(browsing.lines[1] == "Dr Anna Bergström")
        browsing.press(.down)
        #expect(browsing.lines[1] == "王 伟")
        browsing.press(.up, .escape)
        #expect(browsing.screen == list)
        browsing.press(.enter)
        browsing.type("b")
        browsing.answer()
        #expect(browsing.chosen == "Bergström,")
        #expect(!browsing.effects.contains(.leave(.done)))
    }

    @Test("A search beyond userd's limit is not sent")
    func longest() {
        var browsing = Browsing.begun([anna])
        browsing.type(String(repeating: "ä", count: 500))
        #expect(browsing.asked.last?.query.search?.utf8.count == 1000)
        let count = browsing.effects.count
        browsing.press(.text("x"))
        #expect(browsing.effects.count == count)
    }
}

extension String {
    fileprivate var trimmingBlanks: String {
        var text = self[...]
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
