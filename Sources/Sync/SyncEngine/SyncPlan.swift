import Cache
import Model
import SyncCore

/// How one resource is synced: all that the engine does not know of it.
package struct SyncPlan: Sendable {
    package var resource: Resource
    package var schedule: Schedule
    /// Fetches everything and stages it for the sync of this number. Throws `UpstreamError` or `CacheError`.
    package var stage:
        @Sendable (_ sync: Int, _ report: @escaping @Sendable (Progress) -> Void) async throws -> StagedPages
    /// Why these changes are not to be committed; nil where they may be.
    package var refusal: @Sendable (RowChanges) -> Failure?
    /// Called after each commit; returns at once.
    package var landed: @Sendable () -> Void

    package init(
        resource: Resource, schedule: Schedule,
        stage: @escaping @Sendable (Int, @escaping @Sendable (Progress) -> Void) async throws -> StagedPages,
        refusal: @escaping @Sendable (RowChanges) -> Failure? = { _ in nil },
        landed: @escaping @Sendable () -> Void = {}
    ) {
        self.resource = resource
        self.schedule = schedule
        self.stage = stage
        self.refusal = refusal
        self.landed = landed
    }
}

/// What a sync has fetched.
package struct StagedPages: Hashable, Sendable {
    package var pages = 0
    /// Pages that had not changed since the last sync, and did not have to be sent.
    package var unchanged = 0
    package var records = 0
    /// Records whose id came before.
    package var duplicates = 0
}
