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
    package var refusal: @Sendable (RowChanges, String?) -> Failure? = { _, _ in nil }
    /// Called after each commit; returns at once.
    package var landed: @Sendable () -> Void = {}
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
    /// Nil unless fewer came than upstream says that it has.
    package var shortfall: Shortfall?
}
