/// A request for one page of a listing: the first, or the one that the previous page named as next.
package struct PageRequest: Hashable, Sendable, Codable {
    /// Counted from 1.
    package var number: Int
    /// Number of records before this page, including those left out; nil if the paging does not need it.
    package var offset: Int?
    /// Number of records on the first page.
    package var firstPageRecords: Int?
    /// The previous page's name for this one: a seed, a cursor or an address.
    package var token: String?
    /// Whether earlier pages had upstream's total of records, so that this page may be missing; nil if
    /// unknown.
    package var isPastTotal: Bool?
    /// Whether upstream finds the page by its number or by the number of records before it, so that the page has
    /// other records once one before it goes.
    package var isCounted: Bool?

    package static let first = PageRequest(number: 1)

    package init(
        number: Int, offset: Int? = nil, firstPageRecords: Int? = nil, token: String? = nil,
        isPastTotal: Bool? = nil, isCounted: Bool? = nil
    ) {
        self.number = number
        self.offset = offset
        self.firstPageRecords = firstPageRecords
        self.token = token
        self.isPastTotal = isPastTotal
        self.isCounted = isCounted
    }
}

/// Validators of an answer (RFC 9110, section 8.8), as upstream sent them.
package struct Validators: Hashable, Sendable, Codable {
    package var etag: String?
    package var lastModified: String?

    package init(etag: String? = nil, lastModified: String? = nil) {
        (self.etag, self.lastModified) = (etag, lastModified)
    }
}

/// A page from an earlier sync, or a list that changes as a whole, with its version.
package struct KnownPage: Hashable, Sendable, Codable {
    /// A digest of the settings that it depends on, and of the day if its records have ages.
    package var key: String
    package var validators: Validators
    /// A digest of the page as upstream sent it; nil if unknown.
    package var digest: String?

    package init(key: String, validators: Validators = Validators(), digest: String? = nil) {
        (self.key, self.validators, self.digest) = (key, validators, digest)
    }
}
