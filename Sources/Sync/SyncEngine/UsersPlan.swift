import Cache
import Model
import Services
import SyncCore

extension SyncPlan {
    /// Users mirror upstream. The guard keeps them if upstream loses them.
    /// - Parameters:
    ///   - replaceable: sources whose users may be removed without asking, such as the built-in default.
    ///   - afterCommit: called after each commit.
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
                    into: PageStaging(.users, sync, cache) { try await cache.stageUsers($0, $1, sync) },
                    report: report)
            },
            source: service.source,
            shortage: { $0.shortage(after: $1) },
            refusal: { rows, cached in
                if let cached, replaceable.contains(cached), cached != service.source { return nil }
                return removals.refusal(
                    removing: rows.removed, of: rows.before, adding: rows.added, from: cached,
                    to: service.source)
            }, afterCommit: afterCommit, asked: service.asked)
    }
}

extension StagedPages {
    /// Refuses a list that is shorter than upstream says, or shorter than the cached one if a page is
    /// missing. The same numbers are accepted a second time: some servers count users that they do not send.
    fileprivate func shortage(after last: Shortfall?) -> UpstreamError? {
        guard let shortfall, shortfall.distinct < shortfall.total, shortfall != last else { return nil }
        let repeated = duplicates > 0 ? ", and \(duplicates) that repeat an id" : ""
        let what =
            if let absentPage, shortfall.total != total {
                """
                upstream has no page \(absentPage): it sent \(shortfall.distinct) users, but \
                \(shortfall.total) are cached
                """
            } else {
                "upstream says that it has \(shortfall.total) users but sent \(shortfall.distinct)\(repeated)"
            }
        return UpstreamError(
            .decode, "\(what); if the next sync gets as many, it accepts them",
            advice: duplicates > 0 ? .checkIDs(.users) : nil)
    }
}
