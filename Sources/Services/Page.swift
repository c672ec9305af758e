import Model

/// Which page of a listing: the first, or what the page before named as the next.
package struct PageRequest: Hashable, Sendable {
    /// From 1.
    package var number: Int
    /// What makes upstream number its pages alike, where it gave such a thing with the first page.
    package var seed: String?

    package static let first = PageRequest(number: 1)

    package init(number: Int, seed: String? = nil) {
        self.number = number
        self.seed = seed
    }
}

/// One page of a listing, decoded.
package struct Page<Record: Sendable>: Sendable {
    package var records: [Record]
    /// Nil on the last page.
    package var next: PageRequest?
    /// Records in the whole listing, where it is known.
    package var total: Int?

    package init(records: [Record], next: PageRequest? = nil, total: Int? = nil) {
        self.records = records
        self.next = next
        self.total = total
    }
}

extension Page: Equatable where Record: Equatable {}
