import ArgumentParser
import Model
import UserdAPI

package struct WatchCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Print transitions as they come, until interrupted.",
        discussion: """
            Begins with where users and facts stand. When userd restarts, it goes on where it was, without a gap.
            With --output json or ndjson, which are the same here, each line is one state.

            Examples:
              userctl watch --progress
              userctl watch users --since 41 --output ndjson
            """)

    @OptionGroup var resources: ResourceArguments

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Begin with the transitions after that one.", valueName: "index"))
    var since: Int?

    @Flag(help: "Print how far a sync is, too.")
    var progress = false

    @OptionGroup var format: FormatOption<LineFormat>
    @OptionGroup var paths: PathOptions

    package init() {}

    package mutating func validate() throws {
        if let since, since < 0 { throw ValidationError("--since takes an index from 0 on.") }
    }

    package func run() async throws {
        let console = Console.current
        console.output.endWithReader()
        let watching = Watching(
            watch: try paths.connection(console).userd().watch, sleep: console.sleep, say: console.say,
            silence: console.silence(paths.paths))
        let start = Watch(since: since, resources: resources.named, progress: progress ? true : nil)
        try await watching.run(start) { state, reply in
            switch format.output {
            case .json, .ndjson: try console.write(json: jsonLine(reply.member("state")))
            case .table: try console.show(TransitionLine(state, clock: console.clock))
            }
        }
    }
}
