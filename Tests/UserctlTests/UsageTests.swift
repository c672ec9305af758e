import Foundation
import Glibc
import Model
import Synchronization
import TerminalViews
import TestSupport
import Testing

@testable import UserctlCommands

@Suite struct UsageTests {
    @Test(arguments: [
        ["nonsense"], ["list", "--search", "!!!"], ["facts", "--search", "*"], ["list", "--socket", ""],
        ["show", "x", "--database", ""], ["wait", "--timeout", "-1"], ["preview", "error", "--width", "-4"],
        ["--socket", "s", "list"], ["list", "--limit", "0"], ["list", "--limit", "5", "--all"],
        ["list", "--order", "size"],
        ["list", "--columns", "name,size"], ["list", "--columns", ""], ["list", "anna"], ["search"], ["show"],
        ["fact", "--new", "--max-length", "5"], ["fact", "--max-length", "0"],
        ["facts", "--max-length", "-1"],
        ["sync", "cats"], ["pause", "users"], ["resume", "facts"], ["history", "users", "facts"],
        ["history", "--limit", "0"],
        ["watch", "--since", "-1"], ["status", "--output", "xml"], [""], ["-"], ["--nonsense"],
        ["--output", "json", "list"],
        ["list", "--nonsense"], ["list", "-x"], ["list", "--limit"], ["list", "--limit", "x"],
        ["list", "--limit", ""],
        ["list", "--limit", "99999999999999999999"], ["list", "--limit", "-5"], ["list", "--all=yes"],
        ["list", "--", "x"], ["show", "x", "--field", "phoen"],
        ["show", "x", "--field", "email", "-o", "json"], ["show", "x", "--no-header"], ["completion"],
        ["completion", "csh"],
        ["help", "nonsense"], ["service", "nonsense"], ["list", "a\nb"], ["list", "--order", "\u{1B}[31m"],
    ])
    func `wrong usage ends with 64, the error and where to look`(
        arguments: [String]
    ) async {
        let ended = await userctl(arguments)
        #expect(ended.code == 64)
        #expect(ended.output == "")
        let lines = ended.errors.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 3)
        #expect(lines[0].hasPrefix("userctl: "))
        #expect(lines[0].wholeMatch(of: /userctl: .*[^. ]/) != nil)
        let command =
            arguments[0] != "nonsense" && arguments[0].first?.isLetter == true && arguments[0] != "help"
        #expect(lines[1] == "userctl: see `userctl \(command ? "\(arguments[0]) " : "")--help`")
        // Swift's own names.
        #expect(ended.errors.firstMatch(of: /Swift|Error\b|Optional|Int\b|String\b|\(.*:.*\)/) == nil)
    }

    @Test(arguments: [
        (["lsit"], "unknown command “lsit”; did you mean list?"),
        (["stats"], "unknown command “stats”; did you mean status?"),
        (["help", "serach"], "unknown command “serach”; did you mean search?"),
        (["zzz"], "unknown command “zzz”"),
        (["service", "enalbe"], "unknown command “service enalbe”; did you mean enable?"),
        (["help", "service", "zzz"], "unknown command “service zzz”"),
        (["list", "--limt", "3"], "unknown option '--limt'; did you mean --limit?"),
        (["facts", "--max-lenth=3"], "unknown option '--max-lenth'; did you mean --max-length?"),
        (["--verison"], "unknown option '--verison'; did you mean --version?"),
        (["sync", "--hlep"], "unknown option '--hlep'; did you mean --help?"),
        (["list", "--foo"], "unknown option '--foo'"),
        (["list", "--limit", "0"], "--limit must be a number above 0"),
        (
            ["list", "--limit", "99999999999999999999"],
            "the value '99999999999999999999' is invalid for '--limit <number>'; it must be a whole number up to 9223372036854775807"
        ),
        (["--socket", "s", "list"], "the option --socket goes after the command list"),
        (["list", "--search", "!!!"], "“!!!” has no letter or digit to search for"),
        (["show", "x", "--database", ""], "--database is empty; name a file, or leave it out"),
        (["list", "--limit", "-1"], "--limit must be a number above 0"),
        (["facts", "--max-length", "-1"], "--max-length must be a number above 0"),
        (
            ["list", "-n", "x"],
            "the value 'x' is invalid for '-n <number>'; it must be a whole number up to 9223372036854775807"
        ),
        (["-q", "list"], "the option -q goes after the command list"),
        (["list", "-o", "json", "--columns", "id"], "--columns is for tables and CSV; json has all members"),
        (
            ["search", "a", "--columns", "id", "-o", "mutt"],
            "--columns is for tables and CSV; mutt has no columns"
        ),
        (
            ["list", "-o", "json", "--no-header"],
            "--no-header is for tables, CSV and mutt; json has no header"
        ),
        (["show", "x", "--no-header"], "--no-header is for CSV and mutt; table has no header"),
        (
            ["show", "x", "--field", "email", "-o", "csv"],
            "--field prints plain values; leave out --output or --field"
        ),
        (
            ["picture", "ann", "-o", "json"],
            "--output names a file, such as ./json; `userctl show USER --output json` prints the user"
        ),
        (["watch", "--since", "-1"], "--since must be 0 or more"),
        (["watch", "--since", ":1"], "the value ':1' is invalid for '--since <index>'"),
        (["history", "--limit", "10001"], "--limit must be at most 10000"),
        (
            ["wait", "--timeout", "foo"],
            "the value 'foo' is invalid for '--timeout <time>': it must be a time such as 90, 90s, 5m or 2h, at most a year"
        ),
        (
            ["sync", "cats"],
            "the value 'cats' is invalid for '<resources>'. Please provide one of 'users' and 'facts'"
        ),
        (
            ["sync", "user"],
            "the value 'user' is invalid for '<resources>'. Please provide one of 'users' and 'facts'; did you mean users?"
        ),
        (
            ["connect", "a.test", "--for-administrator", "--machines", "lots"],
            "the value 'lots' is invalid for '--machines <number>': it must be a number from 1 to 1000000"
        ),
        (
            ["connect", "a.test", "--for-administrator", "--machines", "0"],
            "the value '0' is invalid for '--machines <number>': it must be a number from 1 to 1000000"
        ),
        (
            ["connect", "a.test", "--machines", "5"],
            "--machines is for the text of --for-administrator: add that option"
        ),
        (["connect", "demo", "--client-id", "a"], "nobody signs in to the demo; leave out --client-id"),
        (["wait", "--phase", "error"], "unknown option '--phase'"),
        (["sync", "users", "--frob", "x", "--wait"], "unknown option '--frob'"),
        (
            ["wait", "--fail-fast", "error"],
            "the value 'error' is invalid for '<resources>'. Please provide one of 'users' and 'facts'"
        ),
        (
            ["list", "--output", "jsn"],
            "the value 'jsn' is invalid for '--output <format>'. Please provide one of the following: table, json, ndjson, csv, vcard, vcard3, mutt; did you mean json?"
        ),
        (
            ["list", "--order", "adn"],
            "the value 'adn' is invalid for '--order <order>'. Please provide one of the following: name, age, registered, nationality, email, department, title, city, match"
        ),
    ])
    func `a usage error suggests the nearest name`(arguments: [String], message: String) async {
        #expect(await userctl(arguments).errors.hasPrefix("userctl: \(message)\n"))
    }

    @Test func `an unknown column is named with the known ones`() async {
        let ended = await userctl("list", "--columns", "name,size")
        let all = "The names are \(UserColumn.all.map(\.key).joined(separator: ", "))\n"
        #expect(ended.errors.contains("unknown column “size”. \(all)"))
        let typo = await userctl("list", "--columns", "nmae")
        #expect(typo.errors.contains("unknown column “nmae”; did you mean name? \(all)"))
        let field = await userctl("show", "x", "--field", "cty")
        #expect(field.errors.contains("unknown field “cty”; did you mean city? \(all)"))
    }

    @Test func `pause refuses a resource's name`() async {
        let ended = await userctl("pause", "users")
        #expect(ended.errors.contains("users and facts are paused and resumed together"))
    }

    @Test func `control characters of the command line are escaped`() async {
        #expect(!(await userctl("list", "a\u{1B}[2J").errors.contains("\u{1B}")))
    }

    @Test(arguments: [
        "list", "search", "show", "fact", "facts", "status", "sync", "retry", "cancel", "pause", "resume",
        "watch", "history", "completion", "browse",
    ])
    func `every command's help has examples, on stdout`(command: String) async {
        let ended = await userctl(command, "--help")
        #expect(ended.code == 0)
        #expect(ended.output.contains("Examples:\n  userctl \(command)"))
        #expect(ended.errors == "")
    }

    @Test func `the version is userd's`() async {
        #expect(await userctl("--version").output == version + "\n")
    }

    @Test func `without a command the help is printed: commands first, reference last`()
        async throws
    {
        let ended = await userctl()
        #expect(ended.code == 0)
        #expect(await userctl("--help").output == ended.output)
        let places = try ["Examples:", "USAGE:", "SUBCOMMANDS:", "Environment:", "Files:", "Exit status:"].map
        {
            try #require(ended.output.firstRange(of: $0)).lowerBound
        }
        #expect(places == places.sorted())
    }

    @Test func `the argument parser's own completion option is refused`() async {
        for arguments in [
            ["--generate-completion-script", "bash"], ["--generate-completion-script=bash"],
            ["list", "--generate-completion-script"],
        ] {
            let ended = await userctl(arguments)
            #expect(ended.code == 64)
            #expect(ended.output == "")
            #expect(ended.errors.hasSuffix("userctl: use `userctl completion bash`, or zsh, or fish\n"))
        }
    }

    @Test func `the help lists every exit code`() async throws {
        let help = await userctl("--help").output
        let table = try #require(help.components(separatedBy: "Exit status:\n").last)
        let codes = table.split(separator: "\n").map { Int32($0.split(separator: " ")[0]) }
        #expect(codes == [0] + Outcome.allCases.map(\.rawValue))
    }
}

