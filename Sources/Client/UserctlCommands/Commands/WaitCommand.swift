import ArgumentParser
import Model
import UserdAPI

struct WaitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wait", abstract: "Wait until users and facts have synced, or are in another phase.",
        discussion: """
            Returns at once if the last syncs succeeded, even if upstream has none. Starts no sync; `userctl sync --wait` \
            does. Keeps waiting if userd restarts, and after an error that userd tries again soon. Exits with 1 at an \
            error that userd does not retry soon or if userd is paused, and with 75 on timeout. If userd does not run, waits 5 s, or \
            --timeout, for it to start, and then exits with 69.

            Examples:
              userd & userctl wait && userctl list
              userctl wait users --timeout 30s
              userctl wait facts --for error --for empty
            """)

    @OptionGroup var resources: ResourceArguments

    @Option(
        name: .customLong("for"), parsing: .singleValue,
        help: ArgumentHelp(
            "The phase to wait for; repeat it to wait for any of several. (default: loaded or empty)",
            valueName: "phase"))
    var phases: [Phase] = []

    @Flag(help: "Exit with 1 at any error, even if userd tries again soon.")
    var failFast = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Wait at most this long: 90, 90s, 5m or 2h; 0 only checks.", valueName: "time"),
        transform: WaitingTime.init)
    var timeout: WaitingTime?

    @OptionGroup var format: FormatOption<DocumentFormat>
    @OptionGroup var quiet: QuietOption
    @OptionGroup var paths: PathOptions

    func run() async throws {
        let console = quiet.console
        let userd = try paths.connection(console).userd()
        let deadline = WaitDeadline(timeout?.duration)
        var states: [Resource: State] = [:]
        let wanted = phases.isEmpty ? [.loaded, .empty] : phases
        var named = resources.resources.isEmpty ? Resource.allCases : resources.resources
        func missing() -> [Resource] {
            named.filter { resource in !(states[resource].map { wanted.contains($0.phase) } ?? false) }
        }
        func waited() -> [State] { missing().compactMap { states[$0] } }
        let watching = WatchSubscription(
            watch: { watch in
                _ = try deadline.left()
                let replies = try userd.watch(watch)
                deadline.begin()
                return replies
            },
            count: { try userd.getState().decoded().states.count },
            sleep: { [console] in try await deadline.sleep($0, console.sleep) }, say: console.notice,
            liveness: console.liveness(paths.paths),
            whenIdle: {
                let left = try deadline.left()
                if deadline.hasStates { try failIfPaused(userd, waitingFor: waited()) }
                return min(left, .seconds(2))
            },
            patience: timeout?.duration ?? .seconds(5))
        func failed() -> [State] {
            waited().filter { $0.phase == .error && (failFast || $0.failure?.retryable == false) }
        }
        struct Reached: Error {}
        var told: Set<Resource> = []
        do {
            try await watching.run(Watch(resources: resources.named)) { state, _ in
                states[state.resource] = state
                if resources.resources.isEmpty, states.count == 1 {
                    named = try userd.getState().decoded().states.map(\.resource)
                }
                if state.cause == .turnedOff {
                    guard resources.resources.isEmpty else {
                        throw UserdError.upstreamFailed(failure: .turnedOff(state.resource))
                    }
                    named.removeAll { $0 == state.resource }
                }
                if missing().isEmpty { throw Reached() }
                try console.fail(failed())
                let isWaited = state.phase == .error && missing().contains(state.resource)
                if isWaited, told.insert(state.resource).inserted {
                    console.notice(
                        "\(state.resource): \(state.summary); waiting for an attempt that succeeds")
                }
                if named.allSatisfy({ states[$0] != nil }) { deadline.hasStates = true }
            }
        } catch is Reached {
        } catch is WaitDeadline.Over {
            let phases = missing().map { "\($0) \(states[$0].map { "still \($0.phase)" } ?? "unknown")" }
            throw CommandError(
                "after \(timeout?.text ?? ""): \(phases.joined(separator: ", "))", .timedOut,
                advice: "`userctl status` shows more")
        }
        let reached = Resource.allCases.filter(named.contains).compactMap { states[$0] }
        switch format.output {
        case .json: try console.write(document: encoded(States(states: reached)))
        case .table: try console.show(OutcomeTable(states: reached))
        }
    }

    /// Throws if userd is paused, and none of these syncs: the wait would never end.
    private func failIfPaused(_ userd: UserdClient, waitingFor states: [State]) throws {
        guard states.allSatisfy({ $0.phase != .syncing }), let daemon = try? userd.getState().decoded(),
            daemon.paused
        else { return }
        if let words = daemon.notConnected { throw CommandError(words, .failed) }
        let names = states.map(\.resource.rawValue).joined(separator: " and ")
        throw CommandError(
            "userd is paused, so \(names) will not sync", .failed,
            advice: "`userctl resume` ends the pause; `userctl sync --wait` syncs once")
    }
}

/// A --timeout: `90`, `90s`, `5m`, `2h`.
struct WaitingTime {
    let duration: Duration
    /// The duration with its unit, as typed.
    let text: String

    init(_ argument: String) throws {
        let units: [Character: Double] = ["s": 1, "m": 60, "h": 3600]
        let unit = argument.last.flatMap { units[$0] }
        let number = unit == nil ? argument[...] : argument.dropLast()
        guard number.utf8.allSatisfy({ "0123456789.".utf8.contains($0) }),
            let seconds = Double(number).map({ $0 * (unit ?? 1) }), seconds <= 3.2e7
        else { throw ValidationError("it must be a time such as 90, 90s, 5m or 2h, at most a year") }
        duration = .seconds(seconds)
        text = unit == nil ? argument + "s" : argument
    }
}

/// The deadline of `wait`. Until the states are known, a running userd has two seconds, so that a timeout of 0 can check
/// them.
private final class WaitDeadline {
    struct Over: Error {}

    private let limit: Duration?
    /// The time slept before userd answered, and when it did.
    private var (slept, begun): (Duration, ContinuousClock.Instant?) = (.zero, nil)
    var hasStates = false

    init(_ limit: Duration?) { self.limit = limit }

    /// Called at each connection; only the first one counts.
    func begin() { begun = begun ?? .now }

    /// The remaining time; an hour if there is no deadline. Throws `Over`.
    func left() throws -> Duration {
        guard let limit, let begun else { return .seconds(3600) }
        let left = max(limit - slept, hasStates ? .zero : .seconds(2)) - (.now - begun)
        guard left > .zero else { throw Over() }
        return left
    }

    /// Sleeps between attempts to connect.
    func sleep(_ duration: Duration, _ sleep: (Duration) async throws -> Void) async throws {
        let time = min(duration, try left())
        try await sleep(time)
        if begun == nil { slept += time }
    }
}

extension Phase: ExpressibleByArgument {}
