import ArgumentParser
import CommandSupport
import UserdAPI

struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Print transitions as they come, until interrupted.",
        discussion: """
            Starts with the current states. If userd restarts, it continues without a gap. --output json and ndjson are \
            the same here: one state a line.

            Examples:
              userctl watch --progress
              userctl watch users --since 41 --output ndjson
            """)

    @OptionGroup var resources: ResourceArguments

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Start after the transition with this index.", valueName: "index"))
    var since: Int?

    @Flag(help: "Also print the progress of syncs.")
    var progress = false

    @OptionGroup var format: FormatOption<LineFormat>
    @OptionGroup var paths: PathOptions

    mutating func validate() throws {
        if let since, since < 0 { throw ValidationError("--since must be 0 or more.") }
    }

    func run() async throws {
        let console = Console.current
        console.output.endWithReader()
        let watching = WatchSubscription(
            watch: try paths.connection(console).userd().watch, sleep: console.sleep, say: console.say,
            liveness: console.livenessMonitor(paths.paths))
        let start = Watch(since: since, resources: resources.named, progress: progress ? true : nil)
        try await watching.run(start) { state, reply in
            switch format.output {
            case .json, .ndjson: try console.write(json: jsonLine(reply.member("state")))
            case .table: try console.show(TransitionLine(state, clock: console.clock))
            }
        }
    }
}
