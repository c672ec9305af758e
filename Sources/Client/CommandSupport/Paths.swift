/// --socket and --database.
package struct Paths: Hashable, Sendable {
    package var socket: String?
    package var database: String?

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
