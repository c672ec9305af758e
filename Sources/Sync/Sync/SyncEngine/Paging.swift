import Cache
import Model
import Upstream

/// Stages the pages of one sync.
package struct PageStaging<Record: Sendable>: Sendable {
    /// The cached state of the page with this number.
    package var cached: @Sendable (Int) async throws -> CachedPage? = { _ in nil }
    /// Stages a page's records. Returns how many of them were already staged.
    package var stage: @Sendable ([Record], CachedPage?) async throws -> Int
    /// Stages the cached records of an unchanged page. Returns the same number; nil if they are gone.
    package var stageSame: @Sendable (Int, KnownPage) async throws -> Int? = { _, _ in nil }
    /// Stages all cached records. Returns how many there are.
    package var stageSameList: @Sendable () async throws -> Int = { 0 }
    /// Drops the staged records.
    package var beginAgain: @Sendable () async throws -> Void = {}
    /// Finds records of a page that share an id.
    package var shared: @Sendable ([Record]) -> SharedIDs = { _ in SharedIDs() }
}

extension PageStaging {
    init(
        _ resource: Resource, _ sync: Int, _ cache: CacheWriter,
        shared: @escaping @Sendable ([Record]) -> SharedIDs = { _ in SharedIDs() },
        stage: @escaping @Sendable ([Record], CachedPage?) async throws -> Int
    ) {
        self.init(
            cached: { try await cache.page(resource, $0) }, stage: stage,
            stageSame: { try await cache.stageSame(resource, $0, $1, sync) },
            stageSameList: { try await cache.stageSameList(resource, sync) },
            beginAgain: { try await cache.beginAgain(resource, sync) }, shared: shared)
    }
}

/// Fetches and stages page after page. A cached page is requested with its validators, and staged from the
/// cache if it has not changed. While a page is staged, the next is fetched.
///
/// If upstream refuses a cursor, which may have expired, all pages are fetched again in full, once.
/// - Parameters:
///   - resource: named in advice.
///   - requiresConsistentPages: see `PageReader`.
///   - enough: maximum number of records to stage, repeated ones included.
///   - list: the version of the cached list, if it changes as a whole.
///   - retries: for pages after the first; nil if a failed page fails the sync.
package func stagePages<Record: Sendable & Identifiable>(
    fetch: @escaping FetchPage<Record>, of resource: Resource, requiresConsistentPages: Bool = false,
    enough: Int = .max,
    limits: PagingLimits = PagingLimits(), list: KnownPage? = nil, retries: PageRetries? = nil,
    into staging: PageStaging<Record>, report: @Sendable (Progress) -> Void
) async throws -> StagedPages where Record.ID == String {
    let listing = PageSequence(
        resource: resource, requiresConsistentPages: requiresConsistentPages, enough: enough, limits: limits)
    do {
        return try await stagePages(
            fetch: fetch, of: listing, list: list, retries: retries, into: staging, report: report)
    } catch is RefusedCursor {
        try await staging.beginAgain()
        var staging = staging
        staging.cached = { _ in nil }
        do {
            return try await stagePages(
                fetch: fetch, of: listing, list: nil, retries: retries, into: staging, report: report)
        } catch let refused as RefusedCursor {
            throw refused.error
        }
    }
}

