import Model

/// One page of a listing, decoded.
package struct DecodedPage<Record: Sendable>: Sendable {
    package var records: [Record]
    /// Nil on the last page.
    package var next: PageRequest?
    /// Records in the whole listing; nil if unknown.
    package var total: Int?
    /// The page's version, for a conditional request and to recognise the same answer; nil for a page that must not be cached.
    package var known: KnownPage?
    /// The version of the whole list, if it changes as a whole; nil if each page has its own.
    package var list: KnownPage?
    /// Ids of records on the page that must not be cached.
    package var leftOut: [String]
    package var unread = UnreadRecords()
    /// The fields of the first page's records; nil for others.
    package var shape: ListShape?
    /// Whether upstream has more pages than the settings allow.
    package var isCut: Bool
    /// Why there is no next page.
    package var end: ListEnd?
    /// A sign, for people, that upstream has more records to which the format follows no pages.
    package var more: String?
    /// Less clear signs of more records, for a person who checks the settings.
    package var hints: [String] = []

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
    /// The format has only one page.
    case onePage
    case empty
    /// All records of the total have come.
    case total
    /// The page names no next one.
    case noNext
    /// The page says that there is no more.
    case noMore
    /// The page does not exist: the status that says so, or 200 with an empty body.
    case notThere(Int)
}

/// The answer to a request for a page.
package enum PageAnswer<Record: Sendable>: Sendable {
    case page(DecodedPage<Record>)
    /// The known page is current; its validators may have changed.
    case unchanged(KnownPage)
    /// The known list is current, as a whole.
    case unchangedList
}

extension PageAnswer: Equatable where Record: Equatable {}

/// Fetches a page, unless the known one is current; for the first page, the known list may be given instead.
package typealias FetchPage<Record: Sendable> =
    @Sendable (PageRequest, _ known: KnownPage?) async throws -> PageAnswer<Record>
