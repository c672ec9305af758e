import ArgumentParser
import Glibc

package struct BrowseCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "browse", abstract: "Look through the users on a full screen, live.",
        discussion: """
            The list is on the left and the card of the chosen user beside it, or below, or in place of it when Enter is \
            pressed, as there is room. Typing searches at once. The line at the bottom says where the users stand; \
            what a sync changes is shown as soon as it has been committed. F1 lists the keys.

            Examples:
              userctl browse
              NO_COLOR=1 userctl browse
            """)

    @OptionGroup var paths: PathOptions

    package init() {}

    package func run() async throws {
        let console = Console.current
        guard console.output.width != nil, let screen = FullScreen(input: STDIN_FILENO, output: STDOUT_FILENO)
        else {
            throw CommandError(
                "browse needs a terminal", .usage, advice: "`userctl list` prints the users anywhere")
        }
        guard !["", "dumb"].contains(console.environment["TERM"] ?? "") else {
            throw CommandError(
                "this terminal can't be drawn on (TERM is \(console.environment["TERM"] ?? "not set"))",
                .usage,
                advice: "`userctl list` prints the users anywhere")
        }
        switch try browse(screen, console) {
        case .left(.done): return
        case .left(.interrupted): throw Outcome.interrupted
        case .left(.failed(let error)): throw error
        case .signal(let number):
            // As if it had not been caught.
            signal(number, SIG_DFL)
            kill(getpid(), number)
            throw Outcome.interrupted
        }
    }

    /// Each of the three may block, so each has a thread; the terminal has this one.
    private func browse(_ screen: FullScreen, _ console: Console) throws -> BrowseLoop.Ending {
        let inbox = try Inbox()
        let (requests, send) = AsyncStream.makeStream(of: BrowseFeed.Request.self)
        let paths = paths
        let feed = BrowseFeed(
            connect: { paths.connection(console) }, console: console, post: { inbox.post($0) })
        detachThread { ThreadExecutor.runHere { await feed.answer(requests) } }
        detachThread { ThreadExecutor.runHere { await feed.watch() } }
        var loop = BrowseLoop(screen, inbox, console) { send.yield($0) }
        return try loop.run()
    }
}
