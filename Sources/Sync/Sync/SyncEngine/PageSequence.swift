import Model
import Upstream

/// A sync gives up on an upstream that exceeds these.
package struct PagingLimits: Hashable, Sendable {
    package var pages = 100_000
    package var records = 5_000_000

    package static let usual = PagingLimits()
}

/// The pages of a sync up to now. Decides whether the sync goes on.
struct PageSequence {
    var resource: Resource
    var requiresConsistentPages: Bool
    var enough: Int
    var limits: PagingLimits
    private(set) var staged = StagedPages()
    private(set) var pagesWithoutNews = 0
    private(set) var emptyPages = 0
    private(set) var tokens: Set<String> = []
    private(set) var leftOut: Set<String> = []

    /// Maximum number of further records.
    var room: Int { enough - staged.records }

    /// randomuser.me and catfact.ninja repeat a record up to five times, and a page may hold a single record.
    private var mostPagesWithoutNews: Int { requiresConsistentPages ? 2 : 20 }
    /// Upstreams that filter a page after choosing it may send many empty ones.
    private static let mostEmptyPages = 1000

    /// True if the next page is certainly needed after a page with this number of records. Only then is it
    /// fetched ahead, so that no request is made in vain.
    func isSure(of next: PageRequest, after page: PageRequest, _ records: Int) -> Bool {
        staged.records + leftOut.count + records <= limits.records && staged.pages + 1 < limits.pages
            && pagesWithoutNews + 1 < mostPagesWithoutNews && emptyPages + 1 < Self.mostEmptyPages
            && !(requiresConsistentPages && next.token.map(tokens.contains) ?? false)
            && page.isPastTotal != true
    }

    /// - Parameters:
    ///   - duplicates: number of its records that were staged before.
    ///   - shared: those that share an id on this page.
    /// - Returns: the next page; nil at the end of the list.
    mutating func take<Record>(
        _ page: Page<Record>, duplicates: Int, shared: SharedIDs = SharedIDs(), of request: PageRequest,
        report: (Progress) -> Void
    ) throws -> PageRequest? {
        var (page, duplicates, shared) = (page, duplicates, shared)
        leftOut.formUnion(page.leftOut)
        let hasNews =
            duplicates < page.count || leftOut.count > staged.leftOut || page.unread.unidentified > 0
        // All records have come before: upstream ignores page numbers, or repeats its last page.
        if requiresConsistentPages, request.isPastTotal == true, !hasNews {
            (page, duplicates, shared) = (Page(), 0, SharedIDs())
        }
        staged.pages += 1
        staged.isEndUnchanged = page.change == .unchanged
        staged.unchanged += staged.isEndUnchanged ? 1 : 0
        staged.records += page.count
        staged.duplicates += duplicates
        staged.isCut = page.isCut
        staged.total = page.total.map { max($0, staged.total ?? 0) } ?? staged.total
        staged.unread = staged.unread + page.unread
        staged.shared = staged.shared + shared
        staged.isCounted = staged.isCounted || request.isCounted == true
        staged.list = page.list
        staged.more = page.more
        staged.changeToken = page.changeToken
        if case .notThere? = page.end, request.isPastTotal != true { staged.absentPage = request.number }
        let isEmpty = page.sent == 0
        staged.leftOut = leftOut.count
        let came = staged.records + staged.leftOut + staged.unread.unidentified
        report(Progress(done: came, total: page.total))
        let next = staged.records < enough ? page.next : nil
        emptyPages = isEmpty ? emptyPages + 1 : 0
        if !isEmpty { pagesWithoutNews = hasNews ? 0 : pagesWithoutNews + 1 }
        if staged.records + leftOut.count > limits.records {
            throw UpstreamError(.tooLarge, "upstream has more than \(limits.records) records")
        }
        if next != nil, staged.pages >= limits.pages {
            throw UpstreamError(.tooLarge, "upstream has more than \(limits.pages) pages")
        }
        if next != nil, pagesWithoutNews >= mostPagesWithoutNews {
            throw UpstreamError(
                .decode,
                """
                upstream repeats itself: the last \(pagesWithoutNews) pages, up to page \(request.number), \
                had no new record
                """,
                advice: requiresConsistentPages
                    ? .checkPagingAndIDs : resource == .users ? .askForOnePage : .readOnePage,
                about: "\(resource)")
        }
        if next != nil, emptyPages >= Self.mostEmptyPages {
            throw UpstreamError(
                .decode,
                "the last \(emptyPages) pages, up to page \(request.number), were empty",
                advice: .check, about: "\(resource).paging")
        }
        if requiresConsistentPages, let token = next?.token, !tokens.insert(token).inserted {
            throw UpstreamError(
                .decode,
                "upstream's pages form a loop: page \(request.number) leads to one already fetched",
                advice: .check, about: "\(resource).paging")
        }
        return next
    }

    /// Takes the cached rows as the list, which has not changed.
    mutating func take(unchanged list: KnownPage?, of records: Int, report: (Progress) -> Void) {
        staged.list = list
        staged.records = records
        staged.isUnchangedList = true
        report(Progress(done: records, total: nil))
    }

    mutating func end() throws {
        guard requiresConsistentPages else { return }
        if staged.duplicates * 2 > staged.records {
            throw UpstreamError(
                .decode,
                "\(staged.duplicates) of \(staged.records) records repeat an id",
                advice: .check, about: "\(resource).fields.id")
        }
        if let refusal = staged.unread.refusal(distinct: staged.distinct) { throw refusal }
    }
}