private func stagePages<Record: Sendable & Identifiable>(
    fetch: @escaping FetchPage<Record>, of listing: PageSequence, list: KnownPage?, retries: PageRetries?,
    into staging: PageStaging<Record>, report: @Sendable (Progress) -> Void
) async throws -> StagedPages where Record.ID == String {
    var listing = listing
    // The group holds one fetch at a time.
    try await withThrowingTaskGroup(of: Fetched<Record>.self) { group in
        /// A page with more records than are wanted is cut off, so its cached state is not used.
        func lookUp(_ request: PageRequest, _ room: Int) async throws -> CachedPage? {
            try await staging.cached(request.number).flatMap { $0.records <= room ? $0 : nil }
        }
        let cached = try await lookUp(.first, listing.room)
        group.addTask { try await Fetched(.first, cached, list: list, retries, fetch) }
        while let page = try await group.next() {
            try Task.checkCancellation()
            let (request, retries) = (page.request, page.retries)
            var ahead: PageRequest?
            let taken: StagedPage
            let answer = page.answer
            switch answer.change {
            case .read:
                let room = listing.room - min(answer.records.count, listing.room)
                let count = answer.records.count + answer.leftOut.count
                if let next = answer.next, room > 0, listing.isSure(of: next, after: request, count) {
                    ahead = next
                    let cached = try await lookUp(next, room)
                    group.addTask { try await Fetched(next, cached, retries, fetch) }
                }
                taken = try await stage(answer, upTo: listing.room, number: request.number, into: staging)
            case .unchanged:
                guard let cached = page.cached, let known = answer.known else {
                    throw UpstreamError(
                        .http, "upstream answered 304 for a page that is not cached", status: 304)
                }
                guard let duplicates = try await staging.stageSame(request.number, known) else {
                    // It was removed from the cache meanwhile: fetch it in full.
                    group.addTask { try await Fetched(request, nil, retries, fetch) }
                    continue
                }
                taken = StagedPage(
                    isUnchanged: true, records: cached.records, duplicates: duplicates, next: cached.next,
                    total: cached.total, leftOut: cached.leftOut, isCut: cached.isCut)
            case .unchangedList:
                let records = try await staging.stageSameList()
                return listing.take(unchanged: list, of: records) { report($0) }
            }
            let next = try listing.take(taken, of: request) { report($0) }
            if let next, next != ahead {
                let cached = try await lookUp(next, listing.room)
                let isTokenCached = taken.isUnchanged && next.token != nil
                group.addTask {
                    try await Fetched(next, cached, retries, fetch, isTokenCached: isTokenCached)
                }
            }
        }
    }
    try listing.end()
    return listing.staged
}

private struct RefusedCursor: Error {
    var error: UpstreamError
}

/// A fetched page that is not yet staged.
private struct Fetched<Record: Sendable>: Sendable {
    var request: PageRequest
    var cached: CachedPage?
    var answer: Page<Record>
    var retries: PageRetries?

    init(
        _ request: PageRequest, _ cached: CachedPage?, list: KnownPage? = nil, _ retries: PageRetries?,
        _ fetch: FetchPage<Record>, isTokenCached: Bool = false
    ) async throws {
        var retries = retries
        do {
            answer = try await PageRetries.repeating(request, &retries) {
                try await fetch(request, cached?.known ?? list)
            }
        } catch let error as UpstreamError
            where request.token != nil && (isTokenCached ? error.isRefusal : error.isOfExpiredCursor)
        {
            throw RefusedCursor(error: error)
        }
        (self.request, self.cached, self.retries) = (request, cached, retries)
    }
}

extension UpstreamError {
    /// True if upstream knows the caller and refuses this request for good.
    fileprivate var isRefusal: Bool {
        !failure.retryable && failure.httpStatus.map { 400...499 ~= $0 && $0 != 401 } == true
    }

    /// True for the statuses of a cursor that has expired (RFC 9865, section 2.1, and what other servers send).
    fileprivate var isOfExpiredCursor: Bool { [400, 404, 410].contains(failure.httpStatus) }
}

private func stage<Record: Sendable & Identifiable>(
    _ page: Page<Record>, upTo room: Int, number: Int, into staging: PageStaging<Record>
) async throws -> StagedPage where Record.ID == String {
    // A page with records that can't be told apart is read each time, so that they are counted.
    let known = page.unread.unidentified == 0 ? page.known : nil
    let cached = known.map {
        CachedPage(
            number: number, known: $0, next: page.next, total: page.total, records: page.records.count,
            leftOut: page.leftOut, isCut: page.isCut)
    }
    let records = Array(page.records.prefix(room))
    let duplicates = try await staging.stage(records, records.count < page.records.count ? nil : cached)
    return StagedPage(
        records: records.count, duplicates: duplicates, next: page.next, total: page.total,
        leftOut: page.leftOut, unread: page.unread,
        shared: duplicates > 0 ? staging.shared(records) : SharedIDs(), isCut: page.isCut, list: page.list,
        end: page.end, more: page.more)
}
