import Cache
import Model
import Services
import SyncCore

extension SyncPlan {
    /// Users mirror upstream; the guard protects them from an upstream that has lost them.
    package static func users(
        _ service: UsersService, into cache: CacheWriter, schedule: Schedule, removals: RemovalGuard,
        landed: @escaping @Sendable () -> Void = {}
    ) -> SyncPlan {
        SyncPlan(
            resource: .users, schedule: schedule,
            stage: { sync, report in
                try await stagePages(
                    fetch: service.fetchPage,
                    into: PageStaging(.users, sync, cache) { try await cache.stageUsers($0, $1, sync) },
                    report: report)
            },
            refusal: { removals.refusal(removing: $0.removed, of: $0.before) }, landed: landed)
    }
}
