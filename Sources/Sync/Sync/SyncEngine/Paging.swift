import Cache
import Model
import Upstream

/// Stages the pages of one sync.
package struct PageStage<Record: Sendable>: Sendable {
    /// Finds the cached state of the page with this number, without its records.
    package var cached: @Sendable (_ number: Int) async throws -> Page<Never>?
    /// Stages a page, which must not be cached if it has no version. Returns how many of its records were already staged.
    package var stage: @Sendable (Page<Record>, _ number: Int) async throws -> Int
    /// Stages the cached records of an unchanged page. Returns the same number; nil if they are gone.
    package var stageSame: @Sendable (_ number: Int, KnownPage) async throws -> Int?
    /// Stages all cached records. Returns how many there are.
    package var stageSameList: @Sendable () async throws -> Int
    /// Drops the staged records.
    package var beginAgain: @Sendable () async throws -> Void
    /// Finds records of a page that share an id.
    package var shared: @Sendable ([Record]) -> SharedIDs = { _ in SharedIDs() }
}

extension PageStage {
    /// Stages in the cache.
    static func cache(
        _ cache: CacheWriter, _ resource: Resource, sync: Int,
        shared: @escaping @Sendable ([Record]) -> SharedIDs = { _ in SharedIDs() },
        stage: @escaping @Sendable (Page<Record>, _ number: Int) async throws -> Int
    ) -> PageStage {
        PageStage(
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
///   - inFull: uses nothing that is cached.
///   - list: the version of the cached list, if it changes as a whole.
///   - retries: for pages after the first; nil if a failed page fails the sync.
package func stagePages<Record>(
    fetch: @escaping FetchPage<Record>, of resource: Resource, requiresConsistentPages: Bool = false,
    enough: Int = .max,
    inFull: Bool = false, limits: PagingLimits = PagingLimits(), list: KnownPage? = nil,
    retries: PageRetries? = nil,
    into stage: PageStage<Record>, report: @Sendable (Progress) -> Void
) async throws -> StagedPages {
    let listing = PageSequence(
        resource: resource, requiresConsistentPages: requiresConsistentPages, enough: enough, limits: limits)
    do {
        return try await stagePages(
            fetch: fetch, of: listing, inFull: inFull, list: inFull ? nil : list, retries: retries,
            into: stage,
            report: report)
    } catch is RefusedCursor {
        try await stage.beginAgain()
        do {
            return try await stagePages(
                fetch: fetch, of: listing, inFull: true, retries: retries, into: stage, report: report)
        } catch let refused as RefusedCursor {
            throw refused.error
        }
    }
}

/// - Parameter inFull: uses nothing that is cached.
private func stagePages<Record>(
    fetch: @escaping FetchPage<Record>, of listing: PageSequence, inFull: Bool = false,
    list: KnownPage? = nil, retries: PageRetries?, into stage: PageStage<Record>,
    report: @Sendable (Progress) -> Void
) async throws -> StagedPages {
    var (listing, retries) = (listing, retries)
    try await withThrowingTaskGroup(of: (page: Page<Record>, retries: PageRetries?).self) { group in
        // The group holds one fetch at a time, of this page.
        var fetching: (request: PageRequest, cached: Page<Never>?) = (.first, nil)
        /// - Parameter room: a page with more records is cut off, so that one is fetched in full.
        func begin(
            _ request: PageRequest, _ room: Int, list: KnownPage? = nil, isTokenCached: Bool = false
        ) async throws {
            let cached = inFull || room == 0 ? nil : try await stage.cached(request.number)
            fetching = (request, cached.flatMap { $0.count <= room ? $0 : nil })
            let known = fetching.cached?.known ?? list
            group.addTask { [retries] in
                do {
                    return try await PageRetries.repeating(request, retries) {
                        try await fetch(request, known)
                    }
                } catch let error as UpstreamError
                    where request.token != nil && (isTokenCached ? error.isRefusal : error.isOfExpiredCursor)
                {
                    throw RefusedCursor(error: error)
                }
            }
        }
        try await begin(.first, listing.room, list: list)
        while let fetched = try await group.next() {
            try Task.checkCancellation()
            var page = fetched.page
            retries = fetched.retries
            let (request, cached) = fetching
            var (next, ahead): (PageRequest?, PageRequest?) = (nil, nil)
            switch page.change {
            case .read:
                let room = listing.room - min(page.records.count, listing.room)
                let count = page.records.count + page.leftOut.count
                if let next = page.next, room > 0, listing.isSure(of: next, after: request, count) {
                    ahead = next
                    try await begin(next, room)
                }
                page.cut(to: listing.room)
                let duplicates = try await stage.stage(page, request.number)
                let shared = duplicates > 0 ? stage.shared(page.records) : SharedIDs()
                next = try listing.take(
                    page, duplicates: duplicates, shared: shared, of: request, report: report)
            case .unchanged:
                guard let cached, let known = page.known else {
                    throw UpstreamError(
                        .http, "upstream answered 304 for a page that is not cached", status: 304)
                }
                guard let duplicates = try await stage.stageSame(request.number, known) else {
                    // It was removed from the cache meanwhile: fetch it in full.
                    try await begin(request, 0)
                    continue
                }
                next = try listing.take(cached, duplicates: duplicates, of: request, report: report)
            case .unchangedList:
                return listing.take(unchanged: list, of: try await stage.stageSameList(), report: report)
            }
            if let next, next != ahead {
                try await begin(next, listing.room, isTokenCached: page.change == .unchanged)
            }
        }
    }
    try listing.end()
    return listing.staged
}

private struct RefusedCursor: Error {
    var error: UpstreamError
}

extension Page {
    /// Leaves out records for which there is no room. A page that is cut off must not be cached; one with records
    /// that can't be told apart is read each time, so that they are counted.
    fileprivate mutating func cut(to room: Int) {
        if records.count > room || unread.unidentified > 0 { known = nil }
        if records.count > room { records.removeSubrange(room...) }
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
