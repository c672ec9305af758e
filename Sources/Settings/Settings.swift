import Logging

/// What userd does and where, as one plain value. The values here are the defaults; those of `socket` and
/// `database` depend on the environment (`BaseDirectories`).
package struct Settings: Sendable, Equatable {
    /// The socket's path; nil where no source names it and `XDG_RUNTIME_DIR`, which the default needs, is not set.
    package var socket: String?
    package var database: String
    package var paused = false
    package var logLevel = Logger.Level.info
    /// The HAR file that all exchanges with upstreams are written to; nil: none is.
    package var record: String?
    /// Whether that file holds whole answers, and not only what userd reads of them.
    package var recordRaw = false
    /// The HAR file that answers instead of the upstreams; nil: they do.
    package var replay: String?
    /// How fast recorded answers come, 1 as recorded and 2 in half the time; 0: at once.
    package var replaySpeed = 0.0
    /// What answers instead of the upstreams; nil: they do.
    package var mock: Mock?
    package var users = Users()
    package var facts = Facts()
    package var http = HTTP()
    package var retry = Retry()
    package var limits = Limits()

    package init(socket: String?, database: String) {
        self.socket = socket
        self.database = database
    }

    /// What stands in for the upstreams.
    package enum Mock: String, Sendable, CaseIterable {
        case data, empty, error, hang
    }

    package struct Users: Sendable, Equatable {
        package var url = "https://randomuser.me/api/"
        /// Query items that go with each request, percent-encoded; may be empty.
        package var query = "nat=us&seed=999"
        package var pageSize = 20
        package var pages = 1
        package var interval = Duration.seconds(15 * 60)
        /// The part of the cached users that one sync may remove, from 0 to 1.
        package var removalGuard = 0.5
        /// The file that holds the bearer token for upstream (`BearerToken`); nil: none is sent.
        package var tokenFile: String?
        package var pictures = Pictures.none

        package init() {}

        /// Which pictures are fetched ahead.
        package enum Pictures: String, Sendable, CaseIterable {
            case none, thumbnail, all
        }
    }

    package struct Facts: Sendable, Equatable {
        package var url = "https://catfact.ninja/facts"
        package var oneURL = "https://catfact.ninja/fact"
        package var pageSize = 100
        package var maxCount = 10_000
        package var interval = Duration.seconds(6 * 3600)

        package init() {}
    }

    package struct HTTP: Sendable, Equatable {
        package var connectTimeout = Duration.seconds(10)
        /// For a whole exchange, redirects and body included.
        package var deadline = Duration.seconds(60)
        package var maxResponseBytes = 64 << 20

        package init() {}
    }

    package struct Retry: Sendable, Equatable {
        package var base = Duration.seconds(1)
        package var cap = Duration.seconds(900)

        package init() {}
    }

    /// What clients can make grow.
    package struct Limits: Sendable, Equatable {
        package var connections = 256
        package var requestBytes = 1 << 20
        package var requestDepth = 32
        package var requestDeadline = Duration.seconds(10)
        package var watchQueue = 1024
        package var history = 10_000

        package init() {}
    }

    /// For those who cannot do without a socket: the error says how to name one.
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
