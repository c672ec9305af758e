/// All settings, each declared once, those outside a section first: option, variable, key and help follow from here.
/// Secrets are read from files, which settings name; values of headers and bodies are not shown.
extension Setting {
    package static let all = general + users + facts + http + limits

    private static let general: [Setting] = [
        Setting(
            "socket", \.socket, .socketPath, default: "$XDG_RUNTIME_DIR/userd/userd.sock",
            "The Unix socket that is served"),
        Setting(
            "database", \.database, .path,
            default:
                "$CACHE_DIRECTORY/userd.db, else $XDG_CACHE_HOME/userd/userd.db, else ~/.cache/userd/userd.db",
            "The cache's file"),
        Setting("paused", \.paused, .boolean, alone: "true", "Sync only when told to"),
        Setting("log_level", \.logLevel, .logLevel, "The least grave messages that are logged"),
        Setting(
            "record", \.record, .optionalPath, variable: "USERD_RECORD_RESPONSES",
            "A HAR file to write what userd reads of answers to, when it ends and at SIGUSR1"),
        Setting(
            "record_raw", \.recordRaw, .boolean, alone: "true",
            "Record everything: whole bodies, headers and queries, with the passwords and keys in them"),
        Setting(
            "replay", \.replay, .optionalPath, variable: "USERD_REPLAY_RESPONSES",
            "A HAR file that answers in place of the upstreams"),
        Setting(
            "replay_speed", \.replaySpeed, .speed,
            "How fast the answers of a recording come: 1 as recorded, 2 in half the time, 0 at once"),
        Setting(
            "mock", \.mock, .mock,
            "Samples, no records, failures or silence in place of what upstreams answer"),
    ]

    static let users: [Setting] = [
        Setting(
            "users.format", \.users.format, .format,
            "What users.url speaks: randomuser, scim, json or another format that userd comes with"),
        Setting("users.url", \.users.url, .directoryURL, "Where users are fetched from"),
        Setting("users.bind_dn", \.users.bindDN, .name, "Who userd is to a directory of LDAP"),
        Setting(
            "users.password_file", \.users.passwordFile, .optionalPath,
            default: "users-password beside config.yaml, where users.bind_dn is set",
            "A file that holds the password of users.bind_dn"),
        Setting(
            "users.starttls", \.users.startTLS, .boolean, alone: "true",
            "Encrypt the connection to an ldap:// address"),
        Setting(
            "users.query", \.users.query, .query,
            default: "that of users.format; of randomuser nat=us&seed=999",
            "What is asked of users.url, beside page and size"),
        Setting(
            "users.body", \.users.body, .body, default: "none, so that users are asked for by GET",
            "What users.url is asked with by POST; users.paging may have pointers into it"),
        Setting(
            "users.page_size", \.users.pageSize, .integer(1...5000),
            default: "that of users.format; of randomuser 20", "Users on a page"),
        Setting(
            "users.pages", \.users.pages, .optionalInteger(1...10_000, none: "all"),
            default: "all; of randomuser, which never ends, 1", "Pages of users in a sync"),
        Setting(
            "users.interval", \.users.interval, .interval, "How long after a sync of users the next is due"),
        Setting(
            "users.removal_guard", \.users.removalGuard, .fraction,
            "The part of the cached users that a sync may remove unasked"),
        Setting(
            "users.token_file", \.users.tokenFile, .optionalPath,
            default: "users-token beside config.yaml, where that is there and users.url is set",
            "A file that holds the token for users.url"),
        Setting(
            "users.token_scheme", \.users.tokenScheme, .tokenScheme,
            "What stands before the token in the header Authorization, such as SSWS for Okta"),
        Setting(
            "users.headers", \.users.headers, .headers, default: "none",
            "Headers that are sent to users.url, such as API keys; their values are kept secret"),
        Setting(
            "users.pictures", \.users.pictures, .word(),
            "Which pictures of users are fetched ahead; the others are when they are asked for"),
        Setting(
            "users.records", \.users.records, .records, default: "that of users.format",
            "Where the list of users is in an answer"),
        Setting(
            "users.fields", \.users.fields, .fields(example: "{id: /id, email: [/mail, /emails/0]}"),
            default: "those of users.format, of which each may be replaced by itself",
            "Where what userd keeps of a user is in a record"),
        Setting(
            "users.skip", \.users.skip,
            .structure(
                "a pointer and a value, or a list of them, such as {/active: false}; {} leaves out none"),
            default: "those of users.format", "Which records are left out"),
        Setting(
            "users.paging", \.users.paging, .paging, default: "that of users.format",
            "How pages of users follow each other"),
        Setting(
            "users.oauth.token_url", \.users.oauth.tokenURL, .optionalURL,
            "Where tokens for users.url are asked for, in place of users.token_file"),
        Setting(
            "users.oauth.client_id", \.users.oauth.clientID, .optionalText,
            "Who userd is to users.oauth.token_url"),
        Setting(
            "users.oauth.client_secret_file", \.users.oauth.clientSecretFile, .optionalPath,
            default: "users-client-secret beside config.yaml, where users.oauth.token_url is set",
            "A file that holds the secret of users.oauth.client_id"),
        Setting(
            "users.oauth.scope", \.users.oauth.scope, .optionalText,
            "What the token is to allow, in the words of users.oauth.token_url"),
        Setting(
            "users.oauth.auth", \.users.oauth.auth, .word(),
            "How id and secret are sent: in the header Authorization, or in the body"),
        Setting(
            "users.basic.user", \.users.basic.user, .user,
            "Who userd is to users.url by name and password, in place of users.token_file"),
        Setting(
            "users.basic.password_file", \.users.basic.passwordFile, .optionalPath,
            default: "users-password beside config.yaml, where users.basic.user is set",
            "A file that holds the password of users.basic.user, or without that NAME:PASSWORD"),
    ]

