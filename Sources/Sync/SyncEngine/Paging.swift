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
    package var stageSame: @Sendable (Int, KnownPage) async throws -> Int?

    package init(
        cached: @escaping @Sendable (Int) async throws -> CachedPage? = { _ in nil },
        stage: @escaping @Sendable ([Record], CachedPage?) async throws -> Int,
        stageSame: @escaping @Sendable (Int, KnownPage) async throws -> Int? = { _, _ in nil }
    ) {
        self.cached = cached
        self.stage = stage
        self.stageSame = stageSame
    }

    init(
        _ resource: Resource, _ sync: Int, _ cache: CacheWriter,
        stage: @escaping @Sendable ([Record], CachedPage?) async throws -> Int
    ) {
        self.init(
            cached: { try await cache.page(resource, $0) }, stage: stage,
            stageSame: { try await cache.stageSame(resource, $0, $1, sync) })
    }
}

/// A sync gives up on an endless upstream.
package struct PagingLimits: Hashable, Sendable {
    package var pages: Int
    package var records: Int

    package init(pages: Int = 100_000, records: Int = 5_000_000) {
        self.pages = pages
        self.records = records
    }
}

/// Fetches page after page, and stages each before the next. A cached page is asked for with its validators, and staged
/// from the cache if it has not changed.
/// - Parameters:
///   - settings: the section whose keys messages name, such as `users`.
///   - isStrict: see `UpstreamFormat`.
///   - enough: maximum number of records to stage, repeated ones included.
///   - retries: for pages after the first; nil: none is asked for again.
package func stagePages<Record: Sendable & Identifiable>(
    fetch: FetchPage<Record>, of settings: String, isStrict: Bool = false, enough: Int = .max,
    limits: PagingLimits = PagingLimits(), retries: PageRetries? = nil, into staging: PageStaging<Record>,
    report: @Sendable (Progress) -> Void
) async throws -> StagedPages where Record.ID == String {
    var staged = StagedPages()
    // Those of randomuser.me and catfact.ninja repeat a record five times over, and a page may have but one.
    let mostPagesWithoutNews = isStrict ? 2 : 20
    var pagesWithoutNews = 0
    var tokens: Set<String> = []
    var leftOut: Set<String> = []
    var retries = retries
    var next: PageRequest? = .first
    while let request = next {
        let room = enough - staged.records
        let page = try await PageRetries.repeating(request, &retries) {
            try await stagePage(request, room: room, fetch, staging)
        }
        staged.pages += 1
        staged.unchanged += page.isUnchanged ? 1 : 0
        staged.records += page.records
        staged.duplicates += page.duplicates
        staged.isCut = page.isCut
        staged.total = page.total ?? staged.total
        staged.fingerprint &+= page.fingerprint
        leftOut.formUnion(page.leftOut)
        staged.leftOut = leftOut.count
        report(Progress(done: staged.records, total: page.total))
        next = staged.records < enough ? page.next : nil
        let hasNews = page.duplicates < page.records || !page.leftOut.isEmpty
        pagesWithoutNews = hasNews ? 0 : pagesWithoutNews + 1
        if staged.records > limits.records {
            throw UpstreamError(.tooLarge, "upstream has more than \(limits.records) records")
        }
        if next != nil, staged.pages >= limits.pages {
            throw UpstreamError(.tooLarge, "upstream still has pages after \(limits.pages)")
        }
        if next != nil, pagesWithoutNews >= mostPagesWithoutNews {
            throw UpstreamError(
                .decode,
                """
                upstream repeats itself: the last \(pagesWithoutNews) pages, up to page \(request.number), held no record \
                that did not come before; if it knows no pages, ask for one page only (\(settings).pages), else see \
                \(settings).paging\(isStrict ? ", and \(settings).fields.id if the ids are not unique" : "")
                """)
        }
        if isStrict, let token = next?.token, !tokens.insert(token).inserted {
            throw UpstreamError(
                .decode,
                """
                upstream goes round in circles: after page \(request.number) it names a next page that came before; see \
                \(settings).paging
                """)
        }
    }
    if isStrict, staged.duplicates * 2 > staged.records {
        throw UpstreamError(
            .decode,
            """
            \(staged.duplicates) of \(staged.records) records have the id of another; see \(settings).fields.id
            """)
    }
    return staged
}

private struct StagedPage {
    var isUnchanged = false
    var records: Int
    var duplicates: Int
    var next: PageRequest?
    var total: Int?
    var leftOut: [String] = []
    var isCut = false
    /// Of the ids on it.
    var fingerprint: Int
}

/// - Parameter room: maximum number of records; a page that is cut short does not count as cached.
private func stagePage<Record: Sendable & Identifiable>(
    _ request: PageRequest, room: Int, _ fetch: FetchPage<Record>, _ staging: PageStaging<Record>
) async throws -> StagedPage where Record.ID == String {
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
                records: records.count, duplicates: duplicates, next: page.next, total: page.total,
                leftOut: page.leftOut, isCut: page.isCut,
                fingerprint: (records.map(\.id) + page.leftOut).reduce(0) { $0 &+ $1.hashValue })
        case .unchanged(let known):
            guard let copy = cached else {
                throw UpstreamError(.http, "upstream answers 304 where nothing is cached", status: 304)
            }
            if let duplicates = try await staging.stageSame(request.number, known) {
                return StagedPage(
                    isUnchanged: true, records: copy.records, duplicates: duplicates, next: copy.next,
                    total: copy.total, fingerprint: copy.known.hashValue)
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
