import ArgumentParser
import Model
import StrictJSON
import UserdAPI

struct HistoryCommand: AsyncParsableCommand {
    private static let usual = 20

    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "Show past transitions and their causes, newest first.",
        discussion: """
            Examples:
              userctl history
              userctl history users --limit 5
              userctl history --output csv > history.csv
            """)

    @Argument(help: "users or facts; both by default.")
    var resource: Resource?

    @Option(
        name: [.customShort("n", allowingJoined: true), .long], parsing: .unconditional,
        help: ArgumentHelp(
            "Print at most this many. (default: \(Self.usual) in a table on a terminal, else all, up to \(UserdAPI.History.most))",
            valueName: "number"))
    var limit: Int?

    @OptionGroup var format: FormatOption<ListFormat>
    @OptionGroup var quiet: QuietOption
    @OptionGroup var paths: PathOptions

    mutating func validate() throws {
        try validatePositive(limit, "--limit")
        guard limit ?? 1 <= History.most else {
            throw ValidationError("--limit must be at most \(History.most).")
        }
    }

    func run() async throws {
        let console = quiet.console
        let limit = limit ?? (format.output.holdsAll(on: console.output) ? History.most : Self.usual)
        let connection = paths.connection(console)
        let answer = try await connection.read(.history, \.history, History(resource: resource, limit: limit))
        switch format.output.form(CSVColumns.state, console.destination) {
        case .document: try console.write(document: answer.bytes)
        case .records(let writer):
            try console.output.write(writer.head)
            try console.write(list: answer.member("states"), with: writer)
        case .table:
            let states = try answer.decoded().states
            if states.isEmpty {
                console.say("no transitions yet")
            } else {
                try console.show(HistoryTable(states: states, clock: console.clock))
            }
        }
        console.note(connection.source)
    }
}
