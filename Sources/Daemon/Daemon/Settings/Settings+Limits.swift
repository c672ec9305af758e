extension Settings {
    /// Limits on what clients can make grow.
    struct Limits: Sendable {
        var connections = 256
        var requestBytes = 1 << 20
        var requestDepth = 32
        var requestDeadline = Duration.seconds(10)
        var watchQueue = 1024
        var history = 10_000
        /// Nil for no limit.
        var requestedSyncs: Int? = 10
    }
}

extension Setting {
    static let limits: [Setting] = [
        Setting(
            "limits.connections", \.limits.connections, .integer(1...100_000),
            "The most open connections, not counting one for GetState"),
        Setting(
            "limits.request_bytes", \.limits.requestBytes, .bytes(1...1 << 30),
            "The largest request to read"),
        Setting(
            "limits.request_depth", \.limits.requestDepth, .integer(1...512),
            "The deepest nesting of objects and arrays in a request"),
        Setting(
            "limits.request_deadline", \.limits.requestDeadline, .timeout,
            "The time limit for receiving a request"),
        Setting(
            "limits.watch_queue", \.limits.watchQueue, .integer(1...1_000_000),
            "The most transitions that may wait for one watcher"),
        Setting(
            "limits.history", \.limits.history, .integer(1...1_000_000),
            "Transitions to keep; the oldest are removed first"),
        Setting(
            "limits.requested_syncs", \.limits.requestedSyncs, .burst,
            "Syncs that clients may begin in a row; then one every ten seconds"),
    ]
}
