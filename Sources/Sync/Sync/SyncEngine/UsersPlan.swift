import Cache
import Logging
import Model
import Upstream

extension SyncPlan {
    /// Users mirror upstream. The guard keeps them if upstream loses them.
    /// - Parameters:
    ///   - replaceable: sources whose users may be removed without asking, such as the built-in default.
    ///   - fullInterval: the longest time between two lists that are read whole, whatever a directory's validators and changes say.
    package static func users(
        _ service: UsersService, into cache: CacheWriter, schedule: Schedule, removals: RemovalGuard,
        replaceable: Set<String> = [], fullInterval: Duration = .seconds(86_400),
        logger: Logger = Logger(label: "userd"), afterCommit: @escaping @Sendable () -> Void = {}
    ) -> SyncPlan {
        SyncPlan(
            resource: .users, schedule: schedule,
            stage: { sync, start, retries, report in
                let retries = service.canRetryPages ? retries : nil
                let (inFull, waitsUntil) = start.ignoresValidators(after: fullInterval)
                let list = {
                    var staged = try await stagePages(
                        fetch: service.fetchPage, of: .users,
                        requiresConsistentPages: service.requiresConsistentPages,
                        inFull: inFull, list: start.list,
                        retries: retries,
                        into: .cache(cache, .users, sync: sync, shared: SharedIDs.init(in:)) {
                            try await cache.stageUsers($0, $1, sync)
                        }, report: report)
                    staged.waitsUntil = waitsUntil
                    return staged
                }
                guard let changes = service.changes, fullInterval > .zero else { return try await list() }
                return try await ChangesSync(
                    service: changes, cache: cache, sync: sync, fullInterval: fullInterval, logger: logger,
                    report: report
                ).stage(start, retries, list: list)
            },
            source: service.source,
            judgesLists: service.requiresConsistentPages,
            refusal: { rows, cached in
                if let cached, replaceable.contains(cached), cached != service.source { return nil }
                let (others, source) = (rows.others, service.source)
                // Otherwise all persons could go, unnoticed among as many groups.
                return removals.refusal(
                    removing: rows.removed, of: rows.before, adding: rows.added, from: cached, to: source)
                    ?? removals.refusal(
                        removing: rows.removed - others.removed, of: rows.before - others.before,
                        adding: rows.added - others.added, from: cached, to: source)
            }, afterCommit: afterCommit, onManualSync: service.onManualSync)
    }
}
