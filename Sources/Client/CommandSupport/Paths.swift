import Platform

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

extension Console {
    package var baseDirectories: BaseDirectories {
        BaseDirectories(
            variable: { BaseDirectories.ofService.contains($0) ? nil : environment.value($0) },
            homeDirectory: environment.value("HOME") ?? "")
    }

    /// The paths from the environment, else from userd's config.yaml, else the defaults.
    package var usualPaths: (socket: String?, database: String?) {
        let (socket, database) = (environment.value("USERD_SOCKET"), environment.value("USERD_DATABASE"))
        if let socket, let database { return (socket, database) }
        let usual = baseDirectories
        let configured = usual.configFiles.compactMap(file).map {
            ConfiguredPaths($0, home: environment.value("HOME"))
        }
        func first(_ path: KeyPath<ConfiguredPaths, String?>) -> String? {
            configured.lazy.compactMap { $0[keyPath: path] }.first
        }
        return (
            socket ?? first(\.socket) ?? usual.socket, database ?? first(\.database) ?? usual.database
        )
    }
}