@Suite struct TerminalTests {
    @Test(arguments: [
        ([:], true), (["NO_COLOR": ""], true), (["NO_COLOR": "1"], false), (["TERM": "dumb"], false),
        (["TERM": "xterm"], true),
    ])
    func `colour follows NO_COLOR and TERM`(environment: [String: String], expected: Bool) {
        #expect(allowsColour(environment) == expected)
    }

    @Test(arguments: [
        ([:], 80), (["COLUMNS": "132"], 132), (["COLUMNS": "0"], 80), (["COLUMNS": "x"], 80),
        (["COLUMNS": "\(Int.max)"], 65_535),
    ])
    func `without a size from the terminal, the width is COLUMNS or 80`(
        environment: [String: String], expected: Int
    ) {
        #expect(terminalSize(-1, environment).columns == expected)
    }

    @Test(
        arguments: [
            ([:], .unicode), (["LANG": "C"], .ascii), (["LC_ALL": "POSIX"], .ascii),
            (["LANG": "C.UTF-8"], .unicode),
            (["LANG": "de_DE.UTF-8"], .unicode), (["LANG": "de_DE.utf8@euro"], .unicode),
            (["LANG": "de_DE.ISO-8859-15@euro"], .ascii), (["LANG": "de_DE"], .unicode),
            (["LANG": ""], .unicode),
            (["LANG": "en_US.UTF-8", "LC_CTYPE": "C"], .ascii),
            (["LANG": "C", "LC_CTYPE": "C.UTF-8"], .unicode),
            (["LC_CTYPE": "C", "LC_ALL": "en_US.UTF-8"], .unicode), (["LC_ALL": "", "LANG": "C"], .ascii),
            (["LANG": "ja_JP.eucJP"], .ascii),
        ] as [([String: String], Charset)])
    func `the charset is what the locale says, and UTF-8 where it says nothing`(
        environment: [String: String], expected: Charset
    ) {
        #expect(Charset(environment: environment) == expected)
    }

