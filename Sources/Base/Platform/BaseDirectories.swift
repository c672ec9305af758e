/// userd's default paths: the XDG Base Directory Specification 0.8, and systemd's `CacheDirectory=` (systemd.exec(5)).
/// Relative paths are ignored, as the specification asks. A path is nil if the variables that it needs are not set.
package struct BaseDirectories {
    package let socket: String?
    package let database: String?
    package let cacheDirectory: String?
    package let configFile: String?
    /// The folder with a link for each Varlink interface to the socket that serves it.
    package let registry: String?

    /// - Parameter variable: reads an environment variable; nil if it is not set.
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
