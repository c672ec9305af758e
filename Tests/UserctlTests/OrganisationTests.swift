import Foundation
import MockDaemon
import Model
import StrictJSON
import TerminalViews
import TestSupport
import Testing
import UserdAPI

@testable import UserctlCommands

/// Tests team and org, the managers and reports of show, and whom they are about.
@Suite struct OrganisationTests {
    private static func user(_ id: String, _ name: String, under manager: String? = nil, title: String? = nil)
        -> User
    {
        let words = name.split(separator: " ").map(String.init)
        return User(id: id, name: .init(first: words[0], last: words[1])) {
            $0.username = words[0].lowercased()
            $0.email = "\(words[0].lowercased())@example.org"
            ($0.jobTitle, $0.phone) = (title, title.map { "+41 \($0.count)" })
            $0.manager = manager.map { .init(id: $0) }
        }
    }

    private static let company = [
        user("1", "Max Muster", title: "Head"), user("2", "Anna Keller", under: "1", title: "Sales"),
        user("3", "Carl Orth", under: "1"), user("4", "Bea Ek", under: "2"),
        user("5", "Dora Pohl", under: "2"),
        user("6", "Emil Quist", under: "5"), user("7", "Fritz Rau", under: "gone"),
    ]

    private func run(
        _ arguments: String..., users: [User] = company, width: Int? = nil, charset: Charset = .unicode,
        settings: [SettingValue] = [], caller: Person = .unknown, home: String = "", account: Account? = nil
    ) async -> Ended {
        var userd = UserdClient.mock(users: users)
        userd.getSettings = { try RawReply(SettingsReply(settings: settings), to: .getSettings) }
        if let account {
            let state = userd.getState
            userd.getState = {
                var answer = try state().decoded()
                answer.account = account
                return try RawReply(answer, to: .getState)
            }
        }
        return await userctl(
            arguments, userd: userd, environment: ["HOME": home], width: width, charset: charset,
            caller: caller)
    }

