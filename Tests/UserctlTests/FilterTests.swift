import Model
import Testing
import UserdAPI

@testable import UserctlCommands

/// Tests the filters, columns and counts of lists, and `show` of several users, on a cache file.
@Suite struct FilterTests {
    private static func person(
        _ id: String, _ first: String, _ last: String, _ fill: (inout User) -> Void = { _ in }
    ) -> User {
        User(id: id, name: .init(title: id == "1" ? "Ms" : nil, first: first, last: last)) {
            ($0.username, $0.email) = ("u\(id)", "u\(id)@example.com")
            fill(&$0)
        }
    }

    private static let people = [
        person("1", "Anna", "Keller") {
            ($0.jobTitle, $0.department, $0.address.country) = ("Editor", "Sales", "Côte d’Ivoire")
            $0.address.city = "Bern"
        },
        person("2", "Berta", "Keller") {
            ($0.department, $0.manager, $0.address.country) = ("Sales EMEA", .init(id: "1"), "Congo (DRC)")
            $0.address.city = "Bernau"
        },
        person("3", "Carl", "Meyer") {
            ($0.department, $0.manager, $0.address.country) = ("Salt", .init(id: "2"), "Côte d’Ivoire")
        },
        person("4", "Dora", "Meyer") {
            ($0.manager, $0.address.street) = (.init(name: "Max Frei"), "Congo 1")
        },
        person("5", "Anna", "Keller-Frisch") { $0.manager = .init(id: "3") },
    ]

    private func run(_ arguments: [String], users: [User] = people) async throws -> Ended {
        let cache = try await CacheFile(users: users)
        return await userctl(
            arguments + ["--socket", "/nonexistent/userd.sock", "--database", cache.path])
    }

    /// What a command says, but for the notice that userd is not running.
    private func said(_ ended: Ended) -> [String] {
        ended.errors.split(separator: "\n").map { String($0.trimmingPrefix("userctl: ")) }.filter {
            !$0.contains("reading the cache")
        }
    }

    @Test(
        "title is the job title, and name_title is Mr and Ms",
        arguments: [
            (["list", "-n", "1", "--columns", "title"], "Job title\nEditor\n"),
            (["list", "-n", "1", "--columns", "name_title"], "Title\nMs\n"),
            (["list", "-n", "1", "--columns", "name.title"], "Title\nMs\n"),
            (["list", "-n", "1", "--columns", "title", "-o", "csv"], "job_title\r\nEditor\r\n"),
            (["list", "-n", "1", "--columns", "name_title", "-o", "csv"], "name_title\r\nMs\r\n"),
            (["list", "-n", "1", "--order", "title", "--columns", "title", "--no-header"], "Editor\n"),
            (["show", "1", "--field", "title,name_title"], "Editor\nMs\n"),
        ])
    func title(arguments: [String], expected: String) async throws {
        let ended = try await run(arguments)
        #expect(ended.output == expected)
    }

    @Test(
        "A filter takes what people call a manager, a department, a city or a country",
        arguments: [
            (["--manager", "1"], ["2"], []), (["--manager", "u2@example.com"], ["3"], []),
            (["--manager", "max frei"], ["4"], []), (["--manager", "?"], [], ["Nobody's manager is “?”"]),
            // Found by their names. The one who is called so comes before those whose names begin so.
            (["--manager", "Anna Keller"], ["2"], []), (["--manager", "carl"], ["5"], []),
            (["--department", "sales"], ["1"], []),
            (
                ["--department", "sal"], ["1", "2", "3"],
                ["no department is called “sal”: showing those that begin with it"]
            ),
            (["--department", "sales", "--city", "bernau"], [], []),
            (["--city", "bern"], ["1"], []), (["--city", ""], [], ["Nobody's city is “”"]),
            (
                ["--city", "berna", "--department", "sales emea"], ["2"],
                ["no city is called “berna”: showing those that begin with it"]
            ),
            (["--country", "cote D’Ivoire"], ["1", "3"], []),
            (["--country", "côte d’ivoire"], ["1", "3"], []),
            (["--country", "congo"], [], ["Nobody's country is “congo”; near: Congo (DRC) (1)"]),
            (["--country", "Congo (DRC)"], ["2"], []),
        ] as [([String], [String], [String])])
    func filters(arguments: [String], ids: [String], notices: [String]) async throws {
        let ended = try await run(["list", "--columns", "id", "-o", "csv", "--no-header"] + arguments)
        #expect(ended.output.split(separator: "\r\n").sorted() == ids.map { $0[...] }, "\(ended.errors)")
        #expect(said(ended) == notices && ended.code == (notices.first?.hasPrefix("Nobody") == true ? 1 : 0))
    }

