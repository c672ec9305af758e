import ArgumentParser
import Model
import UserdAPI

struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
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
    var watch = false

    @OptionGroup var options: AnswerOptions<LineFormat>

    func run() async throws {
        let console = options.console
        let resources = resources.resources
        let connection = options.connection
        if watch {
            console.output.endWithReader()
            return try await StatusWatch(
                connection.userd(), resources, format: options.output, console: console
            ).run(liveness: console.liveness(options.paths.paths))
        }
        let answer = try await connection.daemonState()
        let daemon = try answer?.decoded()
        let states = if let daemon { daemon.states } else { try await connection.cachedStates() }
        try states.require(resources)
        let document = StatusDocument(try answer?.bytes ?? encoded(States(states: states)), of: resources)
        switch options.output {
        case .json: try console.write(document: document.bytes)
        case .ndjson: for line in document.lines { try console.write(json: line) }
        case .table:
            // The notice says where the states are from.
            try console.show(
                StatusView(
                    states: states.of(resources), daemon: daemon,
                    settings: daemon == nil ? [] : connection.settings(),
                    unavailability: console.isQuiet ? cacheNotice(connection.source) : nil,
                    clock: console.clock))
        }
        console.note(connection.source)
    }
}
