import Model
import TestSupport
import Testing
import UserdAPI
import Varlink

@testable import UserctlCommands

/// Tests events that no key causes.
@Suite struct BrowserLiveTests {
    @Test("After a sync the list is reloaded, and the selected user stays on the same line")
    func sameUser() {
        var browsing = Browsing.begun(numbered(100...200))
        for _ in 0..<7 { browsing.press(.down) }
        let line = browsing.lines.firstIndex { $0.hasPrefix(">") }
        #expect(browsing.chosen == "User000107,")
        browsing.commit(numbered(50...200), second: 0)
        #expect(browsing.place == "8 of 101")
        browsing.answer()
        #expect(browsing.place == "58 of 151")
        #expect(browsing.chosen == "User000107,")
        #expect(browsing.lines.firstIndex { $0.hasPrefix(">") } == line)
    }

    @Test("A user selected during a reload stays selected")
    func chosenMeanwhile() {
        var browsing = Browsing.begun(numbered(100...200))
        browsing.commit(numbered(50...200), second: 0)
        browsing.press(.down, .down)
        browsing.answer()
        #expect(browsing.chosen == "User000102,")
    }

    @Test("A user who has moved far in the list is found, from the nearer end")
    func moved() {
        var browsing = Browsing.begun(numbered(5000...8000))
        browsing.press(.end)
        browsing.answer()
        browsing.commit(numbered(1...12_000), second: 0)
        browsing.answer()
        #expect(browsing.chosen == "User008000,")
        #expect(browsing.place == "8,000 of 12,000")
        #expect(browsing.asked.suffix(16).allSatisfy { $0.end == .back })
    }

    @Test("If the selected user is removed, the one who is now in that position is selected")
    func gone() {
        var browsing = Browsing.begun(numbered(1...20))
        browsing.press(.down, .down, .down)
        browsing.commit(numbered([1, 2, 3, 5, 6, 7]), second: 0)
        browsing.answer()
        #expect(browsing.chosen == "User000005,")
        browsing.press(.end)
        browsing.commit(numbered([1, 2]), second: 1)
        browsing.answer()
        #expect(browsing.chosen == "User000002,")
        browsing.commit([], second: 2)
        browsing.answer()
        #expect(browsing.screen.contains("There are no users: upstream has none."))
        browsing.commit(numbered([1, 2]), second: 3)
        browsing.answer()
        #expect(browsing.place == "1 of 2")
    }

    @Test("The list is reloaded once for each committed sync")
    func once() {
        var browsing = Browsing.begun([anna, wei])
        browsing.forgetAsked()
        browsing.send(.state(browsing.loaded))
        browsing.send(.state(state(.users, .syncing, index: 2, syncedAt: browsing.syncedAt)))
        browsing.send(
            .state(
                state(.users, .syncing, index: 2, syncedAt: browsing.syncedAt, progress: Progress(done: 1))))
        browsing.send(.resized(browsing.browser.size))
        #expect(browsing.asked.isEmpty)
        browsing.commit([anna], second: 0)
        browsing.send(.state(browsing.loaded))
        browsing.answer()
        browsing.send(.state(browsing.loaded))
        #expect(browsing.asked.count == 1)
        #expect(browsing.place == "1 of 1")
    }

    @Test("A sync committed between the first page and the first state is not missed")
    func between() {
        var browsing = Browsing([anna, wei])
        browsing.answer()
        browsing.send(.connected)
        browsing.commit([anna], second: 0)
        browsing.answer()
        #expect(browsing.place == "1 of 1")
    }

    @Test("A running search is repeated after a committed sync")
    func searching() {
        var browsing = Browsing.begun([anna, wei])
        browsing.type("ber")
        browsing.commit([anna, anna, wei], second: 0)
        browsing.answer()
        #expect(browsing.place == "1 of 2")
    }

    @Test("Browse shows the cache while userd is away, and userd's list once it is back")
    func back() {
        var browsing = Browsing.begun([anna, wei])
        browsing.press(.down)
        browsing.source = .cache(path: "/c", because: "userd is not running")
        browsing.send(.lost)
        #expect(browsing.lines.last == "lost the connection to userd; reconnecting           F1 help")
        browsing.answer()
        #expect(browsing.lines.last == "userd is not running; reading its cache, synced …    F1 help")
        #expect(browsing.chosen == "王")
        browsing.send(.lost)
        #expect(!browsing.isWaiting)
        browsing.source = .daemon
        browsing.send(.connected)
        browsing.answer()
        #expect(browsing.lines.last == "loaded  2 users, synced 3 min ago                    F1 help")
        #expect(browsing.chosen == "王")
    }