    @Test(
        "Several managers of one name end with 1 in every format",
        arguments: ["table", "json", "ndjson", "csv", "vcard", "mutt"])
    func ambiguous(format: String) async throws {
        let ended = try await run(["list", "-o", format, "--manager", "keller"])
        let lines = format == "mutt" ? ended.output.trimmingSuffix("\n").components("; ") : said(ended)
        #expect(ended.code == 1 && ended.output.isEmpty == (format != "mutt"))
        #expect(
            lines == [
                "“keller” matches 2 users: choose one by its id", "  1  Ms Anna Keller, Sales, Editor, Bern",
                "  2  Berta Keller, Sales EMEA, Bernau",
            ])
    }

    @Test(
        "--count prints the number alone",
        arguments: [
            (["list", "--count"], "5\n", 0), (["list", "--count", "-o", "json"], "5\n", 0),
            (["search", "keller", "--count"], "3\n", 0), (["search", "nobody", "--count"], "0\n", 1),
            (["list", "--count", "--country", "nowhere"], "0\n", 1),
            (["list", "--count", "--columns", "id"], "", 64), (["list", "--count", "-o", "csv"], "", 64),
            (["list", "--count", "-n", "3"], "", 64),
        ] as [([String], String, Int32)])
    func count(arguments: [String], output: String, code: Int32) async throws {
        let ended = try await run(arguments)
        #expect(ended.output == output && ended.code == code, "\(ended.errors)")
    }

    @Test("One of several keys that several users have is told with what tells these apart")
    func ambiguousKey() async throws {
        let users = Self.people + [Self.person("6", "Emil", "Roth") { $0.username = "u1" }]
        let same = [
            "“u1” matches 2 users: choose one by its id",
            "  1  Ms Anna Keller, Sales, Editor, Bern", "  6  Emil Roth",
        ]
        for (keys, output, errors) in [
            (["u1", "u3"], "3\n", same),
            (
                ["u1", "u9"], "",
                same + [
                    "no user has the id, username or email address “u9”, or a word that begins with it",
                    "`userctl list` lists all users",
                ]
            ),
        ] {
            let ended = try await run(["show", "--field", "id"] + keys, users: users)
            #expect(ended.code == 1 && ended.output == output)
            #expect(said(ended) == errors)
        }
    }

    @Test(
        "show takes several keys; words that are one key, or find somebody together, stay one",
        arguments: [
            (["u1", "u3@example.com", "2"], ["1", "3", "2"], 0, []),
            (["anna", "keller-frisch"], ["5"], 0, []),
            (
                ["u1", "u9", "3"], ["1", "3"], 1,
                [
                    "no user has the id, username or email address “u9”, or a word that begins with it",
                    "`userctl list` lists all users",
                ]
            ),
        ] as [([String], [String], Int32, [String])])
    func several(keys: [String], ids: [String], code: Int32, errors: [String]) async throws {
        let field = try await run(["show", "--field", "id"] + keys)
        #expect(field.output == ids.map { $0 + "\n" }.joined() && field.code == code)
        #expect(said(field).filter { !$0.hasPrefix("near") && !$0.hasPrefix(" ") } == errors)
        let csv = try await run(["show", "-o", "csv"] + keys)
        #expect(
            csv.output.split(separator: "\r\n").dropFirst().map { $0.prefix { $0 != "," } }
                == ids.map { $0[...] })
        for (format, user) in [("json", "{\"user\":"), ("ndjson", "{\"address\":")] {
            let ended = try await run(["show", "-o", format] + keys)
            let lines = ended.output.split(separator: "\n")
            #expect(lines.count == ids.count && lines.allSatisfy { $0.hasPrefix(user) })
        }
        let cards = try await run(["show", "--draw", "none"] + keys)
        #expect(cards.output.components("\n\n").count == ids.count, "\(cards.output)")
    }
}

extension String {
    fileprivate func components(_ separator: String) -> [String] {
        split(separator: separator).map(String.init)
    }

    fileprivate func trimmingSuffix(_ suffix: String) -> String {
        hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
    }
}
