import Logging
import YAML

/// What userd does and where. `Setting.all` says of each property how people set it.
package struct Settings: Sendable, Equatable {
    package var socket: String?
    /// Empty without a home directory.
    package var database = ""
    package var paused = false
    package var logLevel = Logger.Level.info
    package var record: String?
    package var recordRaw = false
    package var replay: String?
    package var replaySpeed = 0.0
    package var mock: Mock?
    package var users = Users()
    package var facts = Facts()
    package var http = HTTP()
    package var retry = Retry()
    package var limits = Limits()
    /// Where `http.proxy` and `http.no_proxy` are not set.
    package internal(set) var proxyVariables = ProxyVariables()

    package struct Users: Sendable {
        package var format = "randomuser"
        package var url = "https://randomuser.me/api/"
        package var bindDN: String?
        package var passwordFile: String?
        package var startTLS = false
        package var query = "nat=us&seed=999"
        package var pageSize = 20
        /// Nil for all.
        package var pages: Int? = 1
        package var interval = Duration.seconds(15 * 60)
        package var removalGuard = 0.5
        package var tokenFile: String?
        package var tokenScheme = "Bearer"
        package var pictures = Pictures.none
        package var records: YAMLNode?
        package var fields: YAMLNode?
        package var skip: YAMLNode?
        package var paging: YAMLNode?
        package var oauth = OAuth()
        package var basic = Basic()
        package var headers: Headers?
        package var body: YAMLNode?
    }

    /// RFC 7617.
    package struct Basic: Sendable {
        /// Nil where the file of the password has both, with a colon between them.
        package var user: String?
        package var passwordFile: String?
    }

    /// Client credentials (RFC 6749, section 4.4).
    package struct OAuth: Sendable {
        package var tokenURL: String?
        package var clientID: String?
        package var clientSecretFile: String?
        package var scope: String?
        package var auth = ClientAuthentication.basic
    }

    package struct Facts: Sendable {
        package var format = "catfact"
        package var url = "https://catfact.ninja/facts"
        package var oneURL: String? = "https://catfact.ninja/fact"
        package var pageSize = 100
        package var maxCount = 10_000
        package var interval = Duration.seconds(6 * 3600)
        package var records: YAMLNode?
        package var fields: YAMLNode?
        package var paging: YAMLNode?
    }

    package struct HTTP: Sendable {
        package var connectTimeout = Duration.seconds(10)
        package var deadline = Duration.seconds(60)
        package var maxResponseBytes = 64 << 20
        package var proxy: String?
        package var noProxy: String?
        package var caFile: String?
    }

    package struct Retry: Sendable {
        package var base = Duration.seconds(1)
        package var cap = Duration.seconds(900)
    }

    /// What clients can make grow.
    package struct Limits: Sendable {
        package var connections = 256
        package var requestBytes = 1 << 20
        package var requestDepth = 32
        package var requestDeadline = Duration.seconds(10)
        package var watchQueue = 1024
        package var history = 10_000
    }

    /// What stands in for the upstreams.
    package enum Mock: String, Sendable, CaseIterable { case data, empty, error, hang }

    /// How an OAuth client says who it is (RFC 6749, section 2.3.1).
    package enum ClientAuthentication: String, Sendable, CaseIterable { case basic, post }

    /// Which pictures are fetched ahead.
    package enum Pictures: String, Sendable, CaseIterable { case none, thumbnail, all }

    package init() {}

    package static func == (a: Self, b: Self) -> Bool { Setting.changes(from: a, to: b).isEmpty }

    /// For programs that need a socket: the error says how to name one.
    package func requiredSocket() throws(SettingsError) -> String {
        guard let socket else {
            throw SettingsError(
                "socket",
                "has no default here, since XDG_RUNTIME_DIR is not set to an absolute path; "
                    + "name the socket with --socket or USERD_SOCKET")
        }
        return socket
    }
}
