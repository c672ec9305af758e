import Model
import Reads
import UserdAPI

/// The cards of a book and their versions, kept in memory until the cache changes.
actor AddressBook {
    struct Snapshot: Sendable {
        let cards: [BookIndex.Card]
        /// Changes whenever a card does.
        let ctag: String

        fileprivate init(_ index: BookIndex, _ query: BookQuery) {
            cards = index.cards
            ctag = "userd:\(version(of: index.digest, query))"
        }
    }

    /// Why a client must not take the cards that there are for all.
    enum Unusable: Error {
        case tooLarge(maximum: Int)
        case neverSynced
    }

    nonisolated let query: BookQuery
    private nonisolated let reads: ReadMethods
    private var known: (changeToken: String, Result<Snapshot, Unusable>)?
    private var reading: Task<Snapshot, any Error>?

    init(_ query: BookQuery, _ reads: ReadMethods) { (self.query, self.reads) = (query, reads) }

    /// Throws `Unusable` and `VarlinkError`.
    func snapshot() async throws -> Snapshot {
        // Requests that come together share one read.
        if let reading { return try await reading.value }
        let reading = Task { try await read() }
        self.reading = reading
        defer { self.reading = nil }
        return try await reading.value
    }

    private func read() async throws -> Snapshot {
        if let known, try await reads.bookChangeToken() == known.changeToken { return try known.1.get() }
        let index = try await reads.book(query)
        // A first sync may find nobody, which changes no row.
        guard index.hasSynced else { throw Unusable.neverSynced }
        let result: Result<Snapshot, Unusable> =
            index.isCutShort
            ? .failure(.tooLarge(maximum: query.maximum)) : .success(Snapshot(index, query))
        known = (index.changeToken, result)
        return try result.get()
    }

    nonisolated func requireSynced() async throws {
        guard try await reads.hasSyncedUsers() else { throw Unusable.neverSynced }
    }

    /// The card of each of these users; nil for those who are not in the book.
    nonisolated func cards(of ids: [String]) async throws -> [BookCard?] {
        var rest = try await reads.cards(of: ids, query)[...]
        return ids.map { id in
            // Ids that differ only in their bytes, such as in the form of an accent, are two people's.
            rest.first?.id.hasSameBytes(as: id) == true ? rest.popFirst() : nil
        }
    }

    /// Users per read: a slow client holds no connection of the cache.
    nonisolated var run: Int { query.hasPictures ? 50 : 500 }

    /// The entity tag of a card.
    nonisolated func etag(_ digest: UInt64) -> String { "\"\(version(of: digest, query))\"" }

    nonisolated func text(
        of card: BookCard, wantsVersion4: Bool, hasPhoto: Bool = true
    ) throws -> [UInt8] {
        let user =
            try StoredUserReader.standard.user(stored: card.record) ?? decoded(User.self, from: card.record)
        return VCard.text(user, version: wantsVersion4 ? .v4 : .v3, photo: hasPhoto ? card.photo : nil)
    }
}

/// A change in how cards are written changes their versions, too.
private func version(of digest: UInt64, _ query: BookQuery) -> String {
    "\(digest.hexadecimal)-\(VCard.formatRevision)\(query.hasPictures ? "p" : "")"
}
