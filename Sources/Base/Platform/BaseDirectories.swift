import Glibc

/// userd's default paths: the XDG Base Directory Specification 0.8, and systemd's `CacheDirectory=`
/// (systemd.exec(5)). Relative paths are ignored, as the specification asks. A path is nil if the variables
/// that it needs are not set.
package struct BaseDirectories {
    package let socket: String?
    package let database: String?
    package let cacheDirectory: String?
    package let configFile: String?
    /// The files of the machine's administrator, whose settings those of `configFile` override, from the most
    /// important.
    package let systemConfigFiles: [String]
    /// All configuration files, from the most important.
    package var configFiles: [String] { [configFile].compactMap(\.self) + systemConfigFiles }
    /// The name of the file with the address book's password, beside config.yaml.
    package static let addressBookPassword = "carddav-password"

    /// The folder with a link for each Varlink interface to the socket that serves it.
    package let registry: String?
    /// The folder of the tokens of people who have signed in. Not the cache, which people delete.
    package let tokens: String?
    /// The file with the failure that the person was last notified of.
    package let notified: String?
    /// All folders that may have some, by systemd's version.
    package let tokenFolders: [String]

    /// The folders that systemd gives a service (systemd.exec(5)). Programs that the service starts inherit them.
    package static let ofService: Set = ["CACHE_DIRECTORY", "STATE_DIRECTORY", "CREDENTIALS_DIRECTORY"]

    /// - Parameter variable: reads an environment variable; nil if it is not set.
    package init(
        variable: (_ name: String) -> String?, homeDirectory: String,
        exists: (_ path: String) -> Bool = { access($0, F_OK) == 0 }
    ) {
        func absolute(_ path: String?) -> String? {
            guard let path, path.hasPrefix("/") else { return nil }
            return path
        }
        let home = absolute(homeDirectory)
        func directory(_ name: String) -> String? { absolute(variable(name)) }

        socket = directory("XDG_RUNTIME_DIR").map { $0 + "/userd/userd.sock" }
        registry = directory("XDG_RUNTIME_DIR").map { $0 + "/varlink/registry" }

        func ofManager(_ name: String) -> String? {
            absolute(variable(name)?.split(separator: ":").first.map(String.init))
        }
        let cacheHome = directory("XDG_CACHE_HOME") ?? home.map { $0 + "/.cache" }
        cacheDirectory = ofManager("CACHE_DIRECTORY") ?? cacheHome.map { $0 + "/userd" }
        database = cacheDirectory.map { $0 + "/userd.db" }

        let configHome = directory("XDG_CONFIG_HOME") ?? home.map { $0 + "/.config" }
        configFile = configHome.map { $0 + "/userd/config.yaml" }
        let configFolders = variable("XDG_CONFIG_DIRS").flatMap { $0.isEmpty ? nil : $0 } ?? "/etc/xdg"
        systemConfigFiles = configFolders.split(separator: ":").filter { $0.hasPrefix("/") }.map {
            "\($0)/userd/config.yaml"
        }

        // Before version 254, systemd makes the StateDirectory= of user services beside the configuration.
        // Programs in a terminal find the service's.
        let ofService = configHome.map { $0 + "/userd-tokens" }
        let stateHome = directory("XDG_STATE_HOME") ?? home.map { $0 + "/.local/state" }
        let ofUser = stateHome.map { $0 + "/userd-tokens" }
        tokens = ofManager("STATE_DIRECTORY") ?? ofService.flatMap { exists($0) ? $0 : nil } ?? ofUser
        notified = stateHome.map { $0 + "/userctl/notified" }
        tokenFolders = [ofService, ofUser].compactMap(\.self)
    }
}
