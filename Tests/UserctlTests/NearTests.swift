import Browse
import Model
import TestSupport
import Testing
import UserdAPI

/// Tests what is shown where a search finds nobody.
@Suite struct NearTests {
    private let keller = User(id: "1", name: .init(first: "Anna", last: "Keller")) {
        $0.email = "anna.keller@example.com"
        $0.address.city = "Bern"
    }

    private func offline(_ arguments: String...) async throws -> Ended {
        let cache = try await CacheFile(users: [keller, anna, wei])
        return await userctl(arguments + ["--database", cache.path, "--socket", "/nowhere/s"])
    }

    @Test(arguments: ["table", "ndjson"])
    func `a search names the nearest users on stderr`(format: String) async throws {
        let ended = try await offline("search", "anna", "keler", "-o", format)
        #expect(ended.code == 1 && ended.output == "")
        #expect(
            ended.errors.hasPrefix(
                "No users match. Near:\n  Anna Keller, anna.keller@example.com, Bern\n"))
        let quiet = try await offline("search", "anna", "keler", "-q")
        #expect(quiet.code == 1 && quiet.errors == "")
        #expect(try await offline("search", "xqz").errors.hasPrefix("No users match.\n"))
    }

    @Test func `show names them in its error`() async throws {
        let ended = try await offline("show", "anna", "keler")
        #expect(ended.code == 1 && ended.output == "")
        #expect(
            ended.errors.contains(
                "userctl: near:\nuserctl:   Anna Keller, anna.keller@example.com, Bern\n"))
    }

    @Test func `browse lists them, and says that they are no matches`() {
        var browsing = Browsing([keller])
        browsing.answer()
        browsing.type("xyz")
        browsing.answerWithNear([keller, anna])
        #expect(browsing.lines.first?.hasSuffix("no match; 2 near") == true)
        #expect(browsing.lines.last?.hasPrefix("no match: Up or Down chooses one of those near") == true)
        #expect(browsing.browser.selected == nil)
        browsing.press(.down)
        #expect(browsing.browser.selected == keller)
        #expect(browsing.lines.first?.hasSuffix("no match; 1 of 2 near") == true)
        #expect(browsing.lines.last?.contains("no match") == false)
        browsing.press(.down)
        #expect(browsing.browser.selected == anna)
        browsing.type("")
        browsing.press(.escape)
        browsing.elapse()
        browsing.answer()
        #expect(browsing.place == "1 of 1")
    }

    @Test func `enter that is typed ahead chooses nobody who is only near`() {
        var browsing = Browsing([keller], .choosing)
        browsing.answer()
        browsing.press(.text("keler"), .enter)
        browsing.answerWithNear([keller])
        browsing.press(.enter, .tab, .enter)
        browsing.resize(columns: 90, rows: 30)
        browsing.press(.enter)
        #expect(!browsing.effects.contains { if case .leave = $0 { true } else { false } })
        browsing.press(.down, .enter)
        #expect(browsing.effects.last == .leave(.chosen([keller])))
    }

    @Test(arguments: [false, true]) func `a sync chooses nobody who is only near`(hasChosen: Bool) {
        var browsing = Browsing([keller, anna], .choosing)
        browsing.send(.connected)
        browsing.answer()
        browsing.type("xyz")
        browsing.answerWithNear([keller, anna])
        if hasChosen { browsing.press(.down, .down) }
        browsing.commit([keller, anna], second: 1)
        browsing.answerWithNear([wei, keller, anna])
        // The one who was chosen stays.
        #expect(browsing.browser.selected == (hasChosen ? anna : nil))
    }

    @Test func `the last match that leaves chooses nobody who is only near`() {
        var browsing = Browsing([anna, keller], .choosing)
        browsing.send(.connected)
        browsing.answer()
        browsing.type("ber")
        browsing.answer()
        #expect(browsing.browser.selected == anna)
        browsing.commit([keller], second: 1)
        browsing.answerWithNear([keller])
        browsing.press(.enter)
        #expect(!browsing.effects.contains { if case .leave = $0 { true } else { false } })
    }
}

/// Tests how a user's manager is shown.
@Suite struct ManagerTests {
    private func shown(_ manager: User.Manager, _ others: [User]) async throws -> [String] {
        let employee = User(id: "e", name: .init(first: "Eva", last: "Ek")) { $0.manager = manager }
        let cache = try await CacheFile(users: [employee] + others)
        let ended = await userctl(
            "show", "e", "--database", cache.path, "--socket", "/nowhere/s")
        #expect(ended.code == 0)
        return ended.output.split(separator: "\n").filter { $0.contains("Manager") }.map(String.init)
    }

    private let berta = User(id: "b-1", name: .init(first: "Berta", last: "Berg")) {
        ($0.username, $0.email) = ("bberg", "berta@example.com")
    }

    @Test(arguments: [
        User.Manager(id: "b-1"), .init(id: "bberg"), .init(id: "berta@example.com", name: "B."),
        .init(id: "CN=Berta Berg,OU=People,DC=example,DC=org"), .init(id: "unknown", name: "Berg, Berta"),
    ])
    func `the cached user is named`(manager: User.Manager) async throws {
        let lines = try await shown(manager, [berta])
        #expect(lines.count == 1 && lines.first?.contains("Berta Berg (berta@example.com)") == true)
    }

    @Test func `of several or none, the name alone is shown`() async throws {
        var other = berta
        (other.id, other.username, other.email) = ("b-2", nil, nil)
        let dn = User.Manager(id: "CN=Berta Berg,OU=People,DC=example,DC=org")
        for others in [[], [berta, other]] {
            let lines = try await shown(dn, others)
            #expect(lines.count == 1 && lines.first?.hasSuffix("Berta Berg") == true)
        }
        // A longer name that begins alike is somebody else's.
        other.name.last = "Bergman"
        #expect(try await shown(dn, [other]).first?.hasSuffix("Berta Berg") == true)
    }
}
