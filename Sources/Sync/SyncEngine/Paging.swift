import Cache
import Model
import Services

/// Stages the pages of one sync.
package struct PageStaging<Record: Sendable>: Sendable {
    /// What is cached of the page with that number.
    package var cached: @Sendable (Int) async throws -> CachedPage?
    /// Cached records that may be on the page with that number; none unless all records are wanted.
    package var known: @Sendable (Int) async throws -> KnownRecords
    /// Stages a page's records. Returns how many of them were already staged.
    package var stage: @Sendable (PageRecords<Record>, CachedPage?) async throws -> Int
    /// The same with the cached records of an unchanged page; nil if they are gone.
    package var stageSame: @Sendable (Int, KnownPage) async throws -> Int?

    package init(
        cached: @escaping @Sendable (Int) async throws -> CachedPage? = { _ in nil },
        known: @escaping @Sendable (Int) async throws -> KnownRecords = { _ in [:] },
        stage: @escaping @Sendable (PageRecords<Record>, CachedPage?) async throws -> Int,
        stageSame: @escaping @Sendable (Int, KnownPage) async throws -> Int? = { _, _ in nil }
    ) {
        self.cached = cached
        self.known = known
        self.stage = stage
        self.stageSame = stageSame
    }

    init(
        _ resource: Resource, _ sync: Int, _ cache: CacheWriter,
        known: @escaping @Sendable (Int) async throws -> KnownRecords = { _ in [:] },
        stage: @escaping @Sendable (PageRecords<Record>, CachedPage?) async throws -> Int
    ) {
        self.init(
            cached: { try await cache.page(resource, $0) }, known: known, stage: stage,
            stageSame: { try await cache.stageSame(resource, $0, $1, sync) })
    }
}

/// Fetches page after page, and stages each in turn. A cached page is asked for with its validators, and staged from the
/// cache if it has not changed; so are those records of a changed page that have not. While a page is staged, the next is fetched.
/// - Parameters:
///   - settings: the section whose keys messages name, such as `users`.
///   - isStrict: see `UpstreamFormat`.
///   - enough: maximum number of records to stage, repeated ones included.
///   - retries: for pages after the first; nil: none is asked for again.
package func stagePages<Record: Sendable & Identifiable>(
    fetch: @escaping FetchPage<Record>, of settings: String, isStrict: Bool = false, enough: Int = .max,
    limits: PagingLimits = PagingLimits(), retries: PageRetries? = nil, into staging: PageStaging<Record>,
    report: @Sendable (Progress) -> Void
) async throws -> StagedPages where Record.ID == String {
    var listing = Listing(settings: settings, isStrict: isStrict, enough: enough, limits: limits)
    // Of one at a time.
    try await withThrowingTaskGroup(of: Fetched<Record>.self) { group in
        /// A page with more records than are wanted is cut short, and so does not count as cached.
        func lookUp(_ request: PageRequest, _ room: Int) async throws -> CachedPage? {
            try await staging.cached(request.number).flatMap { $0.records <= room ? $0 : nil }
        }
        let cached = try await lookUp(.first, enough)
        group.addTask { try await Fetched(.first, cached, retries, staging.known, fetch) }
        while let page = try await group.next() {
            try Task.checkCancellation()
            let (request, retries) = (page.request, page.retries)
            var ahead: PageRequest?
            let taken: StagedPage
            switch page.answer {
            case .page(let answer):
                let count = min(answer.records.count + answer.same.count, listing.room)
                let room = listing.room - count
                if let next = answer.next, room > 0, listing.isSure(of: next, after: count) {
                    ahead = next
                    let cached = try await lookUp(next, room)
                    group.addTask { try await Fetched(next, cached, retries, staging.known, fetch) }
                }
                taken = try await stage(answer, upTo: listing.room, number: request.number, into: staging)
            case .changed: preconditionFailure("a fetched page is read")
            case .unchanged(let known):
                guard let cached = page.cached else {
                    throw UpstreamError(.http, "upstream answers 304 where nothing is cached", status: 304)
                }
                guard let duplicates = try await staging.stageSame(request.number, known) else {
                    // It was removed from the cache meanwhile: fetches it in full.
                    group.addTask { try await Fetched(request, nil, retries, staging.known, fetch) }
                    continue
                }
                taken = StagedPage(
                    isUnchanged: true, records: cached.records, duplicates: duplicates, next: cached.next,
                    total: cached.total, fingerprint: cached.known.hashValue)
            }
            let next = try listing.take(taken, of: request) { report($0) }
            if let next, next != ahead {
                let cached = try await lookUp(next, listing.room)
                group.addTask { try await Fetched(next, cached, retries, staging.known, fetch) }
            }
        }
    }
    try listing.end()
    return listing.staged
}

/// An answer on its way to be staged.
private struct Fetched<Record: Sendable>: Sendable {
    var request: PageRequest
    var cached: CachedPage?
    var answer: PageAnswer<Record>
    var retries: PageRetries?

    init(
        _ request: PageRequest, _ cached: CachedPage?, _ retries: PageRetries?,
        _ known: @Sendable (Int) async throws -> KnownRecords, _ fetch: FetchPage<Record>
    ) async throws {
        var retries = retries
        answer = try await PageRetries.repeating(request, &retries) {
            let answer = try await fetch(request, cached?.known)
            guard case .changed(let read) = answer else { return answer }
            return .page(try await read(known(request.number)))
        }
        (self.request, self.cached, self.retries) = (request, cached, retries)
    }
}

private func stage<Record: Sendable & Identifiable>(
    _ page: Page<Record>, upTo room: Int, number: Int, into staging: PageStaging<Record>
) async throws -> StagedPage where Record.ID == String {
    let count = page.records.count + page.same.count
    let isWhole = count <= room
    let cached = page.known.map {
        CachedPage(number: number, known: $0, next: page.next, total: page.total, records: count)
    }
    let records = Array(page.records.prefix(room))
    let duplicates = try await staging.stage(
        isWhole ? PageRecords(records, digests: page.digests, same: page.same) : PageRecords(records),
        isWhole ? cached : nil)
    return StagedPage(
        records: min(count, room), duplicates: duplicates, next: page.next, total: page.total,
        leftOut: page.leftOut, isCut: page.isCut,
        fingerprint: (records.map(\.id) + page.leftOut).reduce(0) { $0 &+ $1.hashValue }
            &+ page.same.reduce(0) { $0 &+ $1.number.hashValue })
}
