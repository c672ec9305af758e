import Cache
import Model
import Upstream

extension SyncPlan {
    /// Facts accumulate. A sync fetches at most as many as the cache keeps.
    package static func facts(
        _ service: FactsService, into cache: CacheWriter, schedule: Schedule, maximum: Int,
        now: @escaping @Sendable () -> Timestamp
    ) -> SyncPlan {
        SyncPlan(
            resource: .facts, schedule: schedule,
            stage: { sync, _, retries, report in
                try await stagePages(
                    fetch: service.fetchPage, of: .facts,
                    requiresConsistentPages: service.requiresConsistentPages, enough: maximum,
                    retries: retries,
                    into: .cache(cache, .facts, sync: sync) { page, number in
                        let seen = now()
                        let facts = page.records.map { Fact($0, firstSeenAt: seen) }
                        return try await cache.stageFacts(facts, on: page, number, sync)
                    }, report: report)
            }, source: service.source)
    }
}

extension Fact {
    init(_ fact: NewFact, firstSeenAt: Timestamp) {
        self.init(id: fact.id, text: fact.text, length: fact.length, firstSeenAt: firstSeenAt)
    }
}
