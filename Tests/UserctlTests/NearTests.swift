import Model
import TestSupport
import Testing
import UserdAPI
import Varlink

@testable import UserctlCommands

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

    private func staff() async throws -> CacheFile {
        let people = [("Anna", "Meyer"), ("Bo", "Meyer"), ("Clea", "Maier"), ("Sally", "Zorn"), ("Al", "Ek")]
            .map {
                (first, last) in
                User(id: first, name: .init(first: first, last: last)) {
                    ($0.department, $0.jobTitle) = (first == "Sally" ? "IT" : "Sales", "Manager")
                    $0.email = "\(first)@example.com"
                }
            }
        return try await CacheFile(users: people)
    }

    private func read(_ cache: CacheFile, _ arguments: [String], width: Int? = nil) async -> Ended {
        await userctl(arguments + ["--database", cache.path, "--socket", "/nowhere/s"], width: width)
    }

    @Test func `a name that several have is there once, with their number`() async throws {
        let cache = try await staff()
        for arguments in [["search", "mayer"], ["show", "mayer"]] {
            let ended = await read(cache, arguments)
            #expect(ended.code == 1 && ended.output == "")
            let lines = ended.errors.split(separator: "\n").filter { $0.contains("  ") }
            #expect(lines.count == 2)
            #expect(lines.contains { $0.hasSuffix("  Maier (1)") })
            #expect(lines.contains { $0.hasSuffix("  Meyer (2)") })
        }
    }

    @Test func `a filter that nobody has is told with the nearest values, and ends with 1`() async throws {
        let cache = try await staff()
        for format in ["table", "json", "ndjson", "csv", "vcard", "mutt"] {
            func list(_ arguments: String...) async -> Ended {
                await read(cache, ["list"] + arguments + ["-o", format])
            }
            // mutt shows its first line alone.
            func says(_ ended: Ended, _ line: String) -> Bool {
                ended.code == 1
                    && (format == "mutt" ? ended.errors == "" : ended.errors.hasPrefix(line + "\n"))
            }
            let ended = await list("--department", "sals")
            #expect(says(ended, "Nobody's department is “sals”; near: Sales (4)"), "\(format): \(ended)")
            // Somebody has each of these, and nobody all: an empty list is an answer.
            let none = await list("--department", "it", "--title", "manager", "--gender", "x")
            #expect(none.code == 0 && none.output == ended.output)
            guard format == "json" else { continue }
            #expect(says(await list("--search", "anna", "--company", "x"), "Nobody's company is “x”"))
            let quiet = await list("--title", "manger", "--manager", "anna", "-q")
            #expect(quiet.code == 1 && quiet.errors == "" && quiet.output == ended.output)
        }
    }

    @Test func `a search in a table on a terminal has names first`() async throws {
        let cache = try await staff()
        func names(_ arguments: [String], width: Int?) async -> [Substring] {
            let ended = await read(
                cache, arguments + ["--columns", "first_name", "--no-header"], width: width)
            return ended.output.split(whereSeparator: \.isWhitespace)
        }
        let byName = ["Al", "Clea", "Anna", "Bo", "Sally"].map { $0[...] }
        let byMatch = ["Sally", "Al", "Clea", "Anna", "Bo"].map { $0[...] }
        #expect(await names(["search", "sal"], width: 80) == byMatch)
        #expect(await names(["list", "--search", "sal"], width: 80) == byMatch)
        #expect(await names(["search", "sal"], width: nil) == byName)
        #expect(await names(["search", "sal", "--order", "match"], width: nil) == byMatch)
        #expect(await names(["search", "sal", "--order", "name"], width: 80) == byName)
        #expect(await names(["search", "sal", "--descending"], width: 80) == byName.reversed())
    }

    @Test func `browse asks for a search in the order of matches, and for a list in the usual one`() {
        var browsing = Browsing([keller])
        browsing.answer()
        #expect(browsing.asked.map(\.query.order) == [nil])
        browsing.forgetAsked()
        browsing.type("kel")
        #expect(browsing.asked.map(\.query.order) == [.match])
    }

    @Test(arguments: [[], ["--all"]])
    func `a userd that does not know the order of matches is asked without it`(options: [String]) async {
        let asked = Asked<ListUsers>()
        @Sendable func reply(_ query: ListUsers) throws -> RawReply<UserList> {
            asked.note(query)
            if query.order == .match { throw VarlinkError.invalidParameter("order") }
            return try RawReply(
                UserList(
                    users: [self.keller], total: 1, next: nil,
                    freshness: Freshness(phase: .loaded, syncedAt: noon, age: 1, stale: false)),
                to: .listUsers)
        }
        var userd = UserdClient.untouched
        userd.listUsers = reply
        userd.listAllUsers = { query in RawReplies { body, _ in _ = try body(reply(query)) } }
        let ended = await userctl(["search", "anna"] + options, userd: userd, width: 80)
        #expect(ended.code == 0 && ended.output.contains("Keller"))
        #expect(asked.all.filter { $0.kinds == nil }.map(\.order) == [.match, nil])
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
        .init(id: "CN=Berta Berg,OU=People,DC=example,DC=org"),
        .init(name: "Berg, Berta"),
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
        // Where managers have ids, she may be a namesake.
        let gone = User.Manager(id: "unknown", name: "Berg, Berta")
        #expect(try await shown(gone, [berta]).first?.hasSuffix("Berg, Berta") == true)
        // A longer name that begins alike is somebody else's.
        other.name.last = "Bergman"
        #expect(try await shown(dn, [other]).first?.hasSuffix("Berta Berg") == true)
    }
}
