import CommandSupport
import UserdAPI

/// `userctl status` without --watch.
package struct StatusReading: Hashable, Sendable {
    package var format = DocumentFormat.table
    package var paths = Paths()

    func run() async throws {
        let console = Console.current
        let connection = paths.connection(console)
        let answer = try await connection.daemonState()
        let daemon = try answer?.decoded()
        let states = if let daemon { daemon.states } else { try await connection.cachedStates() }
        switch format {
        case .json: try console.write(document: answer?.bytes ?? encoded(States(states: states)))
        case .table:
            let settings = daemon == nil ? [] : connection.settings()
            var unavailability = ""
            if case .cache(_, let because) = connection.source { unavailability = because }
            try console.show(
                StatusView(
                    states, daemon: daemon, settings: settings, unavailability: unavailability,
                    clock: console.clock))
        }
        console.note(connection.source)
    }
}
