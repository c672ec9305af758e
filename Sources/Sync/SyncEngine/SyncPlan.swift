import Cache
import Model
import SyncCore

/// How one resource is synced.
package struct SyncPlan: Sendable {
    package var resource: Resource
    package var schedule: Schedule
    /// Fetches everything and stages it for the sync of this number. Throws `UpstreamError` or `CacheError`.
    /// - Parameter list: see `SavedResource`.
    package var stage:
        @Sendable (
            _ sync: Int, _ list: KnownPage?, PageRetries?, _ report: @escaping @Sendable (Progress) -> Void
        ) async throws -> StagedPages
    /// The source of the records, which the cache stores; nil if it makes no difference.
    package var source: String?
    /// Checks the fetched list before its commit; nil accepts it. The second is the last shortfall.
    package var shortage: @Sendable (StagedPages, Shortfall?) -> UpstreamError? = { _, _ in nil }
    /// Checks the changes before their commit; nil accepts them. The second is the source of the cached rows.
    package var refusal: @Sendable (RowChanges, String?) -> UpstreamError? = { _, _ in nil }
    /// Called after each commit; returns at once.
    package var afterCommit: @Sendable () -> Void = {}
    /// Called when a person requests a sync, before it begins; returns at once.
    package var asked: @Sendable () -> Void = {}
    /// Whether a sync would fail, without a request, until a person has signed in.
    package var waitsForPerson: @Sendable () async -> Bool = { false }
}

/// The result of a sync's requests.
package struct StagedPages: Hashable, Sendable {
    package var pages = 0
    /// Pages that upstream answered with "not modified".
    package var unchanged = 0
    package var records = 0
    /// Records whose id was already staged.
    package var duplicates = 0
    /// Number of records that the format leaves out, each id once.
    package var leftOut = 0
    /// Number of records in the whole list, as upstream said last.
    package var total: Int?
    /// Upstream has more pages than the settings ask for.
    package var isCut = false
    /// The version of the list; nil unless it changes as a whole.
    package var list: KnownPage?
    /// Signs that upstream has more than these pages lead to, for people.
    package var more: String?
    /// The last page was unchanged, so `more` of the list before still applies.
    package var isEndUnchanged = false
    /// The missing page that ended the list, although upstream had not said that the list ends there.
    package var absentPage: Int?
    /// How many records the list seems to lack; nil if it seems complete.
    package var shortfall: Shortfall?

    /// Compares a list that ended with a missing page with the cache.
    /// - Parameters:
    ///   - cached: number of cached rows; 0 if they may be removed.
    ///   - last: shortfall of the list before.
    mutating func compare(with cached: Int, _ last: Shortfall?) {
        let distinct = records - duplicates
        if shortfall == nil, absentPage != nil, distinct < cached {
            shortfall = Shortfall(total: cached, distinct: distinct)
        }
        guard let more = isEndUnchanged ? last?.more : more else { return }
        shortfall = shortfall ?? Shortfall(total: distinct, distinct: distinct)
        shortfall?.more = more
    }
}
