import Model

/// Refuses a sync that would remove so many rows that an upstream outage is more likely.
package struct RemovalGuard: Hashable, Sendable {
    /// Maximum fraction of the cached rows that a sync may remove, 0…1.
    package var limit: Double

    /// The guard is off below this number of cached rows.
    package static let fewestRows = 20

    package init(limit: Double) { self.limit = limit }

    /// - Parameters:
    ///   - old: where the cached rows are from; nil if that is not known.
    ///   - new: where those of the sync are from. With another one, any removal is refused.
    /// - Returns: the failure of a refused sync; nil if the sync is allowed.
    package func refusal(
        removing removed: Int, of cached: Int, adding added: Int = 0, from old: String? = nil,
        to new: String? = nil
    ) -> Failure? {
        if let old, let new, old != new, removed > 0 {
            return Failure(
                kind: .removalGuard,
                message: """
                    the \(cached) cached users are from \(old), and the settings now name \(new): \(removed) of them would \
                    go; nothing was changed; `userctl sync users --accept-removals` takes the new ones
                    """,
                retryable: false)
        }
        guard cached >= Self.fewestRows, Double(removed) > limit * Double(cached) else { return nil }
        // The rows after the sync are those that stay and those that are added.
        let others =
            added > cached - removed
            ? "; most ids are new at once, so upstream may give the same users other ids (see users.fields.id)"
            : ""
        return Failure(
            kind: .removalGuard,
            message: """
                the sync would remove \(removed) of \(cached) cached rows, more than users.removal_guard allows; \
                nothing was changed\(others); `userctl sync users --accept-removals` lets them go
                """,
            retryable: false)
    }
}
