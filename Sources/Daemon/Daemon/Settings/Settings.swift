import HTTPClient
import Logging
import Model

/// The values of all settings. Each property has a `Setting` in the same file, which says how people set it.
/// Options, variables, keys of the file and help follow from these two.
package struct Settings: Sendable, Equatable {
    package var socket: String?
    /// Empty without a home directory.
    package var database = ""
    package var paused = false
    /// Whether to fetch made-up users and cat facts where no directory is named; nil if nobody has said so.
    package var demo: Bool?
    package var logLevel = Logger.Level.info
    package var record: String?
    package var recordRaw = false
    package var replay: String?
    package var replaySpeed = 0.0
    /// Replaces the upstreams.
    package var mock: MockBehavior?
    /// Columns of userctl's tables; nil for the usual ones.
    package var columns: [String]?
    package var users = Users()
    package var facts = Facts()
    package var http = HTTP()
    package var retry = Retry()
    package var limits = Limits()
    package var carddav = CardDAV()
    /// Those of `http.proxy` and `http.no_proxy`, else of the environment.
    package internal(set) var proxies = Proxies.none
    /// The folder of the tokens of people who sign in; nil without a home directory.
    package internal(set) var tokenFolder: String?
    /// Why a secret of users may not go where the settings lead it; nil if all may.
    package internal(set) var misdirection: String?
    /// The same for `users.query`, which may hold a secret.
    package internal(set) var queryMisdirection: String?
    package internal(set) var secretFiles: [SecretFile] = []
    /// Whether a source gives `users.url`.
    package var namesDirectory = false

    package init() {}

    package static func == (a: Self, b: Self) -> Bool { Setting.changes(from: a, to: b).isEmpty }

    /// The socket; without one, the error says how to name it.
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

extension Setting {
    /// All settings, those outside a section first. Secrets are read from files that settings name; values of
    /// headers and bodies are not shown.
    package static let all = general + users + oauth + facts + http + limits + carddav

    static let general: [Setting] = [
        Setting(
            "socket", \.socket, .socketPath, default: "$XDG_RUNTIME_DIR/userd/userd.sock",
            "The Unix socket to serve"),
        Setting(
            "database", \.database, .path,
            default:
                "$CACHE_DIRECTORY/userd.db, else $XDG_CACHE_HOME/userd/userd.db, else ~/.cache/userd/userd.db",
            "The cache file"),
        Setting("paused", \.paused, .boolean, alone: "true", "Sync only on request"),
        Setting(
            "demo", \.demo, SettingKind<Bool>.boolean.orNothing(),
            default: "true if userd is started by hand",
            alone: "true",
            "Without users.url, fetch made-up users and cat facts; a service waits for a directory otherwise"),
        Setting("log_level", \.logLevel, .logLevel, "The lowest level of messages to log"),
        Setting(
            "record", \.record, .optionalPath, variable: "USERD_RECORD_RESPONSES",
            "A HAR file to record what userd reads of answers, written when userd ends and on SIGUSR1"),
        Setting(
            "record_raw", \.recordRaw, .boolean, alone: "true",
            "Record everything: whole bodies, headers and queries, with the passwords and keys in them"),
        Setting(
            "replay", \.replay, .optionalPath, variable: "USERD_REPLAY_RESPONSES",
            "A HAR file to take answers from instead of the upstreams"),
        Setting(
            "replay_speed", \.replaySpeed, .speed,
            "The speed of a replay: 1 as recorded, 2 twice as fast, 0 without waiting"),
        Setting(
            "mock", \.mock, .mock,
            "Replace the upstreams with samples, no records, failures or silence"),
        Setting(
            "columns", \.columns, .columns,
            default: "name, email, phone, job_title, department, city, nationality and age that someone has",
            "The columns of the tables that userctl list and search print"),
    ]
}
