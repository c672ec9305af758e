import Model

/// Refuses a sync that would remove so many rows that an upstream outage is more likely.
package struct RemovalGuard: Hashable, Sendable {
    /// Maximum fraction of the cached rows that a sync may remove, 0…1.
    package var limit: Double

    /// The guard is off below this number of cached rows.
    package static let fewestRows = 20

    package init(limit: Double) { self.limit = limit }

    /// - Returns: the failure of a refused sync; nil if the sync is allowed.
    package func refusal(removing removed: Int, of cached: Int) -> Failure? {
        guard cached >= Self.fewestRows, Double(removed) > limit * Double(cached) else { return nil }
        return Failure(
            kind: .removalGuard,
            message: """
                the sync would remove \(removed) of \(cached) cached rows, more than users.removal_guard allows; \
                nothing was changed; accept_removals allows it
                """,
            retryable: false)
    }
}
