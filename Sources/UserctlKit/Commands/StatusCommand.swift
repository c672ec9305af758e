import ArgumentParser
import Model
import UserdAPI

package struct StatusCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show where users and facts stand: phase, age, failure, next sync.",
        discussion: """
            Examples:
              userctl status
              userctl status --watch
              userctl status --output json
            """)

    @Flag(help: "Draw it again whenever it changes, until interrupted; with --output json, a line each time.")
    var watch = false

    @OptionGroup var format: FormatOption<DocumentFormat>
    @OptionGroup var paths: PathOptions

    package init() {}

    package func run() async throws {
        let console = Console.current
        let connection = paths.connection(console)
        if watch {
            return try await StatusWatching(connection.userd(), format: format.output, console: console).run()
        }
        let answer = try await connection.daemonState()
        let daemon = try answer?.decoded()
        let states = if let daemon { daemon.states } else { try await connection.cachedStates() }
        switch format.output {
        case .json: try console.write(document: answer?.bytes ?? encoded(States(states: states)))
        case .table: try console.show(StatusView(states, daemon: daemon, clock: console.clock))
        }
        console.note(connection.source)
    }
}
