import ArgumentParser
import Model
import Reads
import UserdAPI

struct PreviewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "preview",
        abstract: "Draw what list, show and status look like in a phase, from sample data.",
        discussion: """
            Needs neither userd nor a cache, and draws the same each time. During a sync and after a failure the users of \
            the last sync that succeeded are still there.

            Examples:
              userctl preview loaded
              userctl preview error --width 40
            """)

    @Argument(help: "The phase of users and facts.")
    var phase: Phase

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Draw as on a terminal of this many columns.", valueName: "columns"))
    var width: Int?

    @OptionGroup var draw: DrawOption

    mutating func validate() throws { try validatePositive(width, "--width") }

    func run() async throws {
        var console = Console.current
        let portrait = draw.draw.drawing(console).flatMap {
            try? PictureReply(nil).portrait($0, on: console.output)
        }
        console.output.width = width ?? console.output.width
        try console.show(Preview(phase: phase, portrait: portrait))
    }
}