    @Test func `a team is the manager, the user with the reports, and the peers`() async {
        let piped = await run("team", "anna")
        #expect(
            piped.output == """
                Name           Title  Phone
                Max Muster     Head   +41 4
                  Anna Keller  Sales  +41 5
                    Bea Ek
                    Dora Pohl
                  Carl Orth

                """)
        #expect(piped.code == 0 && piped.errors == "")
        let terminal = await run("team", "2", "--no-header", width: 60)
        #expect(
            terminal.output == """
                Max Muster     Head   +41 4
                ├ Anna Keller  Sales  +41 5
                │ ├ Bea Ek
                │ └ Dora Pohl
                └ Carl Orth

                """)
        let ascii = await run("team", "2", "--no-header", width: 60, charset: .ascii)
        #expect(ascii.output.contains("\n    Bea Ek\n") && !ascii.output.contains("├"))
        let json = await run("team", "anna", "keller", "-o", "json")
        struct Team: Decodable {
            let user, manager: User
            let peers, reports: [User]
        }
        let team = try? JSONValue(validating: json.bytes, maximumDepth: 9).decode(Team.self)
        #expect(team?.user.id == "2" && team?.manager.id == "1")
        #expect(team?.peers.map(\.id) == ["3"] && team?.reports.map(\.id) == ["4", "5"])
    }

    @Test func `a manager who is not among the users is named`() async {
        let team = await run("team", "fritz")
        #expect(team.output.hasSuffix("gone (not among the users)\n  Fritz Rau\n") && team.code == 0)
        let up = await run("org", "fritz", "--up")
        #expect(up.output == team.output && up.code == 0)
        #expect(await run("team", "3").output.contains("Anna Keller"))
        let alone = Self.user("8", "Gia Sol")
        let ended = await run("team", "8", users: Self.company + [alone])
        #expect(ended.output.hasSuffix("Gia Sol\n") && ended.code == 0)
        #expect(ended.errors == "userctl: Gia Sol has neither a manager nor reports\n")
    }

    @Test func `org has two levels, and says how many more there are`() async {
        let ended = await run("org", "max", "--no-header")
        #expect(
            ended.output == """
                Max Muster     Head   +41 4        2
                  Anna Keller  Sales  +41 5        2
                    Bea Ek
                    Dora Pohl                      1
                  Carl Orth

                """)
        #expect(ended.errors == "userctl: 1 more below: --depth 3 shows another level\n" && ended.code == 0)
        let all = await run("org", "max", "--depth", "3")
        #expect(all.output.contains("      Emil Quist\n") && all.errors == "")
        #expect(await run("org", "carl").errors == "userctl: Carl Orth has no reports\n")
        let first = await run("org", "max", "--depth", "1", "--quiet")
        #expect(first.output.split(separator: "\n").count == 4 && first.errors == "")
    }

    @Test func `org in JSON is nested, each with those below`() async throws {
        struct Node: Decodable {
            let user: User
            let reports: Int
            let below: [Node]
            var text: String { "\(user.id)/\(reports)[\(below.map(\.text).joined(separator: " "))]" }
        }
        let ended = await run("org", "max", "--depth", "9", "-o", "json")
        let json = try JSONValue(validating: ended.bytes, maximumDepth: 30)
        #expect(try json.decode(Node.self).text == "1/2[2/2[4/0[] 5/1[6/0[]]] 3/0[]]")
        #expect(json["total"]?.int == 6 && json["freshness"]?["phase"]?.string == "loaded")
        let up = await run("org", "--up", "emil", "-o", "json")
        let chain = try JSONValue(validating: up.bytes, maximumDepth: 9).decode(ManagerChain.self)
        #expect(chain.managers.map(\.id) == ["5", "2", "1"] && chain.end == .top)
    }

    @Test func `the managers are above the user, the head first`() async {
        let up = await run("org", "emil", "--up", "--no-header", width: 60)
        #expect(
            up.output == """
                Max Muster        Head   +41 4
                └ Anna Keller     Sales  +41 5
                  └ Dora Pohl
                    └ Emil Quist

                """)
        #expect(await run("org", "max", "--up").errors == "userctl: Max Muster has no manager\n")
        var circle = Self.company
        circle[0].manager = .init(id: "6")
        let round = await run("org", "emil", "--up", users: circle)
        #expect(round.code == 0 && round.errors.contains("the managers go round in a circle"))
        #expect(await run("org", "emil", "--up", "--depth", "2").code == 64)
        #expect(await run("org", "emil", "--depth", "0").code == 64)
    }

    @Test(
        arguments: [
            ([:], "upstream sent no managers\n"), (["users.format": "gitlab"], "this API has no managers"),
            (["users.format": "ldap", "users.omit": "[manager, picture]"], "users.omit leaves managers out"),
            (["users.format": "graph", "users.query": "$select=id"], "$expand=manager"),
            (
                [
                    "users.format": "graph", "users.query": "$expand=manager",
                    "users.oauth.scope": "User.ReadBasic.All",
                ],
                "User.ReadBasic.All in users.oauth.scope does not read managers"
            ),
            (["users.format": "json"], "manager_id or manager_name"),
        ] as [(KeyValuePairs<String, String>, String)])
    func `a directory without managers is said to have none, and why`(
        settings: KeyValuePairs<String, String>, words: String
    ) async {
        let values = settings.map { SettingValue(name: $0, value: $1, origin: "file") }
        for command in ["team", "org"] {
            let ended = await run(command, "4", users: [Self.user("4", "Bea Ek")], settings: values)
            #expect(ended.code == 1 && ended.output == "")
            #expect(
                ended.errors.contains("upstream sent no managers\n") && ended.errors.contains(words),
                "\(ended)")
        }
    }

    @Test func `without a user it is about the one whom the configuration names`() async throws {
        let home = try TemporaryDirectory()
        let file = home.file(".config/userd/config.yaml")
        try FileManager.default.createDirectory(
            atPath: home.file(".config/userd"), withIntermediateDirectories: true)
        func write(_ text: String) throws { try Data(text.utf8).write(to: URL(filePath: file)) }
        try write("paused: true\nme: Bea@example.org\n")
        #expect(await run("team", home: home.path).output.contains("  Bea Ek\n"))
        try write("paused: true\nme: nobody\n")
        let ended = await run("org", home: home.path)
        #expect(ended.code == 1 && ended.errors.contains("config.yaml:2: me: no user has the id"), "\(ended)")
        #expect(ended.errors.contains("find yourself with `userctl who nobody`"), "\(ended)")
        try write("paused: true\nme: Crew@example.org\n")
        let group = await run("team", users: Self.withGroup, home: home.path)
        let reason = "config.yaml:2: me: Crew Team is a group: only persons have managers and reports"
        #expect(group.code == 1 && group.errors.contains(reason), "\(group)")
    }

    private static let withGroup: [User] = {
        var group = user("8", "Crew Team")
        group.kind = .group
        return company + [group]
    }()

    @Test(arguments: ["team", "org"])
    func `a group has no team, and a person with such words is found`(command: String) async {
        let group = await run(command, "crew@example.org", users: Self.withGroup)
        #expect(group.output == "" && group.code == 1)
        #expect(group.errors.hasPrefix("userctl: Crew Team is a group: only persons have"), "\(group)")
        #expect(await run(command, "keller", users: Self.withGroup).code == 0)
        let nobody = await run(command, "nobody", users: Self.withGroup)
        #expect(nobody.code == 1 && nobody.errors.contains("no user has the id"))
    }

    @Test func `else about who has signed in, or holds the ticket, or has the login name`() async {
        let account = Account(signedIn: true, name: "bea@example.org", provider: "https://x.example.org")
        let login = Person(
            login: { .init(name: "anna", fullName: "anna KELLER", address: nil) },
            principal: { "Dora@CORP.EXAMPLE" })
        let signedIn = await run("org", "--up", caller: login, account: account)
        #expect(signedIn.output.hasSuffix("Bea Ek\n") && signedIn.errors == "")
        let sasl = [SettingValue(name: "users.sasl", value: "gssapi", origin: "file")]
        #expect(await run("org", "--up", settings: sasl, caller: login).output.hasSuffix("Dora Pohl\n"))
        let byLogin = await run("org", "--up", caller: login)
        #expect(
            byLogin.output.contains("  Anna Keller")
                && byLogin.errors == "userctl: as Anna Keller, by your login name\n")
        for (fullName, address, isFound) in [
            ("Anna Ott", nil, false), ("", "ANNA@example.org", true), ("", nil, false),
            ("", "x@example.org", false),
        ] as [(String, String?, Bool)] {
            let other = Person(
                login: { .init(name: "anna", fullName: fullName, address: address) }, principal: { nil })
            let ended = await run("team", caller: other)
            #expect((ended.code == 0) == isFound, "\(ended)")
            if !isFound {
                #expect(ended.code == 1 && ended.errors.contains("which of the users you are"), "\(ended)")
            }
        }
    }

    @Test func `show says how many reports, and with --up all managers`() async {
        let shown = await run("show", "dora")
        #expect(
            shown.output.contains("Reports   1\n") && !shown.output.contains("Managers"), "\(shown.output)")
        let up = await run("show", "emil", "--up")
        #expect(up.output.contains("Managers  Dora Pohl → Anna Keller → Max Muster\n"), "\(up.output)")
        #expect(await run("show", "emil", "--up", "-o", "json").code == 64)
    }

    @Test func `names are shown without control characters, and forty levels stay on the screen`() async {
        var users = (1...60).map { Self.user("\($0)", "L\($0) Level", under: $0 == 1 ? nil : "\($0 - 1)") }
        users[1].displayName = "\u{1B}[31mRed"
        for width in [nil, 40, 80] {
            let ended = await run("org", "1", "--depth", "60", users: users, width: width)
            #expect(ended.output.contains("L60 Level") && !ended.output.contains("\u{1B}"), "\(ended)")
            if let width {
                let widest = ended.output.split(separator: "\n").map(\.count).max() ?? 0
                #expect(widest <= width, "\(widest)")
            }
        }
    }
}
