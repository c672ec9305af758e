import ArgumentParser
import Model
import Synchronization
import TerminalViews
import UserdAPI

package struct WaitCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "wait", abstract: "Wait until users and facts are loaded, or in another phase.",
        discussion: """
            Ends at once where they are already. Starts no sync: that does `userctl sync --wait`. A restart of userd \
            meanwhile makes no difference. Exits with 75 when the time is up.

            Examples:
              userctl wait && userctl list
              userctl wait users --timeout 30s
              userctl wait facts --for error --for empty
            """)

    @OptionGroup var resources: ResourceArguments

    @Option(
        name: .customLong("for"), parsing: .singleValue,
        help: ArgumentHelp(
            "The phase to wait for; any of several where it is given more than once. (default: loaded)",
            valueName: "phase"))
    var phases: [Phase] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Wait no longer than that: 90, 90s, 5m or 2h; 0 only looks.", valueName: "time"),
        transform: WaitingTime.init)
    var timeout: WaitingTime?

    @OptionGroup var format: FormatOption<DocumentFormat>
    @OptionGroup var paths: PathOptions

    package init() {}

    package func run() async throws {
        let console = Console.current
        let userd = try paths.connection(console).userd()
        let patience = Patience(console)
        // The time begins when it is known where things stand, which takes none; and it has an end where userd does not tell.
        if let timeout { patience.end(after: max(timeout.duration, .seconds(2))) }
        var isTimed = false
        let watching = Watching(
            watch: { try patience.holding(userd.watch($0)) },
            sleep: { try await patience.sleep($0) }, say: console.say, silence: console.silence(paths.paths))
        var states: [Resource: State] = [:]
        let wanted = phases.isEmpty ? [.loaded] : phases
        let named = resources.resources.isEmpty ? Resource.allCases : resources.resources
        struct Reached: Error {}
        do {
            try await watching.run(Watch(resources: resources.named)) { state, _ in
                states[state.resource] = state
                if named.allSatisfy({ states[$0].map { wanted.contains($0.phase) } ?? false }) {
                    throw Reached()
                }
                if let timeout, !isTimed, named.allSatisfy({ states[$0] != nil }) {
                    isTimed = true
                    patience.end(after: timeout.duration)
                }
            }
        } catch is Reached {
        } catch let error {
            guard let timeout, patience.isOver else { throw error }
            let missing = named.filter { !(states[$0].map { wanted.contains($0.phase) } ?? false) }
            let phases = missing.map { "\($0) \(states[$0].map { "still \($0.phase)" } ?? "unknown")" }
            throw CommandError(
                "after \(timeout.text): \(phases.joined(separator: ", "))", .timedOut,
                advice: "`userctl status` says more")
        }
        let reached = Resource.allCases.compactMap { states[$0] }
        switch format.output {
        case .json: try console.write(document: encoded(States(states: reached)))
        case .table: try console.show(OutcomeTable(reached))
        }
    }
}

/// How long somebody waits at the most: `90`, `90s`, `5m`, `2h`.
struct WaitingTime {
    let duration: Duration
    /// With its unit.
    let text: String

    init(_ argument: String) throws {
        let units: [Character: Double] = ["s": 1, "m": 60, "h": 3600]
        let unit = argument.last.flatMap { units[$0] }
        let number = unit == nil ? argument[...] : argument.dropLast()
        guard number.utf8.allSatisfy({ "0123456789.".utf8.contains($0) }),
            let seconds = Double(number).map({ $0 * (unit ?? 1) }), seconds <= 3.2e7
        else { throw ValidationError("it is a time such as 90, 90s, 5m or 2h, and a year at the most") }
        duration = .seconds(seconds)
        text = unit == nil ? argument + "s" : argument
    }
}

/// Ends a watch when its time is up.
private final class Patience: Sendable {
    private struct Contents {
        var isOver = false
        var replies: RawReplies<WatchedState>?
    }

    private struct Over: Error {}

    private let contents = Mutex(Contents())
    private let console: Console

    var isOver: Bool { contents.withLock(\.isOver) }

    init(_ console: Console) { self.console = console }

    func end(after time: Duration) {
        console.after(time) { [self] in
            contents.withLock { contents in
                contents.isOver = true
                contents.replies?.interrupt()
            }
        }
    }

    func holding(_ replies: RawReplies<WatchedState>) throws -> RawReplies<WatchedState> {
        try contents.withLock { contents in
            guard !contents.isOver else { throw Over() }
            contents.replies = replies
            return replies
        }
    }

    /// Between two tries to connect: in small pieces, since the time may be up meanwhile.
    func sleep(_ duration: Duration) async throws {
        var left = duration
        while left > .zero {
            guard !isOver else { throw Over() }
            try await console.sleep(min(left, .milliseconds(200)))
            left -= .milliseconds(200)
        }
    }
}

extension Phase: ExpressibleByArgument {}
