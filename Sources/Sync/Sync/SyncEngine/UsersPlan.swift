import Cache
import Model
import Upstream

extension SyncPlan {
    /// Users mirror upstream. The guard keeps them if upstream loses them.
    /// - Parameter replaceable: sources whose users may be removed without asking, such as the built-in default.
    package static func users(
        _ service: UsersService, into cache: CacheWriter, schedule: Schedule, removals: RemovalGuard,
        replaceable: Set<String> = [], afterCommit: @escaping @Sendable () -> Void = {}
    ) -> SyncPlan {
        SyncPlan(
            resource: .users, schedule: schedule,
            stage: { sync, list, retries, report in
                try await stagePages(
                    fetch: service.fetchPage, of: .users,
                    requiresConsistentPages: service.requiresConsistentPages, list: list,
                    retries: service.canRetryPages ? retries : nil,
                    into: .cache(cache, .users, sync: sync, shared: SharedIDs.init(in:)) {
                        try await cache.stageUsers($0, $1, sync)
                    }, report: report)
            },
            source: service.source,
            judgesLists: service.requiresConsistentPages,
            refusal: { rows, cached in
                if let cached, replaceable.contains(cached), cached != service.source { return nil }
                return removals.refusal(
                    removing: rows.removed, of: rows.before, adding: rows.added, from: cached,
                    to: service.source)
            }, afterCommit: afterCommit, onManualSync: service.onManualSync)
    }
}
