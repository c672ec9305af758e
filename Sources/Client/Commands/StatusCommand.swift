import ArgumentParser
import CommandSupport

package struct StatusCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show the state of users and facts: phase, age, failure, next sync.",
        discussion: """
            json is userd's answer, which says more than the states; ndjson is a line for each of users and facts.

            Examples:
              userctl status
              userctl status users --watch
              userctl status --output ndjson
            """)

    @OptionGroup var resources: ResourceArguments

    @Flag(help: "Redraw it at each change, until interrupted; as json and ndjson, print lines.")
    package var watch = false

    @OptionGroup var format: FormatOption<LineFormat>
    @OptionGroup var quiet: QuietOption
    @OptionGroup var paths: PathOptions

    package init() {}

    package var reading: StatusReading {
        StatusReading(
            resources: resources.resources, format: format.output, quiet: quiet.quiet, paths: paths.paths)
    }

    package func run() async throws {
        guard watch else { return try await reading.run() }
        let console = quiet.console
        console.output.endWithReader()
        let userd = try paths.connection(console).userd()
        try await StatusWatch(userd, resources.resources, format: format.output, console: console).run(
            liveness: console.livenessMonitor(paths.paths))
    }
}
