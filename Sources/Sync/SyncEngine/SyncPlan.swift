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
    /// Where the records are from; the cache remembers it. Nil where that makes no difference.
    package var source: String?
    /// Why what was fetched must not be committed; nil if it may be. The second is what was refused last.
    package var shortage: @Sendable (StagedPages, Shortfall?) -> UpstreamError? = { _, _ in nil }
    /// Why these changes must not be committed; nil if they may be. The second is the source of the cached rows.
    package var refusal: @Sendable (RowChanges, String?) -> UpstreamError? = { _, _ in nil }
    /// Called after each commit; returns at once.
    package var afterCommit: @Sendable () -> Void = {}
    /// Called where a person asks for a sync, before it begins; returns at once.
    package var asked: @Sendable () -> Void = {}
}

/// What a sync has fetched.
package struct StagedPages: Hashable, Sendable {
    package var pages = 0
    /// Pages that upstream answered with "not modified".
    package var unchanged = 0
    package var records = 0
    /// Records whose id was already staged.
    package var duplicates = 0
    /// Records that the format leaves out, by their ids.
    package var leftOut = 0
    /// In the whole list, as upstream told last.
    package var total: Int?
    /// Upstream has more, and the settings ask for no more.
    package var isCut = false
    /// The version of the list; nil unless it changes as a whole.
    package var list: KnownPage?
    /// What upstream seems to have more, for people: the pages that were asked for do not lead to it.
    package var more: String?
    /// Whether the last page was unchanged, and so what it tells of more.
    package var isEndUnchanged = false
    /// The page that was not there, which ended the list, though upstream had not said that there are no more.
    package var absentPage: Int?
    /// What the list seems to lack; nil for nothing.
    package var shortfall: Shortfall?

    /// Adds what the cache tells: a list that ends where a page is not there is held against it.
    /// - Parameters:
    ///   - cached: the number of rows that must not go without a question.
    ///   - last: of the list before.
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