    @Test(
        arguments: [
            ([:], .blocks(.palette)), (["COLORTERM": "truecolor"], .blocks(.all)),
            (["COLORTERM": "24bit"], .blocks(.all)),
            (["TERM": "dumb"], nil), (["NO_COLOR": "1"], nil),
            (["TERM": "xterm-kitty", "NO_COLOR": "1"], .kitty),
            (["KITTY_WINDOW_ID": "1"], .kitty), (["TERM": "xterm-ghostty"], .kitty),
            (["TERM_PROGRAM": "ghostty"], .kitty), (["KONSOLE_VERSION": "230401"], .kitty),
            (["KONSOLE_VERSION": "211200"], .blocks(.palette)), (["TERM_PROGRAM": "iTerm.app"], .iterm2),
            (["LC_TERMINAL": "iTerm2"], .iterm2), (["TERM_PROGRAM": "WezTerm"], .iterm2),
            (["TERM_PROGRAM": "Apple_Terminal"], .blocks(.palette)),
            (["KITTY_WINDOW_ID": "1", "TMUX": "/tmp/tmux"], .blocks(.palette)),
            (["LC_TERMINAL": "iTerm2", "TERM": "screen-256color"], .blocks(.palette)),
            (["LC_TERMINAL": "iTerm2", "STY": "1.pts"], .blocks(.palette)),
        ] as [([String: String], PictureDrawing.Method?)])
    func `pictures are given to a terminal the way that its environment says it has`(
        environment: [String: String], expected: PictureDrawing.Method?
    ) {
        #expect(pictureMethod(environment) == expected)
    }

