import TerminalViews
import Testing

/// Tests how messages and help fit the terminal.
@Suite struct MessageWidthTests {
    private func shown(_ arguments: String..., width: Int?) async -> Ended {
        await userctl(
            arguments, environment: ["USERD_SOCKET": "/nowhere/s", "USERD_DATABASE": "/nowhere/db"],
            width: width, errorWidth: width)
    }

    @Test func `a message is broken between words, on a terminal alone`() async {
        #expect(
            await shown("status", width: 44).errors == """
                userctl: userd is not running, and there is
                  no cache at /nowhere/db
                userctl: start it with
                  `userctl service enable`, or run `userd`

                """)
        #expect(
            await shown("status", width: nil).errors == """
                userctl: userd is not running, and there is no cache at /nowhere/db
                userctl: start it with `userctl service enable`, or run `userd`

                """)
    }

    @Test(arguments: [
        ("one two three", ["one two", "  three"]),
        ("ab `b c d` e", ["ab", "  `b c d`", "  e"]),
        // Longer than a line: an address stays whole, a command is broken between its words.
        ("at anna.keller@example.com", ["at", "  anna.keller@example.com"]),
        ("run `one two three four`", ["run `one", "  two", "  three", "  four`"]),
        ("a ` b c d e f", ["a ` b c d", "  e f"]),
        ("  id  name", ["  id", "  name"]), ("  id 1  ", ["  id 1  "]), ("", [""]),
    ]) func `a word and a short command are never broken`(line: String, expected: [String]) {
        #expect(line.filled(to: 9, indent: 2) == expected)
    }

    @Test func `the help fits the terminal, and the rest of a line is below its text`() async {
        let page = await shown("--help", width: 60).output
        #expect(
            page.contains(
                "\n  COLUMNS          the terminal's width, if the terminal\n                   does not"))
        let usage = await shown("sync", "--help", width: 60).output
        #expect(
            usage.contains(
                "\nUSAGE: userctl sync [--wait] [--accept-removals] [--full]\n       [<resources> ...]"))
        for command in ["list", "search", "show", "pick", "browse", "history", "connect", "doctor"] {
            for line in await shown(command, "--help", width: 60).output.split(separator: "\n") {
                #expect(line.displayWidth <= 60, "\(line)")
            }
        }
    }

    @Test func `in a pipe the help is as the argument parser breaks it`() async {
        let page = await shown("sync", "--help", width: nil).output
        let usage = "\nUSAGE: userctl sync [--wait] [--accept-removals] [--full] [<resources> ...] ["
        #expect(page.contains(usage))
    }
}
