import Cache
import Model
import Services
import SyncCore
import Synchronization

extension SyncPlan {
    /// Users mirror upstream; the guard protects them from an upstream that has lost them.
    /// - Parameters:
    ///   - replaceable: sources whose users may go without being asked, such as the built-in default's.
    ///   - landed: called after each commit.
    package static func users(
        _ service: UsersService, into cache: CacheWriter, schedule: Schedule, removals: RemovalGuard,
        replaceable: Set<String> = [], landed: @escaping @Sendable () -> Void = {}
    ) -> SyncPlan {
        let totals = TotalCheck()
        return SyncPlan(
            resource: .users, schedule: schedule,
            stage: { sync, retries, report in
                let staged = try await stagePages(
                    fetch: service.fetchPage, of: "users", isStrict: service.isStrict,
                    retries: service.goesOn ? retries : nil,
                    into: PageStaging(.users, sync, cache, known: cache.knownUsers) {
                        try await cache.stageUsers($0, $1, sync)
                    },
                    report: report)
                if service.isStrict { try totals.check(staged) }
                return staged
            },
            source: service.source,
            refusal: { rows, cached in
                if let cached, replaceable.contains(cached), cached != service.source { return nil }
                return removals.refusal(
                    removing: rows.removed, of: rows.before, adding: rows.added, from: cached,
                    to: service.source)
            }, landed: landed, asked: service.asked)
    }
}

/// A list that is shorter than upstream says is refused, until it has come a second time: some servers count users that they
/// do not show.
private final class TotalCheck: Sendable {
    private let refused = Mutex<Int?>(nil)

    func check(_ staged: StagedPages) throws {
        let isShort = !staged.isCut && staged.distinct < staged.total ?? 0
        let last = refused.withLock { refused in
            defer { refused = isShort ? staged.fingerprint : nil }
            return refused
        }
        guard isShort, last != staged.fingerprint else { return }
        let repeated =
            staged.duplicates > 0
            ? ", and \(staged.duplicates) with the id of another (see users.fields.id)" : ""
        throw UpstreamError(
            .decode,
            """
            upstream says that it has \(staged.total ?? 0) users, and gave \(staged.distinct)\(repeated); if the next sync \
            finds the same users, they are taken
            """)
    }
}
