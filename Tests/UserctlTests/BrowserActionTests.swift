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
    func letters(columns: Int) {
        var browsing = Browsing.begun([anna, wei], columns: columns)
        browsing.press(.text("y"))
        #expect(Self.actions(browsing).isEmpty && browsing.lines[0].hasPrefix("Search: y"))
        browsing.press(.backspace, .enter)
        #expect(!browsing.screen.contains(wei.name.last))
        browsing.press(.text("y"), .text("t"), .text("m"), .text("v"))
        let (address, number) = (anna.email ?? "", anna.phone ?? "")
        #expect(
            Self.actions(browsing) == [
                .copy(address, named: address), .copy(number, named: number), .mail(to: address), .save(anna),
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
        for (letter, message) in [("m", "no address"), ("y", "no address"), ("t", "no telephone number")] {
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

    @Test("Characters of an address that have a meaning in URLs are encoded")
    func addresses() {
        #expect(addressForURL("a.b+c@example.com") == "a.b+c@example.com")
        #expect(addressForURL("a?cc=b&c@å.se") == "a%3Fcc%3Db%26c@%C3%A5.se")
    }
}