    @Test func `the sizes of a terminal and its cells are read`() throws {
        var (main, terminal): (Int32, Int32) = (-1, -1)
        var size = winsize(ws_row: 24, ws_col: 100, ws_xpixel: 900, ws_ypixel: 480)
        try #require(openpty(&main, &terminal, nil, nil, &size) == 0)
        defer { for descriptor in [main, terminal] { close(descriptor) } }
        let output = Console.Output.descriptor(
            terminal, ["LANG": "C", "NO_COLOR": "1", "TERM": "xterm-kitty"])
        let cells = try #require(output.size())
        #expect(output.width == 100 && cells == (100, 24))
        #expect(output.charset == .ascii)
        #expect(!output.colour)
        let cell = try #require(output.pictures?.cell)
        #expect(cell == (9, 20))
        size.ws_xpixel = 0
        try #require(ioctl(terminal, UInt(TIOCSWINSZ), &size) == 0)
        let unknown = try #require(Console.Output.descriptor(terminal, [:]).pictures?.cell)
        #expect(unknown == (10, 20))
    }

    @Test func `a slow reader of a pipe gets all bytes`() async throws {
        let written = (0..<200_000).map { UInt8(truncatingIfNeeded: $0) }
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let (reading, writing) = (ends[0], ends[1])
        _ = fcntl(writing, F_SETFL, O_NONBLOCK)
        async let arrived = onThread {
            var all: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = read(reading, &buffer, buffer.count)
                if count <= 0 { return all }
                all += buffer[..<count]
            }
        }
        try await onThread {
            defer { close(writing) }
            try writeAll(written, to: writing)
        }
        #expect(try await arrived == written)
        close(reading)
    }

    @Test func `output that can't be written is an error with its reason`() {
        let error = #expect(throws: CommandError.self) { try writeAll([1], to: -1) }
        #expect(error?.message == "the output can't be written: Bad file descriptor")
        #expect(error?.status == .output)
        #expect(error?.advice.count == 1)
    }

    @Test func `times are shown in local time`() {
        let newYork = WallClock(now: { noon }, offset: { _ in -5 * 3600 })
        #expect(newYork.text(time("01T02:03:04.567")) == "2026-02-28 21:03:04")
    }
}
