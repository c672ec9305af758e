import ArgumentParser
import Browse
import CommandSupport
import Glibc

struct BrowseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "browse", abstract: "Browse the users on a full screen, live.",
        discussion: """
            The list is on the left, the card of the selected user with the picture beside or below it. Typing searches. \
            Enter opens the whole card; there `y` copies the address, `m` writes a mail and `v` saves a vCard. The bottom \
            line shows the state of the users; a sync's changes appear as soon as they are committed. F1 lists the keys.

            Examples:
              userctl browse
              userctl browse berg
              NO_COLOR=1 userctl browse
            """)

    @Argument(help: "Start with a search for these words.")
    var words: [String] = []

    @OptionGroup var paths: PathOptions

    func run() async throws {
        let console = Console.current
        guard console.output.width != nil, let screen = FullScreen(input: STDIN_FILENO, output: STDOUT_FILENO)
        else {
            throw CommandError(
                "browse needs a terminal", .usage, advice: "`userctl list` prints the users anywhere")
        }
        try console.checkTerminal(for: "browse")
        try BrowseSession(
            paths: paths.paths, console: console, query: words.joined(separator: " ")
        ).run(on: screen)
    }
}
