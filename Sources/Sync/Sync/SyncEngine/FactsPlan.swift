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
                    into: FactsStage(cache: cache, sync: sync, now: now), report: report)
            }, source: service.source)
    }
}

private struct FactsStage: PageStage {
    let cache: CacheWriter
    let sync: Int
    let now: @Sendable () -> Timestamp

    func cached(_ number: Int) async throws -> Page<Never>? { try await cache.page(.facts, number) }

    func stage(_ page: Page<NewFact>, _ number: Int) async throws -> Int {
        let seen = now()
        return try await cache.stageFacts(page.map { Fact($0, firstSeenAt: seen) }, number, sync)
    }

    func stageSame(_ number: Int, _ known: KnownPage) async throws -> Int? {
        try await cache.stageSame(.facts, number, known, sync)
    }

    func stageSameList() async throws -> Int { try await cache.stageSameList(.facts, sync) }

    func beginAgain() async throws { try await cache.beginAgain(.facts, sync) }

    func shared(_: [NewFact]) -> SharedIDs { SharedIDs() }
}

extension Fact {
    init(_ fact: NewFact, firstSeenAt: Timestamp) {
        self.init(id: fact.id, text: fact.text, length: fact.length, firstSeenAt: firstSeenAt)
    }
}
