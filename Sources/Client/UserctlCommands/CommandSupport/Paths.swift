/// The options --socket and --database.
struct Paths: Hashable, Sendable {
    var socket: String?
    var database: String?

    func connection(_ console: Console) -> UserdOrCache {
        UserdOrCache(
            client: places(console).socket.map(console.userd), database: cache(console),
            isElsewhere: isElsewhere(console), clock: console.clock)
    }

    /// The cache to read without userd; nil if unknown.
    func cache(_ console: Console) -> String? {
        isElsewhere(console) ? nil : places(console).database
    }

    /// Whether only a socket is named: a userd there has not the usual cache.
    private func isElsewhere(_ console: Console) -> Bool {
        socket != nil && database == nil && console.environment.value("USERD_DATABASE") == nil
    }

    /// The command line's paths, else the usual ones; nil if unknown.
    func places(_ console: Console) -> (socket: String?, database: String?) {
        if let socket, let database { return (socket, database) }
        let usual = console.usualPaths
        return (socket ?? usual.socket, database ?? usual.database)
    }
}
