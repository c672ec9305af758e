import Model

/// The columns of CSV, by the paths of their members.
enum CSVColumns {
    static let user = UserField.all.map(\.path)

    static let fact = ["id", "text", "length", "first_seen_at"]

    static let state = [
        "epoch", "index", "resource", "phase", "since", "cause", "count", "synced_at", "stale",
        "next_sync_at", "progress.done", "progress.total", "failure.kind", "failure.message",
        "failure.retryable", "failure.http_status", "failure.attempts",
    ]
}
