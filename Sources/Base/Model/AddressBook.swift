package struct BookQuery: Hashable, Sendable {
    /// Words, searched as in a list; nil for all users.
    package var search: String?
    package var department: String?
    /// Whether cards have the cached thumbnail.
    package var hasPictures: Bool
    /// The most cards.
    package var maximum: Int
    package var kinds: [UserKind]

    package init(
        search: String? = nil, department: String? = nil, hasPictures: Bool = false, maximum: Int = .max,
        kinds: [UserKind] = [.person]
    ) {
        self.search = search
        self.department = department
        self.hasPictures = hasPictures
        self.maximum = maximum
        self.kinds = kinds
    }
}

/// Which cards a book has, from one snapshot of the cache.
package struct BookIndex: Hashable, Sendable {
    package struct Card: Hashable, Sendable {
        /// The user's id.
        package var id: String
        /// Digest of the record and the picture.
        package var digest: UInt64

        package init(id: String, digest: UInt64) { (self.id, self.digest) = (id, digest) }
    }

    package var cards: [Card]
    /// Whether the users were ever synced: otherwise, that there are none means nothing.
    package var hasSynced: Bool
    /// Whether there are more users than the query's maximum.
    package var isCutShort: Bool
    /// Digest of all cards; stable across restarts.
    package var digest: UInt64
    /// Changes whenever the index may have changed, and more often.
    package var changeToken: String

    package init(cards: [Card], hasSynced: Bool, isCutShort: Bool, digest: UInt64, changeToken: String) {
        (self.cards, self.hasSynced, self.isCutShort) = (cards, hasSynced, isCutShort)
        (self.digest, self.changeToken) = (digest, changeToken)
    }
}

package struct BookCard: Hashable, Sendable {
    package var id: String
    /// The user's record as stored.
    package var record: [UInt8]
    package var photo: FetchedPicture?
    package var digest: UInt64

    package init(id: String, record: [UInt8], photo: FetchedPicture?, digest: UInt64) {
        (self.id, self.record, self.photo, self.digest) = (id, record, photo, digest)
    }
}
