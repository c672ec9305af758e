import ArgumentParser
import Model
import StrictJSON
import UserdAPI

package struct WatchCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Print transitions as they come, until interrupted.",
        discussion: """
            Begins with where users and facts stand. When userd restarts, it goes on where it was, without a gap.
            With --output json, each line is one state.

            Examples:
              userctl watch --progress
              userctl watch users --since 41 --output json
            """)

    @OptionGroup var resources: ResourceArguments

    @Option(help: ArgumentHelp("Begin with the transitions after that one.", valueName: "index"))
    var since: Int?

    @Flag(help: "Print how far a sync is, too.")
    var progress = false

    @OptionGroup var format: FormatOption<DocumentFormat>
    @OptionGroup var paths: PathOptions

    package init() {}

    package mutating func validate() throws {
        if let since, since < 0 { throw ValidationError("--since takes an index from 0 on.") }
    }

    package func run() async throws {
        let console = Console.current
        let watching = Watching(
            watch: try paths.connection(console).userd().watch, sleep: console.sleep, say: console.say)
        let start = Watch(since: since, resources: resources.named, progress: progress ? true : nil)
        try await watching.run(start) { state, reply in
            switch format.output {
            case .json: try console.write(json: stateLine(reply.bytes))
            case .table: try console.show(TransitionLine(state, clock: console.clock))
            }
        }
    }
}

/// The state of a Watch reply, as it came, on one line.
package func stateLine(_ reply: [UInt8]) throws -> [UInt8] {
    let state = try JSONValue(validating: reply, maximumDepth: 64)["state"]?.raw ?? []
    // Outside of strings, where JSON has no newlines, they are white space.
    return state.filter { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") } + [UInt8(ascii: "\n")]
}
