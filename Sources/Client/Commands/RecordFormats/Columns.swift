import UserRecords

/// The columns of CSV.
package enum CSVColumns {
    package static let user = UserReader.columns

    package static let fact = ["id", "text", "length", "first_seen_at"]

    package static let state = [
        "epoch", "index", "resource", "phase", "since", "cause", "count", "synced_at", "stale",
        "next_sync_at", "progress_done", "progress_total", "failure_kind", "failure_message",
        "failure_retryable", "failure_http_status", "failure_attempts",
    ]
}
