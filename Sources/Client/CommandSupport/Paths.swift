import BaseDirectories

/// --socket and --database.
package struct Paths: Hashable, Sendable {
    package var socket: String?
    package var database: String?

    package init(socket: String? = nil, database: String? = nil) {
        (self.socket, self.database) = (socket, database)
    }

    package func connection(_ console: Console) -> Connection {
        let places = places(console)
        return Connection(
            client: places.socket.map(console.userd), database: places.database, clock: console.clock)
    }

    /// The command line's paths, else the usual ones; nil if unknown.
    package func places(_ console: Console) -> (socket: String?, database: String?) {
        let usual = console.usualPaths
        return (socket ?? usual.socket, database ?? usual.database)
    }
}

extension Console {
    package var baseDirectories: BaseDirectories {
        BaseDirectories(variable: environment.value, homeDirectory: environment.value("HOME") ?? "")
    }

    /// The paths from the environment, or the defaults.
    package var usualPaths: (socket: String?, database: String?) {
        let usual = baseDirectories
        return (
            environment.value("USERD_SOCKET") ?? usual.socket,
            environment.value("USERD_DATABASE") ?? usual.database
        )
    }
}
