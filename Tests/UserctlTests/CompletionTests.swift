import Foundation
import Model
import TestSupport
import Testing

@testable import UserctlCommands

/// Tests completion in the real shells, each in a pseudoterminal: types a line with a tab, then Enter.
@Suite(.timeLimit(.hang)) struct CompletionTests {
    private static let shells = ["bash", "zsh", "fish"]

    /// The arguments that userctl got for each line, and the terminal's output.
    private struct Typed: Decodable {
        let arguments: [[String]]
        let shown: String
    }

    private func type(_ lines: [String], in shell: String, database: String) async throws -> Typed {
        let driver = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Shells/typing.py")
        let environment = ["PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "USERD_DATABASE": database]
        let finished = try await run(
            "/usr/bin/python3", [driver.path, shell, Program.userctl.path] + lines, environment: environment,
            within: .seconds(600))
        try #require(finished.code == 0, "\(finished.errors)")
        return try JSONDecoder().decode(Typed.self, from: Data(finished.output.utf8))
    }

    private func expect(
        _ expected: KeyValuePairs<String, [String]>, in shell: String, database: String
    ) async throws {
        let typed = try await type(expected.map(\.key), in: shell, database: database)
        for (line, arguments) in zip(expected, typed.arguments) {
            #expect(arguments == line.value, "\(shell): \(line.key)")
        }
        #expect(typed.arguments.count == expected.count)
        #expect(!typed.shown.contains("userctl:"))
    }

    @Test(arguments: shells)
    func `departments and cities are completed from the cache`(shell: String) async throws {
        let cache = try await CacheFile(users: [
            User(id: "1", name: .init(first: "A", last: "B")) {
                $0.department = "Human Resources"
                $0.address.city = "Zürich"
            }
        ])
        try await expect(
            [
                "userctl list --department hum\t": ["list", "--department", "human Resources"],
                "userctl search x --city zu\t": ["search", "x", "--city", "zurich"],
                "userctl list --manager nobody\t": ["list", "--manager", "nobody"],
            ], in: shell, database: cache.path)
    }

    private func user(_ id: String, _ username: String?, _ email: String?) -> User {
        User(id: id, name: .init(first: "A", last: "B")) {
            $0.username = username
            $0.email = email
        }
    }

    @Test(arguments: shells)
    func `commands, options and their values are completed`(shell: String) async throws {
        let directory = try TemporaryDirectory()
        try Data().write(to: URL(filePath: directory.file("cache.db")))
        try await expect(
            [
                "userctl stat\t": ["status"], "userctl list --nat\t us": ["list", "--nationality", "us"],
                "userctl list --order em\t": ["list", "--order", "email"],
                "userctl list --order=em\t": ["list", "--order=email"],
                "userctl list --columns ci\t": ["list", "--columns", "city"],
                "userctl list --columns name,dep\t": ["list", "--columns", "name,department"],
                "userctl list --columns address_ci\t": ["list", "--columns", "address_city"],
                "userctl search x --columns city,name.f\t": ["search", "x", "--columns", "city,name.first"],
                "userctl show x --field nat\t": ["show", "x", "--field", "nationality"],
                "userctl show x --field=nat\t": ["show", "x", "--field=nationality"],
                "userctl status --output js\t": ["status", "--output", "json"],
                "userctl sync us\t": ["sync", "users"],
                "userctl sync users fa\t": ["sync", "users", "facts"],
                "userctl wait --for=emp\t": ["wait", "--for=empty"],
                // The cursor is before the second option.
                "userctl list --columns ci --all\(String(repeating: "\u{2}", count: 6))\t": [
                    "list", "--columns", "city", "--all",
                ],
                "userctl completion z\t": ["completion", "zsh"],
                "userctl list --database \(directory.path)/ca\t": [
                    "list", "--database", directory.file("cache.db"),
                ],
            ], in: shell, database: "/nonexistent")
    }

    @Test(arguments: shells)
    func `users' keys are completed from the cache, with any characters`(shell: String) async throws {
        let cache = try await CacheFile(users: [
            user("0123-4567", "lazyduck", "anna@example.com"), user("2", "o'neill", "quote\"d@example.com"),
            user("3", "two words", "back\\slash@example.com"), user("4", "colon:ed", "bang!bang@example.com"),
            user("5", "Ümlaut", "pipe|d&c@example.com"), user("6", "~root", "#hash*?[a]@example.com"),
        ])
        try await expect(
            [
                "userctl show laz\t": ["show", "lazyduck"], "userctl show LAZ\t": ["show", "LAZyduck"],
                "userctl show an\t": ["show", "anna@example.com"],
                "userctl show anna@\t": ["show", "anna@example.com"],
                "userctl show anna@ex\t": ["show", "anna@example.com"],
                "userctl show \"anna@\t": ["show", "anna@example.com"],
                "userctl show --output json an\t": ["show", "--output", "json", "anna@example.com"],
                "userctl show anna@ --output json\(String(repeating: "\u{2}", count: 14))\t": [
                    "show", "anna@example.com", "--output", "json",
                ],
                "userctl picture an\t": ["picture", "anna@example.com"],
                "userctl show o\t": ["show", "o'neill"], "userctl show o\\'n\t": ["show", "o'neill"],
                "userctl show q\t": ["show", "quote\"d@example.com"],
                "userctl show two\t": ["show", "two words"],
                "userctl show ba\t": ["show", "ba"],
                "userctl show bac\t": ["show", "back\\slash@example.com"],
                "userctl show ban\t": ["show", "bang!bang@example.com"],
                "userctl show col\t": ["show", "colon:ed"], "userctl show colon:\t": ["show", "colon:ed"],
                "userctl show Üm\t": ["show", "Ümlaut"],
                "userctl show pi\t": ["show", "pipe|d&c@example.com"],
                "userctl show \\~\t": ["show", "~root"],
                "userctl show \\#\t": ["show", "#hash*?[a]@example.com"],
                "userctl show 012\t": ["show", "0123-4567"], "userctl show nobody\t": ["show", "nobody"],
            ], in: shell, database: cache.path)
    }

    @Test(arguments: shells)
    func `a key can't run a command, and one with controls is not offered`(
        shell: String
    ) async throws {
        let directory = try TemporaryDirectory()
        let commands = [
            "d$(\(">" + directory.file("1")))", "b`\(">" + directory.file("2"))`",
            "s;\(">" + directory.file("3"))",
            "q'$(\(">" + directory.file("4")))'", "k\"$(\(">" + directory.file("5")))",
            "p|\(">" + directory.file("6"))",
        ]
        let hidden = ["esc\u{1B}[2Jape", "new\nline", "tab\tbed", "ret\rurn", "vidi\u{202E}ed", "-ption"]
        let cache = try await CacheFile(
            users: (commands + hidden).enumerated().map { user("\($0.offset)", $0.element, nil) })
        let lines = (commands + hidden).map { "userctl show \($0.first ?? "x")\t" }
        let typed = try await type(lines, in: shell, database: cache.path)
        #expect(
            typed.arguments
                == commands.map { ["show", $0] } + hidden.map { ["show", String($0.prefix(1))] })
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == [])
    }

    @Test(arguments: shells)
    func `without a cache nothing is offered, and nothing said`(shell: String) async throws {
        try await expect(["userctl show a\t": ["show", "a"]], in: shell, database: "/nonexistent/userd.db")
    }

    @Test func `folders are not offered as commands, nor users as folders`() async throws {
        let directory = try TemporaryDirectory()
        for name in ["status", "lazyduck", "folder"] {
            try FileManager.default.createDirectory(
                atPath: directory.file(name), withIntermediateDirectories: false)
        }
        let cache = try await CacheFile(users: [user("1", "lazyduck", nil)])
        try await expect(
            [
                "cd \(directory.path); userctl stat\t": ["status"],
                "userctl show la\t": ["show", "lazyduck"],
                "userctl list --database fo\t": ["list", "--database", "folder/"],
            ], in: "bash", database: cache.path)
    }

    @Test func `of 100,000 users some dozens are offered`() async throws {
        let users = (100_000..<200_000).map { user("id\($0)", "user\($0)", "user\($0)@example.com") }
        let cache = try await CacheFile(users: users)
        for typed in ["user", "user1", "USER19999", "id1", ""] {
            let ended = await userctl(
                [
                    "---completion", "show", "--", "positional@0", "2", "\(typed.count)", "userctl", "show",
                    typed,
                ],
                environment: ["USERD_DATABASE": cache.path])
            let offered = ended.output.split(separator: "\n")
            #expect((20...50).contains(offered.count), "\(typed)")
            #expect(offered.allSatisfy { $0.hasPrefix(typed) })
        }
    }

    @Test func `keys are completed from the command line's database`() async throws {
        let cache = try await CacheFile(users: [user("1", "lazyduck", nil)])
        try await expect(
            [
                "userctl show --database \(cache.path) la\t": ["show", "--database", cache.path, "lazyduck"]
            ], in: "fish", database: "/nonexistent/userd.db")
    }
}
