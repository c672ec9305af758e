import ArgumentParser
import CommandSupport

package struct StatusCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show the state of users and facts: phase, age, failure, next sync.",
        discussion: """
            Examples:
              userctl status
              userctl status --watch
              userctl status --output json
            """)

    @Flag(help: "Redraw it at each change, until interrupted; with --output json, print a line each time.")
    package var watch = false

    @OptionGroup var format: FormatOption<DocumentFormat>
    @OptionGroup var paths: PathOptions

    package init() {}

    package var reading: StatusReading { StatusReading(format: format.output, paths: paths.paths) }

    package func run() async throws {
        guard watch else { return try await reading.run() }
        let console = Console.current
        console.output.endWithReader()
        let userd = try paths.connection(console).userd()
        try await StatusWatch(userd, format: format.output, console: console).run(
            liveness: console.livenessMonitor(paths.paths))
    }
}
