import ArgumentParser
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

    @Flag(name: .shortAndLong, help: "Wait for the end; exit with 1 if a sync failed.")
    var wait = false

    @Flag(help: "Let this sync remove more users than the removal guard allows.")
    var acceptRemovals = false

    @OptionGroup var request: SyncRequest

    func run() async throws {
        let parameters = Sync(
            resources: request.resources.named, wait: wait ? true : nil,
            acceptRemovals: acceptRemovals ? true : nil)
        let states = try await request.run(wait: wait) { try $0.sync(parameters) }
        // A cancelled sync restores the previous phase, which is not always `error`.
        try request.options.console.fail(
            states.filter {
                wait ? $0.phase == .error || $0.cause == .cancelled : $0.insistence != nil
            })
    }
}

struct RetryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Retry failed syncs now, without waiting for the next attempt.",
        discussion: """
            Examples:
              userctl retry
              userctl retry facts --wait
              userctl retry users --now
            """)

    @Flag(name: .shortAndLong, help: "Wait for the end; exit with 1 if a sync failed again.")
    var wait = false

    @Flag(help: "Try once although upstream has asked to wait (Retry-After).")
    var now = false

    @OptionGroup var request: SyncRequest

    func run() async throws {
        let parameters = Retry(
            resources: request.resources.named, wait: wait ? true : nil, now: now ? true : nil)
        let console = request.options.console
        let before = try request.states().of(request.resources.resources)
        let states = try await request.run(wait: wait) { try $0.retry(parameters) }
        if before.allSatisfy({ $0.phase != .error && $0.phase != .syncing }) {
            console.notice("nothing to retry: nothing has failed")
        }
        // Only resources in the phase `error` are retried, and a cancelled retry restores it.
        try console.fail(states.filter { wait ? $0.phase == .error : $0.insistence != nil })
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

    @OptionGroup var request: SyncRequest

    func run() async throws {
        let parameters = Cancel(resources: request.resources.named)
        let before = try request.states()
        let states = try await request.run { try $0.cancel(parameters) }
        // A state may be `cancelled` from earlier; only a new transition was cancelled now.
        let isOld = { (state: State) in before.contains { $0.index == state.index } }
        if states.allSatisfy({ $0.cause != .cancelled || isOld($0) }) {
            request.options.console.notice("nothing to cancel: no sync is running")
        }
    }
}
