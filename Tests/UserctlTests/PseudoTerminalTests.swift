import Foundation
import Glibc
import Model
import StrictJSON
import TerminalViews
import TestSupport
import Testing

/// Tests the program in a pseudoterminal; it reads a cache file.
@Suite(.timeLimit(.hang)) struct PseudoTerminalTests {
    private let cache: CacheFile
    private let facts = [Fact(id: "1", text: "Cats’ “purr”…", length: 13, firstSeenAt: noon)]

    init() async throws { cache = try await CacheFile(users: [anna, wei], facts: facts) }

    private func environment(_ more: [String: String]) -> [String: String] {
        let usual = [
            "PATH": "/usr/bin:/bin", "TERM": "xterm", "USERD_DATABASE": cache.path,
            "USERD_SOCKET": "/nonexistent/userd.sock",
        ]
        return usual.merging(more) { $1 }
    }

    /// The terminal's output from both streams, with its line ends.
    private func onTerminal(
        _ arguments: [String], columns: Int = 80, environment more: [String: String] = [:]
    ) async throws -> Finished {
        let words = ([Program.userctl.path] + arguments).map { "'\($0)'" }.joined(separator: " ")
        return try await run(
            "/usr/bin/script",
            ["-qec", "stty -onlcr cols \(columns) rows 40; exec \(words)", "/dev/null"],
            environment: environment(more))
    }

    @Test(
        "In a C locale, the terminal gets only ASCII",
        arguments: [
            ["list"], ["list", "--output", "json"], ["show", "id-anna"], ["show", "Ångström"], ["facts"],
            ["status"],
            ["history"], ["list", "--columns", "größe"], ["list", "--help"], ["preview", "loaded"], ["sync"],
            ["picture", "id-anna", "--draw", "blocks"], ["picture", "id-anna", "--draw", "kitty"],
        ])
    func ascii(arguments: [String]) async throws {
        let result = try await onTerminal(arguments, environment: ["LC_ALL": "C"])
        #expect(!result.output.isEmpty)
        #expect(result.output.utf8.allSatisfy { $0 < 0x80 }, "\(result.output)")
    }

    @Test("In a C locale, letters are escaped and signs replaced, also on stderr")
    func forms() async throws {
        let table = try await onTerminal(
            ["list", "--columns", "name,age"], environment: ["LANG": "POSIX", "NO_COLOR": "1"])
        #expect(
            table.output.hasPrefix(
                """
                Name                  Age
                Bergstr\\u{F6}m, Anna   35
                \\u{738B} \\u{4F1F}

                """))
        let facts = try await onTerminal(["facts"], environment: ["LC_CTYPE": "de_DE.ISO-8859-1"])
        #expect(facts.output.hasPrefix(#"* Cats' "purr"..."# + "\n"))
        let error = try await onTerminal(["show", "Ö"], environment: ["LC_ALL": "C"])
        #expect(error.output.contains(#"email address "\u{D6}", or"#))
        #expect(error.code == 1)
    }

    @Test("In a C locale, list escapes the same letters as browse")
    func browse() async throws {
        let escaped = #"Bergstr\u{F6}m"#
        let list = try await onTerminal(["list"], environment: ["LC_ALL": "C"])
        #expect(list.output.contains(escaped))
        let (browse, typing) = try await browsing(["LC_ALL": "C"])
        #expect(browse.text(.output).contains(escaped), "\(browse.text(.output))")
        // Ctrl-C.
        try typing.write(contentsOf: [3])
        try await browse.ended()
        try typing.close()
    }

    /// Starts browse in a pseudoterminal, and waits until it shows the users.
    /// - Returns: the process, and its keyboard.
    private func browsing(_ more: [String: String]) async throws -> (ChildProcess, FileHandle) {
        let keys = cache.directory.file("keys")
        try #require(mkfifo(keys, 0o600) == 0)
        let browse = try ChildProcess(
            "/bin/sh",
            [
                "-c",
                "script -qefc 'stty cols 80 rows 24; exec \(Program.userctl.path) browse' /dev/null <\(keys)",
            ],
            environment: environment(more))
        let typing = try await onThread { try FileHandle(forWritingTo: URL(filePath: keys)) }
        try await wait { browse.text(.output).contains("Anna") || browse.hasEnded }
        return (browse, typing)
    }

    @Test(
        "No key after Ctrl-U is lost, written at once or one by one",
        arguments: [["\u{15}anna"], ["\u{15}", "a", "n", "n", "a"]], ["wei", "wei\r", "\r"])
    func keysAfterCtrlU(writes: [String], before: String) async throws {
        let (browse, typing) = try await browsing(["LANG": "C.UTF-8", "NO_COLOR": "1"])
        try typing.write(contentsOf: Array(before.utf8))
        if before.hasPrefix("wei") {
            try await wait { browse.text(.output).contains("Search: wei") || browse.hasEnded }
        }
        for write in writes { try typing.write(contentsOf: Array(write.utf8)) }
        try await wait { browse.text(.output).contains("Search: anna") || browse.hasEnded }
        #expect(!browse.hasEnded, "\(browse.text(.output))")
        // Ctrl-C.
        try typing.write(contentsOf: [3])
        try await browse.ended()
        try typing.close()
    }

    @Test("In a C locale, JSON stays valid")
    func json() async throws {
        let plain = try await run(
            Program.userctl.path, ["list", "--output", "json"], environment: environment(["LC_ALL": "C"]))
        let result = try await onTerminal(["list", "--output", "json"], environment: ["LC_ALL": "C"])
        // Messages follow.
        let end = try #require(result.output.firstRange(of: "\n}\n")).upperBound
        let document = result.output[..<end]
        #expect(document.contains(#"Bergstr\u00f6m"#))
        func names(_ json: Substring) throws -> [String] {
            struct List: Decodable { var users: [User] }
            return try JSONDecoder().decode(List.self, from: Data(json.utf8)).users.map(\.name.last)
        }
        #expect(try names(document) == names(plain.output[...]))
        let lines = try await onTerminal(["list", "--output", "ndjson"], environment: ["LC_ALL": "C"])
        for line in lines.output.split(separator: "\n").prefix(2) {
            #expect(throws: Never.self) { try JSONDecoder().decode(User.self, from: Data(line.utf8)) }
        }
    }

    @Test("Without a locale or charset, letters are not escaped")
    func unset() async throws {
        for environment in [[:], ["LANG": "de_DE"], ["LANG": "C.UTF-8"]] {
            let result = try await onTerminal(["list"], environment: environment)
            #expect(result.output.contains("Bergström, Anna"))
        }
    }

    @Test("An installed locale has the charset that the C library reports")
    func installed() async throws {
        let locales = try TemporaryDirectory()
        try FileManager.default.copyItem(
            atPath: "/usr/lib/locale/C.utf8", toPath: locales.file("C@utf"))
        let result = try await onTerminal(["list"], environment: ["LANG": "C@utf", "LOCPATH": locales.path])
        #expect(result.output.contains("Bergström, Anna"))
    }

    @Test("Files and pipes get UTF-8 without colours in any locale")
    func pipe() async throws {
        let result = try await run(
            Program.userctl.path, ["list"], environment: environment(["LC_ALL": "C"]))
        #expect(result.output.contains("Bergström, Anna"))
        #expect(!result.output.contains("\u{1B}"))
    }

    @Test(
        "Colours are used unless NO_COLOR is set or the terminal has none",
        arguments: [([:], true), (["NO_COLOR": "1"], false), (["TERM": "dumb"], false)]
            as [([String: String], Bool)])
    func colour(environment: [String: String], expected: Bool) async throws {
        for command in [["list"], ["status"], ["show", "id-anna"]] {
            let result = try await onTerminal(command, environment: environment)
            #expect(result.code == 0)
            #expect(result.output.contains("\u{1B}[1m") == expected, "\(command)")
            #expect(result.output.contains("\u{1B}") == expected, "\(command)")
        }
    }

    @Test("Lines fit the terminal, however narrow or wide", arguments: [20, 40, 500])
    func width(columns: Int) async throws {
        for command in ["list", "status", "facts", "history"] {
            let result = try await onTerminal(
                [command], columns: columns, environment: ["NO_COLOR": "1"])
            // Messages follow, whose paths are not broken.
            let lines = result.output.split(separator: "\n").prefix { !$0.hasPrefix("userctl: ") }
            #expect(lines.count > 0)
            #expect(lines.allSatisfy { $0.displayWidth <= columns }, "\(command): \(lines)")
        }
        let list = try await onTerminal(["list"], columns: columns, environment: ["NO_COLOR": "1"])
        #expect(list.output.hasPrefix("Name   Bergström,") == (columns < 50))
    }

    @Test("The environment decides how pictures are drawn")
    func pictures() async throws {
        let kitty = try await onTerminal(["picture", "id-anna"], environment: ["TERM": "xterm-kitty"])
        #expect(kitty.output.contains("\u{1B}_Ga=T,"))
        let blocks = try await onTerminal(["picture", "id-anna"], environment: ["COLORTERM": "truecolor"])
        #expect(blocks.output.contains(";48;2;") || blocks.output.contains(";38;2;"))
        let palette = try await onTerminal(["picture", "id-anna"])
        #expect(palette.output.contains(";48;5;") || palette.output.contains(";38;5;"))
        let none = try await onTerminal(["picture", "id-anna"], environment: ["TERM": "dumb"])
        #expect(none.code == 1)
        #expect(!none.output.contains("\u{1B}"))
    }
}
