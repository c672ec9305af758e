import ArgumentParser
import Browse
import CommandSupport
import Commands
import Diagnostics
import TestSupport
import Testing

/// Command lines that are read without the argument parser, against the argument parser.
@Suite struct ShortcutTests {
    /// What the argument parser makes of a command line; nil where it refuses it, or where it asks for something else.
    private func parsed(_ arguments: [String]) -> Shortcut? {
        switch try? Userctl.parseAsRoot(arguments) {
        case let list as ListCommand: .listing(list.listing)
        case let search as SearchCommand: .listing(search.listing)
        case let show as ShowCommand: .showing(show.showing)
        case let status as StatusCommand where !status.watch: .status(status.reading)
        default: nil
        }
    }

    @Test(arguments: [
        "list", "list --limit 20 --output json", "list --all --descending --order age --columns id,name",
        "list --search anna --nationality us --gender female --department it --socket /s --database /d",
        "search anna ber",
        "search --output mutt -- anna", "search anna -- --limit -x", "status",
        "status --output json --socket s", "show anna", "show --output vcard -- -x",
        "show a@b.c --database /d", "status users -q --output ndjson", "status users facts",
        "list -a -o csv --columns id -q", "list -n 3 -q", "show -o json anna -q",
    ])
    func `the usual command lines are read`(line: String) {
        let arguments = line.split(separator: " ").map(String.init)
        #expect(Shortcut(arguments) != nil)
        #expect(Shortcut(arguments) == parsed(arguments))
    }

    @Test(arguments: [
        "", "list anna", "list --limit 0", "list --limit x", "list --limit", "list --all --limit 3",
        "list --help",
        "list --limit 3 --limit 4", "list --output yaml", "list --columns id,,name", "list --limit=3",
        "list -h",
        "list --search --all", "search", "search --search anna", "status --watch", "status people",
        "status --all", "list -o json --output json", "list -n3", "list -ojson", "list -aq",
        "list --columns id --output json", "list --columns id -o mutt",
        "show", "show anna ber", "show anna --draw none", "show --help", "picture anna", "--version",
        "list --version", "list --", "search %",
    ])
    func `what is unusual or wrong is left to the argument parser`(line: String) {
        let shortcut = Shortcut(line.split(separator: " ").map(String.init))
        // `list --` is as usual as `list`.
        #expect((shortcut == nil) == (line != "list --"))
    }

    @Test func `a short option and its value may be one word`() {
        #expect(parsed(["list", "-n3", "-ojson"]) != nil)
        #expect(parsed(["list", "-n3", "-ojson"]) == parsed(["list", "-n", "3", "-o", "json"]))
    }

    @Test(arguments: 0..<4)
    func `whatever is read is what the argument parser reads`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let words = [
            "--limit", "--output", "--search", "--nationality", "--gender", "--department", "--order",
            "--columns",
            "--socket",
            "--database", "--all", "--descending", "--watch", "--", "-", "-x", "--limit=3", "3", "0", "-1",
            "+7", " 5",
            "1e3", "json", "table", "csv", "JSON", "age", "name", "name,ID", "name,", "", "anna", "a b", "é",
            "--output=json", "-n", "-o", "-a", "-q", "--quiet", "-w", "users",
            "help", "list", "99999999999999999999", "٣",
        ]
        var read = 0
        for _ in 0..<Volume.randomInputs {
            let command = ["list", "search", "status", "show"].randomElement(using: &random)!
            let count = Int.random(in: 0...5, using: &random)
            let arguments = [command] + (0..<count).map { _ in words.randomElement(using: &random)! }
            guard let shortcut = Shortcut(arguments) else { continue }
            read += 1
            #expect(shortcut == parsed(arguments), "\(arguments)")
        }
        #expect(read > 2)
    }
}
