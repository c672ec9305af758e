/// Where userd keeps things unless told otherwise: the XDG Base Directory Specification 0.8, and systemd's
/// `CacheDirectory=` (systemd.exec(5)). Paths that are not absolute are ignored, as the specification asks.
package struct BaseDirectories {
    package let socket: String?
    package let database: String?
    /// Where caches are.
    package let cacheDirectory: String?
    package let configFile: String?
    /// Where links tell who serves which Varlink interface.
    package let registry: String?

    /// - Parameter variable: of the environment; nil where it is not set.
    package init(variable: (_ name: String) -> String?, homeDirectory: String) {
        func absolute(_ path: String?) -> String? {
            guard let path, path.hasPrefix("/") else { return nil }
            return path
        }
        let home = absolute(homeDirectory)
        func directory(_ name: String) -> String? { absolute(variable(name)) }

        socket = directory("XDG_RUNTIME_DIR").map { $0 + "/userd/userd.sock" }
        registry = directory("XDG_RUNTIME_DIR").map { $0 + "/varlink/registry" }

        let ofManager = variable("CACHE_DIRECTORY")?.split(separator: ":").first.map(String.init)
        let cacheHome = directory("XDG_CACHE_HOME") ?? home.map { $0 + "/.cache" }
        cacheDirectory = absolute(ofManager) ?? cacheHome.map { $0 + "/userd" }
        database = cacheDirectory.map { $0 + "/userd.db" }

        let configHome = directory("XDG_CONFIG_HOME") ?? home.map { $0 + "/.config" }
        configFile = configHome.map { $0 + "/userd/config.yaml" }
    }
}
