import Foundation
import Glibc
import Model
import TerminalViews
import TestSupport
import Testing
import UserdAPI

@testable import UserctlCommands

/// Tests users of other kinds than persons.
@Suite struct KindOptionTests {
    private static func other(_ id: String, _ name: String, _ kind: UserKind) -> User {
        User(id: id, name: .init(first: "", last: name)) {
            ($0.email, $0.kind) = ("\(id)@example.com", kind)
        }
    }

    private static let team = other("team", "Bergteam", .group)
    private static let all = [
        anna, wei, team, other("room", "Bergen", .room), other("info", "Berginfo", .mailbox),
        other("sales", "Bergsales", .group),
    ]

    private func run(
        _ arguments: [String], users: [User] = all, environment: [String: String] = [:], width: Int? = nil
    ) async throws -> Ended {
        let cache = try await CacheFile(users: users)
        return await userctl(
            arguments + ["--socket", "/nonexistent/s", "--database", cache.path], environment: environment,
            width: width)
    }

    @Test(arguments: [
        (["list", "--columns", "id"], ["id-anna", "id-wei"]),
        (["list", "--kind", "person", "--columns", "id"], ["id-anna", "id-wei"]),
        (["list", "--kind", "room, mailbox", "--columns", "id"], ["room", "info"]),
        (["search", "berg", "--kind", "group", "--columns", "id"], ["sales", "team"]),
        (["search", "berg", "--columns", "id"], ["id-anna"]),
        (["list", "--count"], ["2"]), (["list", "--kind", "ALL", "--count"], ["6"]),
        (["show", "room", "--kind", "all", "--field", "kind,id"], ["room", "room"]),
        (["show", "bergsales", "--kind", "group", "--field", "id"], ["sales"]),
    ])
    func `persons are found unless others are asked for`(arguments: [String], lines: [String]) async throws {
        let header = arguments[0] == "show" || arguments.contains("--count") ? [] : ["--no-header"]
        let ended = try await run(arguments + header)
        #expect(ended.code == 0)
        #expect(
            ended.output.split(separator: "\n").map { $0.split(separator: " ").joined() } == lines,
            "\(ended.errors)")
    }

    @Test func `nobody shows a group who does not ask for one`() async throws {
        let ended = try await run(["show", "bergteam"])
        #expect(ended.code == 1 && ended.output == "")
        #expect(
            ended.errors.contains("it finds 1 group: `userctl search --kind all bergteam` shows them"),
            "\(ended)")
        for format in ["csv", "json", "ndjson", "vcard"] {
            #expect(try await !run(["list", "-o", format]).output.contains("Bergteam"), "\(format)")
        }
    }

    @Test(arguments: [
        ("team", "group"), ("crew", "group"), ("team@example.com", "group"), ("room", "room"),
    ])
    func `the key of a group is no word to search persons for`(key: String, kind: String) async throws {
        var crew = Self.other("crew", "Bergcrew", .group)
        crew.username = "team"
        var others = Self.all.filter { $0.id != "team" } + [crew]
        if key == "team@example.com" { others[others.count - 1].email = key }
        let tom = User(id: "tom", name: .init(first: "Tom", last: "Team")) {
            ($0.username, $0.email, $0.displayName) = ("tom", "tom@example.com", "Tom Team Crew Room")
        }
        for command in [["show", key, "--field", "id"], ["open", key, "--print"]] {
            let refused = try await run(command, users: others + [tom])
            #expect(refused.code == 1 && refused.output == "", "\(refused)")
            #expect(
                refused.errors.contains(
                    "userctl: “\(key)” is a \(kind), and only persons were asked for\nuserctl: add `--kind \(kind)`\n"
                ), "\(refused)")
            #expect(try await run(command + ["--kind", kind], users: others + [tom]).code == 0)
        }
        let found = try await run(["show", "Tom", "Team", "--field", "id"], users: others + [tom])
        #expect(found.output == "tom\n")
    }

    @Test func `a table with others has a column for the kind, and one of persons has none`() async throws {
        func rows(_ arguments: [String]) async throws -> [[Substring]] {
            try await run(arguments).output.split(separator: "\n").map { $0.split(separator: " ") }
        }
        #expect(try await rows(["list"])[0].prefix(2) == ["Name", "Email"])
        let all = try await rows(["list", "--kind", "group,person"])
        #expect(all[0].prefix(3) == ["Name", "Kind", "Email"])
        #expect(all.contains { $0 == ["Bergteam", "group", "team@example.com"] })
        #expect(try await run(["list", "--kind", "group", "--columns", "id"]).output == "ID\nsales\nteam\n")
    }

    @Test func `a search on a terminal says what it leaves out`() async throws {
        let said = "userctl: and 2 groups, 1 room, 1 mailbox: --kind all shows them\n"
        #expect(try await run(["search", "berg"], width: 80).errors.hasSuffix(said))
        let none = try await run(["search", "bergsales"], width: 80)
        #expect(none.code == 1 && none.errors.hasSuffix("userctl: and 1 group: --kind all shows them\n"))
        for arguments in [["search", "wei"], ["list"], ["search", "berg", "--kind", "person"]] {
            #expect(try await !run(arguments, width: 80).errors.contains("--kind"))
        }
        #expect(try await !run(["search", "berg"]).errors.contains("--kind"))
        #expect(try await !run(["search", "berg"], users: [anna, wei], width: 80).errors.contains("--kind"))
    }

    @Test(arguments: [["list"], ["search", "a"], ["show", "a"], ["browse"], ["pick"]])
    func `an unknown kind is wrong usage`(command: [String]) async {
        let ended = await userctl(command + ["--kind", "grup"])
        #expect(ended.code == 64)
        #expect(
            ended.errors.contains("unknown kind “grup”; did you mean group? The names are person, group,"))
    }

    // MARK: Browsing

    private func browsing(_ users: [User], _ purpose: Browser.Purpose) -> Browsing {
        var browsing = Browsing(users, columns: 100, purpose)
        browsing.send(.connected)
        browsing.send(.state(browsing.loaded))
        browsing.answer()
        return browsing
    }

    @Test func `a group is marked in its row, and is never selected unasked`() {
        var browsing = browsing([Self.team, anna], .choosing)
        #expect(browsing.browser.selected == nil && browsing.lines[0].hasSuffix(" 2"))
        #expect(browsing.lines.contains { $0.contains("(group) Bergteam") })
        browsing.press(.enter)
        #expect(!browsing.effects.contains { if case .leave = $0 { true } else { false } })
        browsing.press(.down)
        #expect(browsing.browser.selected == Self.team)
        browsing.press(.enter)
        #expect(browsing.effects.contains(.leave(.chosen([Self.team]))))
    }

    @Test func `Enter that is typed ahead chooses no group`() {
        var browsing = browsing([anna, Self.team], .choosing)
        browsing.press(.text("bergt"), .enter)
        browsing.answer()
        #expect(browsing.browser.selected == nil)
        #expect(!browsing.effects.contains { if case .leave = $0 { true } else { false } })
    }

    @Test func `Ctrl-G searches all kinds, and persons again`() throws {
        var browsing = browsing([anna, wei], .browsing)
        browsing.type("berg")
        browsing.answer()
        let search = try #require(browsing.asked.last)
        #expect(search.query.kinds == nil)
        browsing.send(.others("2 groups", of: search))
        #expect(browsing.lines.last?.contains("and 2 groups: Ctrl-G") == true)
        browsing.press(.control("g"))
        #expect(browsing.asked.last?.query.kinds == UserKind.allCases)
        #expect(browsing.asked.last?.query.search == "berg")
        browsing.answer()
        #expect(browsing.lines.last?.contains("Ctrl-G") == false)
        browsing.press(.control("g"))
        #expect(browsing.asked.last?.query.kinds == nil)
    }

    // MARK: Publishing

    @Test func `a published list has others only if the setting says so, in a member of their own`()
        async throws
    {
        let persons = try await run(["publish", "-"]).output
        #expect(!persons.contains("others") && !persons.contains("Bergteam"))
        let directory = try TemporaryDirectory()
        try #require(mkdir(directory.file("userd"), 0o700) == 0)
        func configure(_ kinds: String) throws {
            try Data("publish:\n  kinds: \(kinds)\n".utf8)
                .write(to: URL(filePath: directory.file("userd/config.yaml")))
        }
        try configure("[person, room]")
        let environment = ["XDG_CONFIG_HOME": directory.path]
        let both = try await run(["publish", "-"], environment: environment).output
        #expect(both.hasPrefix(String(persons.dropLast(3)) + "],\"others\":[{"))
        #expect(both.contains("Bergen") && !both.contains("Bergteam"))
        try configure("[rom]")
        let wrong = try await run(["publish", "-"], environment: environment)
        #expect(wrong.code == 64)
        #expect(wrong.errors.contains("config.yaml:2: publish.kinds: unknown kind “rom”; did you mean room?"))
    }

    // MARK: Cards

    @Test(arguments: [
        (UserKind.group, "KIND:group", "X-ADDRESSBOOKSERVER-KIND:group"),
        (.room, "CATEGORIES:Room", "CATEGORIES:Room"),
        (.mailbox, "CATEGORIES:Shared mailbox", "CATEGORIES:Shared mailbox"),
    ])
    func `a vCard says what is no person`(kind: UserKind, inVersion4: String, inVersion3: String) {
        func lines(_ user: User, _ version: VCard.Version) -> Set<Substring> {
            let text = String(decoding: VCard.text(user, version: version, photo: nil), as: UTF8.self)
            return Set(text.replacing("\r\n", with: "\n").split(separator: "\n"))
        }
        var person = anna
        person.kind = kind
        for (version, line) in [(VCard.Version.v4, inVersion4), (.v3, inVersion3)] {
            #expect(lines(person, version).subtracting(lines(anna, version)) == [line[...]])
        }
    }
}
