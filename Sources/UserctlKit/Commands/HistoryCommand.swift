import ArgumentParser
import Model
import UserdAPI

package struct HistoryCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "history", abstract: "Show past transitions and their causes, newest first.",
        discussion: """
            Examples:
              userctl history
              userctl history users --limit 5
            """)

    @Argument(help: "users or facts; both if neither is named.")
    var resource: Resource?

    @Option(help: ArgumentHelp("Print no more than that many.", valueName: "number"))
    var limit = 20

    @OptionGroup var format: FormatOption<DocumentFormat>
    @OptionGroup var paths: PathOptions

    package init() {}

    package mutating func validate() throws { try validatePositive(limit, "--limit") }

    package func run() async throws {
        let console = Console.current
        let connection = paths.connection(console)
        let answer = try await connection.read(
            .history, \.history, History(resource: resource, limit: limit))
        switch format.output {
        case .json: try console.write(document: answer.bytes)
        case .table:
            let states = try answer.decoded().states
            if states.isEmpty {
                console.say("there were no transitions yet")
            } else {
                try console.show(HistoryTable(states, clock: console.clock))
            }
        }
        if case .cache(let path, let reason) = connection.source {
            console.say("\(reason); reading the cache at \(path)")
        }
    }
}
