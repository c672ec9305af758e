// userd-manual: makes the manual pages of userd and userctl at build time. It is not installed.
//
// In: the output of a program's --experimental-dump-help, on standard input.
// Out: a page in mdoc, on standard output.
//
// Start: Manual.swift puts the sections together, CommandInfo.swift is what the dump says of a command, and
// Discussion.swift splits its text into paragraphs and sections.
//
// Threads: the main thread alone.

import ArgumentParser
import FoundationEssentials
import Platform

@main struct UserdManual: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "userd-manual",
        abstract: "Convert the output of --experimental-dump-help into a manual page.",
        discussion: """
            Examples:
              userctl --experimental-dump-help |
                userd-manual --date "$(date +'%B %-d, %Y')" --see-also userd
            """)

    @Option(help: ArgumentHelp("The date of the page.", valueName: "month day, year"))
    var date: String

    @Option(help: ArgumentHelp("A related page of section 1.", valueName: "name"))
    var seeAlso: [String] = []

    static func main() { start() }

    func run() throws {
        var input = Data()
        while let line = readLine(strippingNewline: false) { input += Data(line.utf8) }
        let tool = try JSONDecoder().decode(ToolInfo.self, from: input)
        Self.output(Manual(command: tool.command, seeAlso: seeAlso, date: date).text)
    }
}
