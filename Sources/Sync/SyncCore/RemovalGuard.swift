import Model

/// Keeps a sync from taking away more rows than an outage may look like.
package struct RemovalGuard: Hashable, Sendable {
    /// Of the cached rows, 0…1: a sync that would remove more is refused.
    package var limit: Double

    /// So few rows are not guarded.
    package static let fewestRows = 20

    package init(limit: Double) { self.limit = limit }

    /// - Returns: why the sync is refused; nil where it may go on.
    package func refusal(removing removed: Int, of cached: Int) -> Failure? {
        guard cached >= Self.fewestRows, Double(removed) > limit * Double(cached) else { return nil }
        return Failure(
            kind: .removalGuard,
            message: """
                the sync would remove \(removed) of \(cached) cached rows, more than users.removal_guard allows; \
                nothing was changed, which accept_removals would let it
                """,
            retryable: false)
    }
}
