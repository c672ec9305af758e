/// How a page compares with what is known of it.
package enum PageChange: Hashable, Sendable {
    /// New, or not as it was.
    case read
    /// Like the known page, whose records the cache has.
    case unchanged
    /// The whole known list is current.
    case unchangedList
}

/// One page of an upstream's list, from the reader of its answer to the cache's writer.
package struct Page<Record: Sendable>: Sendable {
    package var change = PageChange.read
    package var records: [Record]
    /// Number of records that the cache has of an unchanged page; nil for a page that was read.
    package var cachedCount: Int?
    /// Digests of the ids of records that must not be cached.
    package var leftOut: [String]
    package var unread = UnreadRecords()
    /// The fields of the first page's records; nil for others.
    package var shape: ListShape?
    /// Nil on the last page.
    package var next: PageRequest?
    /// Number of records in the whole list; nil if unknown.
    package var total: Int?
    /// The version of this page; nil for one that must not be cached.
    package var known: KnownPage?
    /// The version of the whole list, if it changes as a whole; nil if each page has its own.
    package var list: KnownPage?
    /// Whether upstream has more pages than the settings allow.
    package var isCut: Bool
    /// The reason that there is no next page.
    package var end: ListEnd?
    /// On a page of changes, those who are gone, or must not be cached any more.
    package var gone: [Gone] = []
    /// On a page of changes, what records lack, by the number of the record, from 0.
    package var lacking: [Int: LackingRecord] = [:]
    /// On a page of changes, ids of those who are as they are cached.
    package var present: [String] = []
    /// On the last page of changes, whether all are gone whom these pages name neither in `present` nor in their records.
    package var namesAll = false
    /// Differs from the cached stamp if the record may have changed; by the id, or its digest in `leftOut`. Empty for
    /// directories whose records have no stamps.
    package var stamps: [String: String] = [:]
    /// The token of the changes after this list, or after these changes; on the last page.
    package var changeToken: String?
    /// A sign, for people, that upstream has more records to which the format follows no pages.
    package var more: String?
    /// Less clear signs of more records, for a person who checks the settings.
    package var hints: [String] = []

    package init(
        records: [Record] = [], next: PageRequest? = nil, total: Int? = nil, known: KnownPage? = nil,
        leftOut: [String] = [], isCut: Bool = false, end: ListEnd? = nil, cachedCount: Int? = nil
    ) {
        (self.records, self.next, self.total, self.known) = (records, next, total, known)
        (self.leftOut, self.isCut, self.end) = (leftOut, isCut, end)
        self.cachedCount = cachedCount
        if cachedCount != nil { change = .unchanged }
    }

    /// The known page is current; its validators may have changed.
    package static func unchanged(_ known: KnownPage) -> Page {
        var page = Page(known: known)
        page.change = .unchanged
        return page
    }

    package static var unchangedList: Page {
        var page = Page()
        page.change = .unchangedList
        return page
    }

    package var count: Int { cachedCount ?? records.count }

    /// Number of all records that upstream sent.
    package var sent: Int { count + leftOut.count + unread.unidentified }

    /// Leaves out a record that can't be told apart from others.
    package mutating func leaveOut(unidentified reason: String, setting: String? = nil) {
        unread.add(unidentified: "record \(sent + 1): \(reason)", setting: setting)
    }
}

extension Page: Equatable where Record: Equatable {}

/// The parts that the record of a change lacks: it has at least what has changed.
package struct LackingRecord: Hashable, Sendable {
    /// Fields that stay as they are cached.
    package var absent: [UserField] = []
    /// Fields of which only a part is there. If they would change, the list decides.
    package var divided: [UserField] = []
    /// Whether it lacks something that the record of somebody new has. Then the list decides about an id that is not cached.
    package var isOfKnown = false

    package init() {}

    package var isEmpty: Bool { absent.isEmpty && divided.isEmpty && !isOfKnown }
}

/// Somebody who is gone: on a page of changes, the last one of an id counts.
package struct Gone: Hashable, Sendable {
    package var id: String
    /// Number of records before it on its page.
    package var records: Int

    package init(id: String, after records: Int) { (self.id, self.records) = (id, records) }
}

/// The reasons that a list ends with a page.
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

/// Fetches a page, unless the known one is current; for the first page, the known list may be given instead.
package typealias FetchPage<Record: Sendable> =
    @Sendable (PageRequest, _ known: KnownPage?) async throws -> Page<Record>
