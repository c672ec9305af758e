/// A request for one page of a listing: the first, or the one that the previous page named as next.
package struct PageRequest: Hashable, Sendable, Codable {
    /// From 1.
    package var number: Int
    /// Records that came before, those left out included; nil where that is of no use.
    package var offset: Int?
    /// Records on the first page.
    package var firstPageRecords: Int?
    /// What the page before has named for this one: a seed, a cursor or an address.
    package var token: String?

    package static let first = PageRequest(number: 1)

    package init(number: Int, offset: Int? = nil, firstPageRecords: Int? = nil, token: String? = nil) {
        self.number = number
        self.offset = offset
        self.firstPageRecords = firstPageRecords
        self.token = token
    }
}

/// Validators of an answer (RFC 9110, section 8.8), as upstream sent them.
package struct Validators: Hashable, Sendable {
    package var etag: String?
    package var lastModified: String?

    package init(etag: String? = nil, lastModified: String? = nil) {
        self.etag = etag
        self.lastModified = lastModified
    }
}

/// A page from an earlier sync, with its version.
package struct KnownPage: Hashable, Sendable {
    /// A digest of the settings that the page depends on.
    package var key: String
    package var validators: Validators
    /// Of the page as it came; nil if unknown.
    package var digest: String?

    package init(key: String, validators: Validators = Validators(), digest: String? = nil) {
        self.key = key
        self.validators = validators
        self.digest = digest
    }
}

/// The records of a page: those that were read, and those that came as they are cached.
package struct PageRecords<Record: Sendable>: Sendable {
    package var read: [Record]
    /// Of what each of those was read from; empty if that is not kept.
    package var digests: [Int64]
    package var same: [SameRecord]

    package init(_ read: [Record], digests: [Int64] = [], same: [SameRecord] = []) {
        (self.read, self.digests, self.same) = (read, digests, same)
    }
}

/// A record that came as it is cached.
package struct SameRecord: Hashable, Sendable {
    /// Of its row.
    package var number: Int
    /// How many of the page's other records came before it.
    package var place: Int

    package init(number: Int, place: Int) {
        (self.number, self.place) = (number, place)
    }
}

/// The numbers of rows, by the digests of the records as they came.
package typealias KnownRecords = [Int64: Int]
