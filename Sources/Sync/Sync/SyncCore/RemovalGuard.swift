import Model

/// Refuses a sync that would remove so many rows that an upstream outage is more likely.
package struct RemovalGuard: Hashable, Sendable {
    /// Maximum fraction of the cached rows that a sync may remove, 0…1.
    package var limit: Double

    /// Below this number of cached rows, only the removal of all is refused.
    package static let fewestRows = 20

    package init(limit: Double) { self.limit = limit }

    /// - Parameters:
    ///   - old: source of the cached rows; nil if unknown.
    ///   - new: source of the sync's rows. If the two differ, any removal is refused.
    /// - Returns: the error of a refused sync; nil if the sync is allowed.
    package func refusal(
        removing removed: Int, of cached: Int, adding added: Int = 0, from old: String? = nil,
        to new: String? = nil
    ) -> UpstreamError? {
        if let old, let new, old != new, removed > 0 {
            return UpstreamError(
                .removalGuard,
                """
                the \(cached) cached users are from \(old), but the settings name \(new): the sync would \
                remove \(removed) of them; nothing was changed
                """, advice: .acceptOtherSource)
        }
        // A list without any known user is more likely an outage than a new staff, whatever their number.
        let isEverybody = removed > 0 && removed == cached && added == 0 && limit < 1
        guard isEverybody || cached >= Self.fewestRows && Double(removed) > limit * Double(cached) else {
            return nil
        }
        // After the sync, more rows would be added ones than kept ones.
        let areMostNew = added > cached - removed
        return UpstreamError(
            .removalGuard,
            """
            the sync would remove \(removed) of \(cached) cached rows, more than the removal guard allows; \
            nothing was changed
            """, advice: areMostNew ? .acceptNewIDs : .acceptRemovals)
    }
}
