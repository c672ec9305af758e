extension Setting {
    /// All settings, those outside a section first. None is a secret: secrets are read from files, which settings
    /// name.
    package static let all: [Setting] = [
        Setting(
            "socket", \.socket, \.socket, .socketPath,
            defaultText: "$XDG_RUNTIME_DIR/userd/userd.sock",
            "The Unix socket that is served"),
        Setting(
            "database", \.database, \.database, .path,
            defaultText:
                "$CACHE_DIRECTORY/userd.db, else $XDG_CACHE_HOME/userd/userd.db, else ~/.cache/userd/userd.db",
            "The cache's file"),
        Setting("paused", \.paused, \.paused, .boolean, "Sync only when told to"),
        Setting("log_level", \.logLevel, \.logLevel, .logLevel, "The least grave messages that are logged"),

        Setting(
            "record", \.record, \.record, .optionalPath, variable: "USERD_RECORD_RESPONSES",
            "A HAR file to write what userd reads of answers to, when it ends and at SIGUSR1"),
        Setting(
            "record_raw", \.recordRaw, \.recordRaw, .boolean,
            "Record everything: whole bodies, headers and queries, with the passwords and keys in them"),
        Setting(
            "replay", \.replay, \.replay, .optionalPath, variable: "USERD_REPLAY_RESPONSES",
            "A HAR file that answers in place of the upstreams"),
        Setting(
            "replay_speed", \.replaySpeed, \.replaySpeed, .speed,
            "How fast the answers of a recording come: 1 as recorded, 2 in half the time, 0 at once"),
        Setting(
            "mock", \.mock, \.mock, .mock,
            "Samples, no records, failures or silence in place of what upstreams answer"),

        Setting("users.url", \.users.url, \.usersURL, .url, "Where users are fetched from"),
        Setting(
            "users.query", \.users.query, \.usersQuery, .query,
            "What is asked of users.url, beside page and size"),
        Setting("users.page_size", \.users.pageSize, \.usersPageSize, .integer(1...5000), "Users on a page"),
        Setting("users.pages", \.users.pages, \.usersPages, .integer(1...10_000), "Pages of users in a sync"),
        Setting(
            "users.interval", \.users.interval, \.usersInterval, .interval,
            "How long after a sync of users the next is due"),
        Setting(
            "users.removal_guard", \.users.removalGuard, \.usersRemovalGuard, .fraction,
            "The part of the cached users that a sync may remove unasked"),
        Setting(
            "users.token_file", \.users.tokenFile, \.usersTokenFile, .optionalPath,
            "A file that holds the bearer token for users.url"),
        Setting(
            "users.pictures", \.users.pictures, \.usersPictures, .pictures,
            "Which pictures of users are fetched ahead; the others are when they are asked for"),

        Setting("facts.url", \.facts.url, \.factsURL, .url, "Where facts are fetched from"),
        Setting("facts.one_url", \.facts.oneURL, \.factsOneURL, .url, "Where one more fact is fetched from"),
        Setting("facts.page_size", \.facts.pageSize, \.factsPageSize, .integer(1...1000), "Facts on a page"),
        Setting(
            "facts.max_count", \.facts.maxCount, \.factsMaxCount, .integer(1...1_000_000),
            "Facts that are kept, oldest out first"),
        Setting(
            "facts.interval", \.facts.interval, \.factsInterval, .interval,
            "How long after a sync of facts the next is due"),

        Setting(
            "http.connect_timeout", \.http.connectTimeout, \.httpConnectTimeout, .timeout,
            "How long connecting to an upstream may take"),
        Setting(
            "http.deadline", \.http.deadline, \.httpDeadline, .timeout,
            "How long a request may take in all"),
        Setting(
            "http.max_response_bytes", \.http.maxResponseBytes, \.httpMaxResponseBytes, .bytes(1...1 << 30),
            "The largest response that is read"),

        Setting("retry.base", \.retry.base, \.retryBase, .timeout, "The wait after the first failure"),
        Setting("retry.cap", \.retry.cap, \.retryCap, .timeout, "The longest wait after a failure"),

        Setting(
            "limits.connections", \.limits.connections, \.limitsConnections, .integer(1...100_000),
            "Connections that are open at once, besides one for GetState"),
        Setting(
            "limits.request_bytes", \.limits.requestBytes, \.limitsRequestBytes, .bytes(1...1 << 30),
            "The largest request that is read"),
        Setting(
            "limits.request_depth", \.limits.requestDepth, \.limitsRequestDepth, .integer(1...512),
            "How deep a request's objects and arrays may be nested"),
        Setting(
            "limits.request_deadline", \.limits.requestDeadline, \.limitsRequestDeadline, .timeout,
            "How long a request that has begun may take to come in"),
        Setting(
            "limits.watch_queue", \.limits.watchQueue, \.limitsWatchQueue, .integer(1...1_000_000),
            "Transitions that may wait for one watcher"),
        Setting(
            "limits.history", \.limits.history, \.limitsHistory, .integer(1...1_000_000),
            "Transitions that are kept, oldest out first"),
    ]
}

extension SettingKind<Duration> {
    fileprivate static let interval = duration(.milliseconds(100) ... .seconds(365 * 86_400))
    fileprivate static let timeout = duration(.milliseconds(1) ... .seconds(86_400))
}