    private static let facts: [Setting] = [
        Setting(
            "facts.format", \.facts.format, .format,
            default: "catfact; none where users.url is set, and no other setting of facts",
            "What facts.url speaks: catfact or json; none turns facts off"),
        Setting("facts.url", \.facts.url, .url, "Where facts are fetched from"),
        Setting(
            "facts.one_url", \.facts.oneURL, .optionalURL,
            default: "https://catfact.ninja/fact; with facts.format json none",
            "Where one more fact is fetched from"),
        Setting("facts.page_size", \.facts.pageSize, .integer(1...1000), "Facts on a page"),
        Setting(
            "facts.max_count", \.facts.maxCount, .integer(1...1_000_000),
            "Facts that are kept, oldest out first"),
        Setting(
            "facts.interval", \.facts.interval, .interval, "How long after a sync of facts the next is due"),
        Setting(
            "facts.records", \.facts.records, .records, default: "the whole answer",
            "Where the list of facts is in an answer of facts.format json"),
        Setting(
            "facts.fields", \.facts.fields, .fields(example: "{text: /quote, id: /id}"), default: "none",
            "Where a fact's text is in a record, and its id if it has one"),
        Setting(
            "facts.paging", \.facts.paging, .paging, default: "all is in one answer",
            "How pages of facts follow each other"),
    ]

    private static let http: [Setting] = [
        Setting(
            "http.connect_timeout", \.http.connectTimeout, .timeout,
            "How long connecting to an upstream may take"),
        Setting("http.deadline", \.http.deadline, .timeout, "How long a request may take in all"),
        Setting(
            "http.max_response_bytes", \.http.maxResponseBytes, .bytes(1...1 << 30),
            "The largest response that is read"),
        Setting(
            "http.proxy", \.http.proxy, .proxy,
            default: "$HTTPS_PROXY, $HTTP_PROXY or $ALL_PROXY, but for upstreams on this machine",
            "The proxy through which upstreams are asked"),
        Setting(
            "http.no_proxy", \.http.noProxy, .hosts, default: "$NO_PROXY",
            "Hosts that are asked without the proxy, with all below them"),
        Setting(
            "http.ca_file", \.http.caFile, .optionalPath,
            "A PEM file of authorities that are trusted beside the system's"),
        Setting("retry.base", \.retry.base, .timeout, "The wait after the first failure"),
        Setting("retry.cap", \.retry.cap, .timeout, "The longest wait after a failure"),
    ]

    private static let limits: [Setting] = [
        Setting(
            "limits.connections", \.limits.connections, .integer(1...100_000),
            "Connections that are open at once, besides one for GetState"),
        Setting(
            "limits.request_bytes", \.limits.requestBytes, .bytes(1...1 << 30),
            "The largest request that is read"),
        Setting(
            "limits.request_depth", \.limits.requestDepth, .integer(1...512),
            "How deep a request's objects and arrays may be nested"),
        Setting(
            "limits.request_deadline", \.limits.requestDeadline, .timeout,
            "How long a request that has begun may take to come in"),
        Setting(
            "limits.watch_queue", \.limits.watchQueue, .integer(1...1_000_000),
            "Transitions that may wait for one watcher"),
        Setting(
            "limits.history", \.limits.history, .integer(1...1_000_000),
            "Transitions that are kept, oldest out first"),
    ]
}
