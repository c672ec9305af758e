import Model

/// One page of a listing, decoded.
package struct Page<Record: Sendable>: Sendable {
    package var records: [Record]
    /// Of what each of those was read from; empty if that is not kept.
    package var digests: [Int64] = []
    /// Further records, which came as they are cached.
    package var same: [SameRecord] = []
    /// Nil on the last page.
    package var next: PageRequest?
    /// Records in the whole listing; nil if unknown.
    package var total: Int?
    /// For a conditional request, and to recognise the same answer; nil for a page that is not to be cached.
    package var known: KnownPage?
    /// Ids of records that were on the page and are not to be cached.
    package var leftOut: [String]
    /// Upstream has more, and the settings ask for no more.
    package var isCut: Bool

    package init(
        records: [Record], next: PageRequest? = nil, total: Int? = nil, known: KnownPage? = nil,
        leftOut: [String] = [], isCut: Bool = false
    ) {
        self.records = records
        self.next = next
        self.total = total
        self.known = known
        self.leftOut = leftOut
        self.isCut = isCut
    }
}

extension Page: Equatable where Record: Equatable {}

/// The answer to a request for a page.
package enum PageAnswer<Record: Sendable>: Sendable {
    case page(Page<Record>)
    /// The known page is current; its validators may be others now.
    case unchanged(KnownPage)
    /// The known page is another now. Reads it, but for the records that are known, where all others are to be cached with it.
    case changed(@Sendable (KnownRecords) async throws -> Page<Record>)
}

extension PageAnswer: Equatable where Record: Equatable {
    /// A page that is not read yet equals none.
    package static func == (one: PageAnswer, other: PageAnswer) -> Bool {
        switch (one, other) {
        case (.page(let one), .page(let other)): one == other
        case (.unchanged(let one), .unchanged(let other)): one == other
        default: false
        }
    }
}

/// Fetches a page, unless the known one is current.
package typealias FetchPage<Record: Sendable> =
    @Sendable (PageRequest, _ known: KnownPage?) async throws -> PageAnswer<Record>
