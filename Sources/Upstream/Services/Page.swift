import Model

/// One page of a listing, decoded.
package struct Page<Record: Sendable>: Sendable {
    package var records: [Record]
    /// Nil on the last page.
    package var next: PageRequest?
    /// Records in the whole listing, where it is known.
    package var total: Int?
    /// By which the page can be asked for again; nil where upstream does not tell its versions apart.
    package var known: KnownPage?

    package init(
        records: [Record], next: PageRequest? = nil, total: Int? = nil, known: KnownPage? = nil
    ) {
        self.records = records
        self.next = next
        self.total = total
        self.known = known
    }
}

extension Page: Equatable where Record: Equatable {}

/// What comes of asking for a page of which something is known.
package enum PageAnswer<Record: Sendable>: Sendable {
    case page(Page<Record>)
    /// It is what it was; only where something was known.
    case unchanged
}

extension PageAnswer: Equatable where Record: Equatable {}

/// Fetches a page, or learns that it is still the one that is known.
package typealias FetchPage<Record: Sendable> =
    @Sendable (PageRequest, _ known: KnownPage?) async throws -> PageAnswer<Record>