    @Test("The notice about a missing cache ends once userd is back")
    func backWithoutCache() throws {
        var browsing = Browsing.begun([anna, wei])
        browsing.send(.lost)
        browsing.fail(try #require(CommandError(VarlinkClientError.timedOut)))
        #expect(browsing.lines.last?.hasPrefix("userd did not answer in time") == true)
        browsing.send(.connected)
        #expect(browsing.isWaiting)
        browsing.answer()
        #expect(browsing.lines.last?.hasPrefix("loaded  2 users") == true)
    }

    @Test("If no list can be shown, browse ends with the reason")
    func nothing() throws {
        var browsing = Browsing([])
        let error = try #require(CommandError(UserdError.cacheUnavailable(message: "disk full")))
        browsing.fail(error)
        #expect(browsing.effects.suffix(1) == [.leave(.failed(error))])
    }

    @Test("A later failure is shown on the bottom line, and the request is repeated with the next key")
    func failing() throws {
        var browsing = Browsing.begun(numbered(1...1000))
        let error = try #require(CommandError(UserdError.cacheUnavailable(message: "disk full")))
        browsing.press(.end)
        browsing.fail(error)
        #expect(!browsing.isWaiting)
        #expect(browsing.lines.last?.hasPrefix("the cache can't be used: disk full") == true)
        browsing.send(.resized(browsing.browser.size))
        #expect(!browsing.isWaiting)
        browsing.press(.up)
        #expect(browsing.lines.last?.hasPrefix("loaded") == true)
        browsing.answer()
        #expect(browsing.chosen == "User000999,")
        browsing.send(.refused(error))
        #expect(browsing.lines.last?.hasPrefix("the cache can't be used: disk full") == true)
    }

    @Test("An invalid cursor reloads the list")
    func outdated() throws {
        var browsing = Browsing.begun(numbered(1...1000), columns: 100, rows: 203)
        let error = try #require(CommandError(UserdError.invalidCursor(cursor: "x")))
        browsing.press(.pageDown)
        browsing.fail(error, isOutdated: true)
        #expect(browsing.asked.last?.query.cursor == nil)
        browsing.answer()
        #expect(browsing.chosen == "User000201,")
    }

    @Test(
        "After random events the screen is complete and shows the selected user",
        arguments: 1...UInt64(Volume.randomInputs / 6))
    func anything(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var browsing = Browsing(numbered(1...700))
        browsing.send(.connected)
        browsing.answer()
        let error = try #require(CommandError(UserdError.cacheUnavailable(message: "no")))
        let keys: [Key] = [
            .up, .down, .pageUp, .pageDown, .home, .end, .enter, .backspace, .text("u"), .text("x"), .help,
            .control("u"),
        ]
        for step in 0..<120 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0...4: browsing.press(keys.randomElement(using: &random) ?? .up)
            case 5: browsing.elapse()
            case 6: if browsing.isWaiting { browsing.answerOne() }
            case 7:
                let size = Browser.Size(
                    columns: .random(in: 1...130, using: &random), rows: .random(in: 1...60, using: &random))
                browsing.send(.resized(size))
            case 8:
                let first = Int.random(in: 1...300, using: &random)
                let last = first + Int.random(in: 0...600, using: &random)
                browsing.commit(numbered(first...last), second: step)
            default:
                switch Int.random(in: 0..<4, using: &random) {
                case 0: browsing.send(.lost)
                case 1: browsing.send(.connected)
                case 2: if browsing.isWaiting { browsing.fail(error) }
                default: browsing.answer()
                }
            }
            #expect(browsing.lines.count == browsing.browser.size.rows)
        }
        browsing.send(.resized(.init(columns: 60, rows: 8)))
        browsing.press(.help, .escape, .control("u"))
        browsing.elapse()
        browsing.send(.connected)
        browsing.answer()
        #expect(browsing.chosen.hasPrefix("User") || browsing.screen.contains("Email"))
        #expect(browsing.place.hasSuffix("of \(counted(browsing.users.count))"))
    }

    private func counted(_ number: Int) -> String {
        number < 1000 ? "\(number)" : "\(number / 1000),\(String(number % 1000 + 1000).dropFirst())"
    }
}
