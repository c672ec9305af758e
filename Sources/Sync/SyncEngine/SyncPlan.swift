import Cache
import Model
import SyncCore

/// How one resource is synced.
package struct SyncPlan: Sendable {
    package var resource: Resource
    package var schedule: Schedule
    /// Fetches everything and stages it for the sync of this number. Throws `UpstreamError` or `CacheError`.
    package var stage:
        @Sendable (_ sync: Int, _ report: @escaping @Sendable (Progress) -> Void) async throws -> StagedPages
    /// Why these changes must not be committed; nil if they may be.
    package var refusal: @Sendable (RowChanges) -> Failure? = { _ in nil }
    /// Called after each commit; returns at once.
    package var landed: @Sendable () -> Void = {}
}

/// What a sync has fetched.
package struct StagedPages: Hashable, Sendable {
    package var pages = 0
    /// Pages that upstream answered with "not modified".
    package var unchanged = 0
    package var records = 0
    /// Records whose id was already staged.
    package var duplicates = 0
}
