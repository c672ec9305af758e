import ArgumentParser

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
    package var watch = false

    @OptionGroup var format: FormatOption<DocumentFormat>
    @OptionGroup var paths: PathOptions

    package init() {}

    package var reading: StatusReading {
        var reading = StatusReading()
        reading.format = format.output
        reading.paths = paths.paths
        return reading
    }

    package func run() async throws {
        guard watch else { return try await reading.run() }
        let console = Console.current
        console.output.endWithReader()
        let userd = try paths.connection(console).userd()
        try await StatusWatching(userd, format: format.output, console: console).run(
            silence: console.silence(paths.paths))
    }
}
