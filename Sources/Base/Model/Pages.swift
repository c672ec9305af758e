/// Which page of a listing: the first, or what the page before named as the next.
package struct PageRequest: Hashable, Sendable, Codable {
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

/// What tells one version of an answer from another (RFC 9110, section 8.8), as upstream wrote it.
package struct Validators: Hashable, Sendable {
    package var etag: String?
    package var lastModified: String?

    package init(etag: String? = nil, lastModified: String? = nil) {
        self.etag = etag
        self.lastModified = lastModified
    }
}

/// A page that came before: which it was, and in which version.
package struct KnownPage: Hashable, Sendable {
    /// A digest of all that a page depends on beside what upstream has: other settings make other pages.
    package var key: String
    package var validators: Validators

    package init(key: String, validators: Validators) {
        self.key = key
        self.validators = validators
    }
}
