import Model

/// The columns of CSV: all members of a record, in the protocol's order.
package enum CSVColumns {
    package static let user = UserColumn.all.filter { $0.csv == [$0.key] }.map(\.key)

    package static let fact = ["id", "text", "length", "first_seen_at"]

    package static let state = [
        "epoch", "index", "resource", "phase", "since", "cause", "count", "synced_at", "stale",
        "next_sync_at", "progress_done", "progress_total", "failure_kind", "failure_message",
        "failure_retryable", "failure_http_status", "failure_attempts",
    ]
}
