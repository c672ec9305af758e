import HTTPClient
import Logging
import Model

/// The values of all settings. Each property has a `Setting` in the same file, which says how people set it.
/// Options, variables, keys of the file and help follow from these two.
struct Settings: Sendable, Equatable {
    var socket: String?
    /// Empty without a home directory.
    var database = ""
    var paused = false
    /// Whether to fetch made-up users and cat facts where no directory is named; nil if nobody has said so.
    var demo: Bool?
    var logLevel = Logger.Level.info
    var record: String?
    var recordRaw = false
    var replay: String?
    var replaySpeed = 0.0
    /// Replaces the upstreams.
    var mock: MockBehavior?
    /// Columns of userctl's tables; nil for the usual ones.
    var columns: [String]?
    /// The user who calls userctl; nil if userctl has to find out.
    var me: String?
    /// The addresses that userctl opens for a user, by name; nil for the built-in ones alone.
    var actions: [UserAction]?
    /// Whether userctl's addresses are links; nil for `auto`.
    var hyperlinks: HyperlinkUse?
    /// Whether userctl answers the searches of desktops.
    var desktop = true
    /// Whether userctl shows notifications.
    var notifications = true
    var users = Users()
    var facts = Facts()
    var http = HTTP()
    var retry = Retry()
    var limits = Limits()
    var carddav = CardDAV()
    var publish = Publish()
    /// Those of `http.proxy` and `http.no_proxy`, else of the environment.
    var proxies = Proxies.none
    /// The folder of the tokens of people who sign in; nil without a home directory.
    var tokenFolder: String?
    /// The folder of the person's configuration file; nil without a home directory.
    var ownFolder: String?
    /// Why a secret of users may not go where the settings lead it; nil if all may.
    var misdirection: String?
    /// The same for `users.query`, which may hold a secret.
    var queryMisdirection: String?
    var secretFiles: [SecretFile] = []
    /// Whether a source gives `users.url`.
    var namesDirectory = false

    static func == (a: Self, b: Self) -> Bool { Setting.changes(from: a, to: b).isEmpty }

    /// The socket; without one, the error says how to name it.
    func requiredSocket() throws(SettingsError) -> String {
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
    static let all = general + users + oauth + facts + http + limits + carddav + publish

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
        Setting(
            "me", \.me, .person, default: "who has signed in or holds the ticket",
            "The user who you are, for userctl team and org: an id, a username or an address"),
        Setting(
            "actions", \.actions, .actions, default: "mail: mailto:{email}, call: tel:{phone}",
            "What userctl open and browse open for a user, by name; an empty one removes an action"),
        Setting(
            "hyperlinks", \.hyperlinks, .hyperlinks, default: "auto",
            "Whether the addresses that userctl list, search and show print on a terminal are links"),
        Setting(
            "desktop", \.desktop, .booleanOfUserctl,
            "Answer the searches of GNOME and KDE with people"),
        Setting(
            "notifications", \.notifications, .booleanOfUserctl,
            "Show a notification when your sign-in has ended, or when a secret of yours is refused"),
    ]
}
