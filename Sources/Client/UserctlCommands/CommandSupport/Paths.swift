/// The options --socket and --database.
package struct Paths: Hashable, Sendable {
    package var socket: String?
    package var database: String?

    package init(socket: String? = nil, database: String? = nil) {
        (self.socket, self.database) = (socket, database)
    }

    package func connection(_ console: Console) -> UserdOrCache {
        UserdOrCache(
            client: places(console).socket.map(console.userd), database: cache(console),
            isElsewhere: isElsewhere(console), clock: console.clock)
    }

    /// The cache to read without userd; nil if unknown.
    package func cache(_ console: Console) -> String? {
        isElsewhere(console) ? nil : places(console).database
    }

    /// Whether only a socket is named: a userd there has not the usual cache.
    private func isElsewhere(_ console: Console) -> Bool {
        socket != nil && database == nil && console.environment.value("USERD_DATABASE") == nil
    }

    /// The command line's paths, else the usual ones; nil if unknown.
    package func places(_ console: Console) -> (socket: String?, database: String?) {
        if let socket, let database { return (socket, database) }
        let usual = console.usualPaths
        return (socket ?? usual.socket, database ?? usual.database)
    }
}
