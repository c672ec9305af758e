import ArgumentParser
import Model
import Reads
import TerminalViews
import UserdAPI

struct PreviewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "preview",
        abstract: "Draw what list, show and status look like in a phase, from sample data.",
        discussion: """
            Needs neither userd nor a cache, and draws the same each time. During a sync and after a failure the users of \
            the last sync that succeeded are still there.

            Examples:
              userctl preview loaded
              userctl preview error --width 40
            """)

    @Argument(help: "The phase of users and facts.")
    var phase: Phase

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Draw as on a terminal of this many columns.", valueName: "columns"))
    var width: Int?

    @OptionGroup var draw: DrawOption

    mutating func validate() throws { try validatePositive(width, "--width") }

    func run() async throws {
        var console = Console.current
        let portrait = draw.draw.drawing(console).flatMap {
            try? PictureReply(nil).portrait($0, on: console.output)
        }
        console.output.width = width ?? console.output.width
        try console.show(Preview(phase: phase, portrait: portrait))
    }
}

/// The views of list, show and status with both resources in one phase, with sample data at a fixed time.
struct Preview: View {
    let phase: Phase
    var portrait: Picture?

    private static let now = Timestamp(milliseconds: 1_772_625_600_000)
    private static let clock = WallClock(now: { now })

    var body: some View {
        Column(spacing: 1) {
            example("userctl list", users.isEmpty ? noRecords : list, notice)
            example(
                "userctl show bigswan571",
                users.first.map { UserCard(user: $0, details: CardDetails(portrait: portrait)) } ?? noRecords,
                notice)
            example("userctl status", StatusView(states: daemon.states, daemon: daemon, clock: Self.clock))
        }
    }

    /// - Parameter notice: the command's notice on stderr.
    private func example(_ command: String, _ answer: any View, _ notice: String? = nil) -> Column {
        Column {
            Text("$ \(command)").style(.secondary)
            Column { answer }
            if let notice { Text("userctl: \(notice)") }
        }
    }

    private var freshness: Freshness { Freshness(state(.users), now: Self.now) }

    private var notice: String? {
        users.isEmpty ? nil : freshnessNotice(freshness, of: .users, .daemon)
    }

    private var list: any View {
        Table(.users(), cells: users.map { UserCells(UserColumn.usual).cells(of: $0).map { Text($0) } })
    }

    private var noRecords: any View {
        NoRecordsPage(resource: .users, freshness: freshness, isFiltered: false)
    }

    /// The users of an earlier sync stay during a sync and after a failure.
    private var users: [User] { [.initial, .empty].contains(phase) ? [] : User.samples }

    private var daemon: DaemonState {
        DaemonState(
            states: Resource.allCases.map(state), paused: false, version: Model.version,
            startedAt: Self.now + .seconds(-7200))
    }

    private func state(_ resource: Resource) -> State {
        let total = resource == .users ? User.samples.count : Fact.sampleTexts.count
        var state = State(
            epoch: "preview", index: 1, resource: resource, phase: phase, since: Self.now + .seconds(-180),
            cause: .committed(), count: users.isEmpty ? 0 : total,
            syncedAt: phase == .initial ? nil : Self.now + .seconds(-1080), stale: false)
        switch phase {
        case .initial: (state.cause, state.stale, state.nextSyncAt) = (.created, true, Self.now)
        case .syncing:
            state.cause = .due
            state.progress = Progress(done: total / 2, total: total)
        case .loaded, .empty:
            state.syncedAt = state.since
            state.nextSyncAt = Self.now + .seconds(720)
        case .error:
            state.cause = .failed
            state.failure = Failure(
                kind: .offline, message: "upstream.example can't be found", retryable: true, attempts: 3)
            state.nextSyncAt = Self.now + .seconds(42)
        }
        return state
    }
}

extension Freshness {
    init(_ state: State, now: Timestamp) {
        self.init(
            phase: state.phase, syncedAt: state.syncedAt,
            age: state.syncedAt.map { (now - $0) / .seconds(1) }, stale: state.stale, failure: state.failure)
    }
}
