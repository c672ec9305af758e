import Model

/// One page of a listing, decoded.
package struct DecodedPage<Record: Sendable>: Sendable {
    package var records: [Record]
    /// Nil on the last page.
    package var next: PageRequest?
    /// Records in the whole listing; nil if unknown.
    package var total: Int?
    /// For a conditional request, and to recognise the same answer; nil for a page that is not to be cached.
    package var known: KnownPage?
    /// Of the whole list, where that changes as a whole; nil where each page is known by itself.
    package var list: KnownPage?
    /// Ids of records that were on the page and are not to be cached.
    package var leftOut: [String]
    /// Upstream has more, and the settings ask for no more.
    package var isCut: Bool
    /// Why there is no next page.
    package var end: ListEnd?
    /// What upstream seems to have more, for people: the format follows no pages to it.
    package var more: String?

    package init(
        records: [Record], next: PageRequest? = nil, total: Int? = nil, known: KnownPage? = nil,
        leftOut: [String] = [], isCut: Bool = false, end: ListEnd? = nil
    ) {
        self.end = end
        self.records = records
        self.next = next
        self.total = total
        self.known = known
        self.leftOut = leftOut
        self.isCut = isCut
    }
}

extension DecodedPage: Equatable where Record: Equatable {}

/// Why a list ends with a page.
package enum ListEnd: Hashable, Sendable {
    /// The format knows one page.
    case onePage
    case empty
    /// As many came as upstream has.
    case total
    /// The page names no next one.
    case noNext
    /// The page says that there is no more.
    case noMore
    /// The page itself is not there: the status that says so, 200 where nothing is in the answer.
    case notThere(Int)
}

/// The answer to a request for a page.
package enum PageAnswer<Record: Sendable>: Sendable {
    case page(DecodedPage<Record>)
    /// The known page is current; its validators may be others now.
    case unchanged(KnownPage)
    /// The known list is current, as a whole.
    case unchangedList
}

extension PageAnswer: Equatable where Record: Equatable {}

/// Fetches a page, unless the known one is current; for the first, the list may be known instead.
package typealias FetchPage<Record: Sendable> =
    @Sendable (PageRequest, _ known: KnownPage?) async throws -> PageAnswer<Record>
