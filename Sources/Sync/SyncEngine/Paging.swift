import Cache
import Model
import Services

/// Stages the pages of one sync.
package struct PageStaging<Record: Sendable>: Sendable {
    /// What is cached of the page with that number.
    package var cached: @Sendable (Int) async throws -> CachedPage?
    /// Stages a page's records. Returns how many of them were already staged.
    package var stage: @Sendable ([Record], CachedPage?) async throws -> Int
    /// The same with the cached records of an unchanged page; nil if they are gone.
    package var stageCached: @Sendable (Int) async throws -> Int?

    package init(
        cached: @escaping @Sendable (Int) async throws -> CachedPage? = { _ in nil },
        stage: @escaping @Sendable ([Record], CachedPage?) async throws -> Int,
        stageCached: @escaping @Sendable (Int) async throws -> Int? = { _ in nil }
    ) {
        self.cached = cached
        self.stage = stage
        self.stageCached = stageCached
    }

    init(
        _ resource: Resource, _ sync: Int, _ cache: CacheWriter,
        stage: @escaping @Sendable ([Record], CachedPage?) async throws -> Int
    ) {
        self.init(
            cached: { try await cache.page(resource, $0) }, stage: stage,
            stageCached: { try await cache.stageCached(resource, $0, sync) })
    }
}

/// A sync gives up on an endless upstream.
package struct PagingLimits: Hashable, Sendable {
    package var pages: Int
    package var records: Int
    /// Consecutive pages without a new record: real upstreams repeat a record five times, and a page may have only one.
    package var pagesWithoutNews: Int

    package init(pages: Int = 100_000, records: Int = 5_000_000, pagesWithoutNews: Int = 20) {
        self.pages = pages
        self.records = records
        self.pagesWithoutNews = pagesWithoutNews
    }
}

/// Fetches page after page, and stages each before the next. A cached page is asked for with its validators, and staged
/// from the cache if it has not changed.
/// - Parameter enough: maximum number of records to stage, repeated ones included.
package func stagePages<Record: Sendable>(
    fetch: FetchPage<Record>, enough: Int = .max, limits: PagingLimits = PagingLimits(),
    into staging: PageStaging<Record>, report: @Sendable (Progress) -> Void
) async throws -> StagedPages {
    var staged = StagedPages()
    var pagesWithoutNews = 0
    var next: PageRequest? = .first
    while let request = next {
        let page = try await stagePage(request, room: enough - staged.records, fetch, staging)
        staged.pages += 1
        staged.unchanged += page.isUnchanged ? 1 : 0
        staged.records += page.records
        staged.duplicates += page.duplicates
        report(Progress(done: staged.records, total: page.total))
        next = staged.records < enough ? page.next : nil
        pagesWithoutNews = page.duplicates == page.records ? pagesWithoutNews + 1 : 0
        if staged.records > limits.records {
            throw UpstreamError(.tooLarge, "upstream has more than \(limits.records) records")
        }
        if next != nil, staged.pages >= limits.pages {
            throw UpstreamError(.tooLarge, "upstream still has pages after \(limits.pages)")
        }
        if next != nil, pagesWithoutNews >= limits.pagesWithoutNews {
            throw UpstreamError(
                .decode,
                """
                upstream repeats itself: the last \(pagesWithoutNews) pages, up to page \(request.number), held no record \
                that did not come before; if it knows no pages, ask for one page only
                """)
        }
    }
    return staged
}

private struct StagedPage {
    var isUnchanged = false
    var records: Int
    var duplicates: Int
    var next: PageRequest?
    var total: Int?
}

/// - Parameter room: maximum number of records; a page that is cut short does not count as cached.
private func stagePage<Record: Sendable>(
    _ request: PageRequest, room: Int, _ fetch: FetchPage<Record>, _ staging: PageStaging<Record>
) async throws -> StagedPage {
    var cached = try await staging.cached(request.number).flatMap { $0.records <= room ? $0 : nil }
    while true {
        let answer = try await fetch(request, cached?.known)
        try Task.checkCancellation()
        switch answer {
        case .page(let page):
            let records = Array(page.records.prefix(room))
            let isCut = records.count < page.records.count
            let duplicates = try await staging.stage(
                records, isCut ? nil : page.cached(number: request.number))
            return StagedPage(
                records: records.count, duplicates: duplicates, next: page.next, total: page.total)
        case .unchanged:
            guard let copy = cached else {
                throw UpstreamError(.http, "upstream answers 304 where nothing is cached", status: 304)
            }
            if let duplicates = try await staging.stageCached(request.number) {
                return StagedPage(
                    isUnchanged: true, records: copy.records, duplicates: duplicates, next: copy.next,
                    total: copy.total)
            }
            // The page was removed from the cache meanwhile: fetch it in full.
            cached = nil
        }
    }
}

extension Page {
    fileprivate func cached(number: Int) -> CachedPage? {
        known.map { CachedPage(number: number, known: $0, next: next, total: total, records: records.count) }
    }
}
