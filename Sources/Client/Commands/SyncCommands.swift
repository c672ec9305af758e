import ArgumentParser
import CommandSupport
import Model
import UserdAPI

struct SyncCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync", abstract: "Sync users and facts now.",
        discussion: """
            Examples:
              userctl sync
              userctl sync users --wait
              userctl sync users --wait --accept-removals
            """)

    @OptionGroup var resources: ResourceArguments

    @Flag(name: .shortAndLong, help: "Wait for the end; exit with 1 if a sync failed.")
    var wait = false

    @Flag(help: "Let this sync remove more users than the removal guard allows.")
    var acceptRemovals = false

    @OptionGroup var format: FormatOption<DocumentFormat>
    @OptionGroup var quiet: QuietOption
    @OptionGroup var paths: PathOptions

    func run() async throws {
        let parameters = Sync(
            resources: resources.named, wait: wait ? true : nil, acceptRemovals: acceptRemovals ? true : nil)
        let request = SyncRequest(
            paths: paths, format: format.output, resources: resources, wait: wait, console: quiet.console)
        let states = try await request.run { try $0.sync(parameters) }
        // A cancelled sync goes back to the phase before it, which may be any.
        if wait {
            try request.judge(states.map { ($0, hasFailed: $0.phase == .error || $0.cause == .cancelled) })
        }
    }
}

struct RetryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Retry failed syncs now, without waiting for the next attempt.",
        discussion: """
            Examples:
              userctl retry
              userctl retry facts --wait
            """)

    @OptionGroup var resources: ResourceArguments

    @Flag(name: .shortAndLong, help: "Wait for the end; exit with 1 if a sync failed again.")
    var wait = false

    @OptionGroup var format: FormatOption<DocumentFormat>
    @OptionGroup var quiet: QuietOption
    @OptionGroup var paths: PathOptions

    func run() async throws {
        let parameters = Retry(resources: resources.named, wait: wait ? true : nil)
        let request = SyncRequest(
            paths: paths, format: format.output, resources: resources, wait: wait, console: quiet.console)
        let console = request.console
        let before = try paths.connection(console).userd().getState().decoded().states
        let states = try await request.run { try $0.retry(parameters) }
        if before.of(resources.resources).allSatisfy({ $0.phase != .error && $0.phase != .syncing }) {
            console.notice("nothing to retry: nothing has failed")
        }
        if wait {
            // Only resources in error are retried, and a cancelled retry goes back to error.
            try request.judge(states.map { ($0, hasFailed: $0.phase == .error) })
        }
    }
}

struct CancelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Cancel running syncs: each resource goes back to its previous phase.",
        discussion: """
            Examples:
              userctl cancel
              userctl cancel users
            """)

    @OptionGroup var resources: ResourceArguments
    @OptionGroup var format: FormatOption<DocumentFormat>
    @OptionGroup var quiet: QuietOption
    @OptionGroup var paths: PathOptions

    func run() async throws {
        let parameters = Cancel(resources: resources.named)
        let console = quiet.console
        let request = SyncRequest(
            paths: paths, format: format.output, resources: resources, wait: false, console: console)
        let before = try paths.connection(console).userd().getState().decoded().states
        let states = try await request.run { try $0.cancel(parameters) }
        // A state may still be `cancelled` from earlier; only a new transition was cancelled now.
        let isOld = { (state: State) in before.contains { $0.index == state.index } }
        if states.allSatisfy({ $0.cause != .cancelled || isOld($0) }) {
            console.notice("nothing to cancel: no sync is running")
        }
    }
}
