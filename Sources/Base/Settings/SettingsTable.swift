import Logging

/// All settings, each declared once, those outside a section first: from here come option, variable, key, default, help and
/// the typed value. None is a secret: secrets are read from files, which settings name.
package struct SettingsTable: Sendable {
    package let socket = Declared<String?>(
        "socket", .socketPath, default: nil, defaultText: "$XDG_RUNTIME_DIR/userd/userd.sock",
        "The Unix socket that is served")
    package let database = Declared(
        "database", .path, default: "",
        defaultText:
            "$CACHE_DIRECTORY/userd.db, else $XDG_CACHE_HOME/userd/userd.db, else ~/.cache/userd/userd.db",
        "The cache's file")
    package let paused = Declared(
        "paused", .boolean, default: false, alone: "true", "Sync only when told to")
    package let logLevel = Declared(
        "log_level", .logLevel, default: .info, "The least grave messages that are logged")

    package let record = Declared<String?>(
        "record", .optionalPath, default: nil, variable: "USERD_RECORD_RESPONSES",
        "A HAR file to write what userd reads of answers to, when it ends and at SIGUSR1")
    package let recordRaw = Declared(
        "record_raw", .boolean, default: false, alone: "true",
        "Record everything: whole bodies, headers and queries, with the passwords and keys in them")
    package let replay = Declared<String?>(
        "replay", .optionalPath, default: nil, variable: "USERD_REPLAY_RESPONSES",
        "A HAR file that answers in place of the upstreams")
    package let replaySpeed = Declared(
        "replay_speed", .speed, default: 0,
        "How fast the answers of a recording come: 1 as recorded, 2 in half the time, 0 at once")
    package let mock = Declared<Settings.Mock?>(
        "mock", .mock, default: nil,
        "Samples, no records, failures or silence in place of what upstreams answer")

    package let users = Users()
    package let facts = Facts()
    package let http = HTTP()
    package let retry = Retry()
    package let limits = Limits()

    package struct Users: SettingsGroup {
        package let format = Declared(
            "users.format", .format, default: "randomuser",
            "What users.url speaks: randomuser, scim, json or another format that userd comes with")
        package let url = Declared(
            "users.url", .directoryURL, default: "https://randomuser.me/api/", "Where users are fetched from")
        package let bindDN = Declared<String?>(
            "users.bind_dn", .name, default: nil, "Who userd is to a directory of LDAP")
        package let passwordFile = Declared<String?>(
            "users.password_file", .optionalPath, default: nil,
            defaultText: "users-password beside config.yaml, where users.bind_dn is set",
            "A file that holds the password of users.bind_dn")
        package let startTLS = Declared(
            "users.starttls", .boolean, default: false, alone: "true",
            "Encrypt the connection to an ldap:// address")
        package let query = Declared(
            "users.query", .query, default: "nat=us&seed=999",
            defaultText: "that of users.format; of randomuser nat=us&seed=999",
            "What is asked of users.url, beside page and size")
        package let pageSize = Declared(
            "users.page_size", .integer(1...5000), default: 20,
            defaultText: "that of users.format; of randomuser 20", "Users on a page")
        package let pages = Declared<Int?>(
            "users.pages", .optionalInteger(1...10_000, none: "all"), default: 1,
            defaultText: "all; of randomuser, which never ends, 1", "Pages of users in a sync")
        package let interval = Declared(
            "users.interval", .interval, default: .seconds(15 * 60),
            "How long after a sync of users the next is due")
        package let removalGuard = Declared(
            "users.removal_guard", .fraction, default: 0.5,
            "The part of the cached users that a sync may remove unasked")
        package let tokenFile = Declared<String?>(
            "users.token_file", .optionalPath, default: nil,
            defaultText: "users-token beside config.yaml, where that is there and users.url is set",
            "A file that holds the token for users.url")
        package let tokenScheme = Declared(
            "users.token_scheme", .tokenScheme, default: "Bearer",
            "What stands before the token in the header Authorization, such as SSWS for Okta")
        package let pictures = Declared(
            "users.pictures", .pictures, default: .none,
            "Which pictures of users are fetched ahead; the others are when they are asked for")
        package let records = Declared(
            "users.records", of: .records, default: "that of users.format",
            "Where the list of users is in an answer")
        package let fields = Declared(
            "users.fields", of: .fields(example: "{id: /id, email: [/mail, /emails/0]}"),
            default: "those of users.format, of which each may be replaced by itself",
            "Where what userd keeps of a user is in a record")
        package let skip = Declared(
            "users.skip", of: .skip, default: "those of users.format", "Which records are left out")
        package let paging = Declared(
            "users.paging", of: .paging, default: "that of users.format",
            "How pages of users follow each other")
        package let oauth = OAuth()
    }

    /// Client credentials (RFC 6749, section 4.4).
    package struct OAuth: SettingsGroup {
        package let tokenURL = Declared<String?>(
            "users.oauth.token_url", .optionalURL, default: nil,
            "Where tokens for users.url are asked for, in place of users.token_file")
        package let clientID = Declared<String?>(
            "users.oauth.client_id", .optionalText, default: nil, "Who userd is to users.oauth.token_url")
        package let clientSecretFile = Declared<String?>(
            "users.oauth.client_secret_file", .optionalPath, default: nil,
            defaultText: "users-client-secret beside config.yaml, where users.oauth.token_url is set",
            "A file that holds the secret of users.oauth.client_id")
        package let scope = Declared<String?>(
            "users.oauth.scope", .optionalText, default: nil,
            "What the token is to allow, in the words of users.oauth.token_url")
        package let auth = Declared(
            "users.oauth.auth", .clientAuthentication, default: .basic,
            "How id and secret are sent: in the header Authorization, or in the body")
    }

    package struct Facts: SettingsGroup {
        package let format = Declared(
            "facts.format", .format, default: "catfact",
            defaultText: "catfact; none where users.url is set, and no other setting of facts",
            "What facts.url speaks: catfact or json; none turns facts off")
        package let url = Declared(
            "facts.url", .url, default: "https://catfact.ninja/facts", "Where facts are fetched from")
        package let oneURL = Declared<String?>(
            "facts.one_url", .optionalURL, default: "https://catfact.ninja/fact",
            defaultText: "https://catfact.ninja/fact; with facts.format json none",
            "Where one more fact is fetched from")
        package let pageSize = Declared(
            "facts.page_size", .integer(1...1000), default: 100, "Facts on a page")
        package let maxCount = Declared(
            "facts.max_count", .integer(1...1_000_000), default: 10_000,
            "Facts that are kept, oldest out first")
        package let interval = Declared(
            "facts.interval", .interval, default: .seconds(6 * 3600),
            "How long after a sync of facts the next is due")
        package let records = Declared(
            "facts.records", of: .records, default: "the whole answer",
            "Where the list of facts is in an answer of facts.format json")
        package let fields = Declared(
            "facts.fields", of: .fields(example: "{text: /quote, id: /id}"), default: "none",
            "Where a fact's text is in a record, and its id if it has one")
        package let paging = Declared(
            "facts.paging", of: .paging, default: "all is in one answer",
            "How pages of facts follow each other")
    }

    package struct HTTP: SettingsGroup {
        package let connectTimeout = Declared(
            "http.connect_timeout", .timeout, default: .seconds(10),
            "How long connecting to an upstream may take")
        package let deadline = Declared(
            "http.deadline", .timeout, default: .seconds(60), "How long a request may take in all")
        package let maxResponseBytes = Declared(
            "http.max_response_bytes", .bytes(1...1 << 30), default: 64 << 20,
            "The largest response that is read")
        package let proxy = Declared<String?>(
            "http.proxy", .proxy, default: nil,
            defaultText: "$HTTPS_PROXY, $HTTP_PROXY or $ALL_PROXY, but for upstreams on this machine",
            "The proxy through which upstreams are asked")
        package let noProxy = Declared<String?>(
            "http.no_proxy", .hosts, default: nil, defaultText: "$NO_PROXY",
            "Hosts that are asked without the proxy, with all below them")
        package let caFile = Declared<String?>(
            "http.ca_file", .optionalPath, default: nil,
            "A PEM file of authorities that are trusted beside the system's")
    }

    package struct Retry: SettingsGroup {
        package let base = Declared(
            "retry.base", .timeout, default: .seconds(1), "The wait after the first failure")
        package let cap = Declared(
            "retry.cap", .timeout, default: .seconds(900), "The longest wait after a failure")
    }

    /// What clients can make grow.
    package struct Limits: SettingsGroup {
        package let connections = Declared(
            "limits.connections", .integer(1...100_000), default: 256,
            "Connections that are open at once, besides one for GetState")
        package let requestBytes = Declared(
            "limits.request_bytes", .bytes(1...1 << 30), default: 1 << 20,
            "The largest request that is read")
        package let requestDepth = Declared(
            "limits.request_depth", .integer(1...512), default: 32,
            "How deep a request's objects and arrays may be nested")
        package let requestDeadline = Declared(
            "limits.request_deadline", .timeout, default: .seconds(10),
            "How long a request that has begun may take to come in")
        package let watchQueue = Declared(
            "limits.watch_queue", .integer(1...1_000_000), default: 1024,
            "Transitions that may wait for one watcher")
        package let history = Declared(
            "limits.history", .integer(1...1_000_000), default: 10_000,
            "Transitions that are kept, oldest out first")
    }
}

package protocol SettingsGroup: Sendable {}

extension Settings {
    /// What stands in for the upstreams.
    package enum Mock: String, Sendable, CaseIterable {
        case data, empty, error, hang
    }

    /// How an OAuth client says who it is (RFC 6749, section 2.3.1).
    package enum ClientAuthentication: String, Sendable, CaseIterable {
        case basic, post
    }

    /// Which pictures are fetched ahead.
    package enum Pictures: String, Sendable, CaseIterable {
        case none, thumbnail, all
    }
}

extension SettingKind<Duration> {
    fileprivate static let interval = duration(.milliseconds(100) ... .seconds(365 * 86_400))
    fileprivate static let timeout = duration(.milliseconds(1) ... .seconds(86_400))
}
