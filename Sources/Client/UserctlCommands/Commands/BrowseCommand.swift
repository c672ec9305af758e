import ArgumentParser
import Glibc

struct BrowseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "browse", abstract: "Browse the users on a full screen, live.",
        discussion: """
            The list is on the left, the card of the selected user with the picture beside or below it. Typing searches. \
            Enter opens the whole card; there `y` copies the address, `t` copies the telephone number, `m` writes a mail \
            and `v` saves a vCard, named after the user, in the current folder. Tab marks users; then `y` copies the \
            addresses of all marked users, separated by commas. Marks stay when the search changes. Ctrl-Y does in the \
            list what `y` does on the card. The bottom line shows the state of the users; a sync's changes appear as \
            soon as they are committed. F1 lists the keys.

            Text is copied by wl-copy on Wayland, by xclip or xsel on X and by tmux, if they are installed. In any case \
            the terminal is also asked to copy it (OSC 52), which some terminals ignore.

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
