import ArgumentParser
import Model
import UserdAPI
import Varlink

struct SyncCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync", abstract: "Sync users and facts now.",
        discussion: """
            Examples:
              userctl sync
              userctl sync users --wait
              userctl sync users --wait --accept-removals
              userctl sync users --full
            """)

    @Flag(name: .shortAndLong, help: "Wait for the end; exit with 1 if a sync failed.")
    var wait = false

    @Flag(help: "Let this sync remove more users than the removal guard allows.")
    var acceptRemovals = false

    @Flag(help: "Read the full list, also from a directory that says what changed.")
    var full = false

    @OptionGroup var request: SyncRequest

    func run() async throws {
        let parameters = Sync(
            resources: request.resources.named, wait: wait ? true : nil,
            acceptRemovals: acceptRemovals ? true : nil, full: full ? true : nil)
        let states = try await request.run(wait: wait) { try $0.sync(parameters) }
        // A cancelled sync restores the previous phase, which is not always `error`.
        try request.quiet.console.fail(
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
        let console = request.quiet.console
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
            request.quiet.console.notice("nothing to cancel: no sync is running")
        }
    }
}

/// The options of calls that userd answers with the states of the resources: sync, retry, cancel.
struct SyncRequest: ParsableArguments {
    @OptionGroup var resources: ResourceArguments
    @OptionGroup var format: FormatOption<DocumentFormat>
    @OptionGroup var quiet: QuietOption
    @OptionGroup var paths: PathOptions

    /// Prints the answer, and returns it.
    /// - Parameter wait: whether userd answers at the end of the syncs.
    func run(
        wait: Bool = false, _ call: (UserdClient) throws -> RawReply<States>
    ) async throws -> [State] {
        let console = quiet.console
        let userd = try paths.connection(console).userd()
        if wait { console.sayAtInterrupt(true) }
        defer { if wait { console.sayAtInterrupt(false) } }
        let display =
            wait && !console.isQuiet
            ? ProgressDisplay(userd, resources: resources.named, console: console) : nil
        defer { display?.end() }
        let reply: RawReply<States>
        do {
            reply = try await requested { try call(userd) }
        } catch let error as VarlinkError where error == .permissionDenied && display != nil {
            // The display took userd's last connection: end it and try again.
            display?.end()
            try await console.sleep(.milliseconds(300))
            reply = try await requested { try call(userd) }
        }
        display?.end()
        let states = try reply.decoded().states
        switch format.output {
        case .json: try console.write(document: reply.bytes)
        case .table: try console.show(OutcomeTable(states: states))
        }
        for state in states where wait && state.phase != .error {
            if let text = state.leftOutText { console.notice(text) }
        }
        return states
    }

    func states() throws -> [State] {
        try paths.connection(quiet.console).userd().getState().decoded().states
    }
}

extension Console {
    /// Asks every tenth of a second. False if it has not come true within ten seconds.
    func waits(until isTrue: () -> Bool) async throws -> Bool {
        for _ in 0..<100 {
            if isTrue() { return true }
            try await sleep(.milliseconds(100))
        }
        return isTrue()
    }

    /// Says on stderr what failed and what to do, and throws; does nothing if nothing failed.
    func fail(_ failed: [State]) throws {
        var advice: [String] = []
        for state in failed {
            let reason =
                state.cause == .cancelled
                ? "the sync was cancelled" : state.failure?.withoutAdvice ?? state.extent
            say("\(state.resource.rawValue): \(reason)")
            guard state.phase == .error else { continue }
            let next =
                state.advice ?? state.insistence
                ?? "`userctl doctor` looks for the cause, `userctl status` shows the next attempt"
            if !advice.contains(next) { advice.append(next) }
        }
        for line in advice { say(line) }
        if !failed.isEmpty { throw Outcome.failed }
    }
}
