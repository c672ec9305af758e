import ArgumentParser
import Model
import UserdAPI

struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Print transitions as they come, until interrupted.",
        discussion: """
            Starts with the current states. If userd restarts, it continues without a gap. --output json and ndjson are \
            the same here: one state a line.

            INDEX is a transition of userd's current cache. EPOCH:INDEX, with both members from json, also names \
            the cache: if userd has a new one since then, watch says so and starts with the current states.

            Examples:
              userctl watch --progress
              userctl watch users --since 41 --output ndjson
            """)

    @OptionGroup var resources: ResourceArguments

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Start after the transition with this index.", valueName: "index"))
    var since: TransitionPlace?

    @Flag(help: "Also print the progress of syncs.")
    var progress = false

    @OptionGroup var format: FormatOption<LineFormat>
    @OptionGroup var quiet: QuietOption
    @OptionGroup var paths: PathOptions

    mutating func validate() throws {
        if let since, since.index < 0 { throw ValidationError("--since must be 0 or more.") }
    }

    func run() async throws {
        let console = quiet.console
        console.output.endWithReader()
        let userd = try paths.connection(console).userd()
        let watching = WatchSubscription(
            watch: userd.watch, count: { try userd.getState().decoded().states.count },
            sleep: console.sleep, say: console.notice,
            liveness: console.liveness(paths.paths))
        var start = Watch(
            since: since?.index, epoch: since?.epoch, resources: resources.named,
            progress: progress ? true : nil)
        // Otherwise, a new cache that appears before the first state would be mistaken for this one.
        if start.since != nil, start.epoch == nil {
            start.epoch = try userd.getState().decoded().states.first?.epoch
        }
        try await watching.run(start) { state, reply in
            switch format.output {
            case .json, .ndjson: try console.write(json: jsonLine(reply.member("state")))
            case .table: try console.show(TransitionLine(state: state, clock: console.clock))
            }
        }
    }
}

/// A transition's index, after the epoch of its cache if that is given: `41` or `EPOCH:41`.
struct TransitionPlace: ExpressibleByArgument {
    let epoch: String?
    let index: Int

    init?(argument: String) {
        let colon = argument.lastIndex(of: ":")
        let number = colon.map { argument[argument.index(after: $0)...] } ?? argument[...]
        guard let index = Int(number), colon != argument.startIndex else { return nil }
        (epoch, self.index) = (colon.map { String(argument[..<$0]) }, index)
    }
}
