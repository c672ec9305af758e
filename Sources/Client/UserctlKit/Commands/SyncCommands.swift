import ArgumentParser
import Model
import UserdAPI

package struct SyncCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "sync", abstract: "Fetch users and facts anew, now.",
        discussion: """
            Examples:
              userctl sync
              userctl sync users --wait
              userctl sync users --wait --accept-removals
            """)

    @OptionGroup var resources: ResourceArguments

    @Flag(help: "Wait until it has ended; exit with 1 if it failed.")
    var wait = false

    @Flag(help: "Let this sync remove more users than the removal guard allows.")
    var acceptRemovals = false

    @OptionGroup var format: FormatOption<DocumentFormat>
    @OptionGroup var paths: PathOptions

    package init() {}

    package func run() async throws {
        let parameters = Sync(
            resources: resources.named, wait: wait ? true : nil, acceptRemovals: acceptRemovals ? true : nil)
        let request = SyncRequest(paths: paths, format: format.output, resources: resources, wait: wait)
        let states = try await request.run { try $0.sync(parameters) }
        // The state of a cancelled sync is the one before it, whatever that was.
        if wait {
            try request.judge(states.map { ($0, hasFailed: $0.phase == .error || $0.cause == .cancelled) })
        }
    }
}

package struct RetryCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Try again at once what failed, without waiting for its time.",
        discussion: """
            Examples:
              userctl retry
              userctl retry facts --wait
            """)

    @OptionGroup var resources: ResourceArguments

    @Flag(help: "Wait until it has ended; exit with 1 if it failed again.")
    var wait = false

    @OptionGroup var format: FormatOption<DocumentFormat>
    @OptionGroup var paths: PathOptions

    package init() {}

    package func run() async throws {
        let parameters = Retry(resources: resources.named, wait: wait ? true : nil)
        let request = SyncRequest(paths: paths, format: format.output, resources: resources, wait: wait)
        let states = try await request.run { try $0.retry(parameters) }
        if wait {
            // What was not in error was not tried, and a retry that was cancelled goes back to error.
            try request.judge(states.map { ($0, hasFailed: $0.phase == .error) })
        }
        if !wait, !states.contains(where: { $0.phase == .syncing }) {
            Console.current.say("nothing to retry: nothing has failed")
        }
    }
}

package struct CancelCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Stop the syncs that run: each resource goes back to its phase before.",
        discussion: """
            Examples:
              userctl cancel
              userctl cancel users
            """)

    @OptionGroup var resources: ResourceArguments
    @OptionGroup var format: FormatOption<DocumentFormat>
    @OptionGroup var paths: PathOptions

    package init() {}

    package func run() async throws {
        let parameters = Cancel(resources: resources.named)
        let request = SyncRequest(paths: paths, format: format.output, resources: resources, wait: false)
        let console = Console.current
        let before = try paths.connection(console).userd().getState().decoded().states
        let states = try await request.run { try $0.cancel(parameters) }
        // Each that was stopped is a transition, and what was cancelled earlier is still called so.
        let isOld = { (state: State) in before.contains { $0.index == state.index } }
        if states.allSatisfy({ $0.cause != .cancelled || isOld($0) }) {
            console.say("nothing to cancel: nothing syncs")
        }
    }
}
