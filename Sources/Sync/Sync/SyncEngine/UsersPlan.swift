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
                    into: UsersStage(cache: cache, sync: sync), report: report)
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

private struct UsersStage: PageStage {
    let cache: CacheWriter
    let sync: Int

    func cached(_ number: Int) async throws -> Page<Never>? { try await cache.page(.users, number) }

    func stage(_ page: Page<User>, _ number: Int) async throws -> Int {
        try await cache.stageUsers(page, number, sync)
    }

    func stageSame(_ number: Int, _ known: KnownPage) async throws -> Int? {
        try await cache.stageSame(.users, number, known, sync)
    }

    func stageSameList() async throws -> Int { try await cache.stageSameList(.users, sync) }

    func beginAgain() async throws { try await cache.beginAgain(.users, sync) }

    func shared(_ users: [User]) -> SharedIDs { SharedIDs(in: users) }
}
