import ArgumentParser
import Browse
import CommandSupport
import Glibc

struct BrowseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "browse", abstract: "Browse the users on a full screen, live.",
        discussion: """
            The list is on the left. The card of the selected user is beside or below it; on a small screen Enter shows \
            it instead of the list. Typing searches. The bottom line shows the state of the users; a sync's changes \
            appear as soon as they are committed. F1 lists the keys.

            Examples:
              userctl browse
              NO_COLOR=1 userctl browse
            """)

    @OptionGroup var paths: PathOptions

    func run() async throws {
        let console = Console.current
        guard console.output.width != nil, let screen = FullScreen(input: STDIN_FILENO, output: STDOUT_FILENO)
        else {
            throw CommandError(
                "browse needs a terminal", .usage, advice: "`userctl list` prints the users anywhere")
        }
        guard !["", "dumb"].contains(console.environment["TERM"] ?? "") else {
            throw CommandError(
                "browse can't draw on this terminal (TERM is \(console.environment["TERM"] ?? "not set"))",
                .usage,
                advice: "`userctl list` prints the users anywhere")
        }
        switch try browse(screen, console) {
        case .left(.done): return
        case .left(.interrupted): throw Outcome.interrupted
        case .left(.failed(let error)): throw error
        case .signal(let number):
            // End by the signal, so that the parent process sees it.
            signal(number, SIG_DFL)
            kill(getpid(), number)
            throw Outcome.interrupted
        }
    }

    /// Requests, the watch and the terminal may each block, so each has a thread; the terminal has this one.
    private func browse(_ screen: FullScreen, _ console: Console) throws -> BrowseLoop.Ending {
        let inbox = try Inbox()
        let (requests, send) = AsyncStream.makeStream(of: BrowseClient.Request.self)
        let paths = paths
        let feed = BrowseClient(
            connect: { paths.connection(console) }, console: console, post: { inbox.post($0) })
        detachThread { ThreadExecutor.runHere { await feed.answer(requests) } }
        detachThread { ThreadExecutor.runHere { await feed.watch() } }
        var loop = BrowseLoop(screen, inbox, console) { send.yield($0) }
        return try loop.run()
    }
}
