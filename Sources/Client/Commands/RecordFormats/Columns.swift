import Model

/// The columns of CSV: all members of a record, in the protocol's order.
package enum CSVColumns {
    package static let user =
        [
            "id", "username", "name_title", "name_first", "name_last", "display_name", "gender", "email",
            "emails", "phone", "cell", "phones",
        ] + WorkField.all.map(\.name) + [
            "manager_id", "manager_name", "born_at", "age", "registered_at", "updated_at", "nationality",
            "address_street", "address_city", "address_state", "address_postcode", "address_country",
            "address_latitude", "address_longitude", "address_utc_offset", "picture_large", "picture_medium",
            "picture_thumbnail",
        ]

    package static let fact = ["id", "text", "length", "first_seen_at"]

    package static let state = [
        "epoch", "index", "resource", "phase", "since", "cause", "count", "synced_at", "stale",
        "next_sync_at", "progress_done", "progress_total", "failure_kind", "failure_message",
        "failure_retryable", "failure_http_status", "failure_attempts",
    ]
}
