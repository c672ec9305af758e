import Model
import SQLite

extension BookQuery {
    /// Why nobody can be searched for with these words; nil if that is possible.
    package var mistake: String? {
        guard let search else { return nil }
        let words = try? FullText.words(of: search)
        return words == nil
            ? "has more than \(SearchLimits.words) words" : words == [] ? "has no letter and no digit" : nil
    }
}

/// Reads address books.
enum BookRows {
    /// Changes with each commit that may change a card.
    static func changeToken(_ connection: Connection) throws -> String {
        try connection.first("SELECT epoch || ':' || book_version FROM cache") { try $0.text(0) } ?? ""
    }

    /// Call in each commit that may change a card.
    static func renewChangeToken(_ connection: Connection) throws {
        try connection.run("UPDATE cache SET book_version = book_version + 1")
    }

    private static func filter(_ query: BookQuery, _ connection: Connection) throws -> Filter {
        let filter = try UserQuery(department: query.department) { $0.kinds = query.kinds }.filter(connection)
        guard let words = query.search else { return filter }
        // Without a word, it would be everybody.
        guard let search = try UserSearch(words, connection) else {
            throw CacheError.invalidParameter("search")
        }
        return search.narrowing(filter)
    }

    static func index(_ query: BookQuery, _ connection: Connection) throws -> BookIndex {
        let filter = try filter(query, connection)
        var index = BookIndex(
            cards: [], hasSynced: try History.saved(connection)[.users]?.state.syncedAt != nil,
            isCutShort: false, digest: 0, changeToken: try changeToken(connection))
        var digest = FNV()
        try connection.scan(
            """
            SELECT id, record \(query.hasPictures ? ", (\(photo("digest")))" : "")
            FROM users JOIN user_records USING (number) \(filter.clause) ORDER BY users.number
            """, filter.bindings
        ) { row in
            guard index.cards.count < query.maximum else {
                index.isCutShort = true
                return false
            }
            let card = BookIndex.Card(
                id: try row.text(0),
                digest: Self.digest(
                    of: try row.bytes(1),
                    query.hasPictures && !row.isNull(2) ? try row.bytes(2) : nil))
            index.cards.append(card)
            digest.add(part: card.id)
            withUnsafeBytes(of: card.digest) { digest.add($0) }
            return true
        }
        index.digest = digest.value
        return index
    }

    /// The cards of these users, in the order of their ids; those who are not in the book are left out.
    static func cards(of ids: [String], _ query: BookQuery, _ connection: Connection) throws -> [BookCard] {
        let filter = try filter(query, connection)
        let picture = ["digest", "content", "content_type"].map { ", (\(photo($0)))" }.joined()
        return try connection.rows(
            """
            SELECT users.id, record \(query.hasPictures ? picture : "")
            FROM json_each(?) wanted CROSS JOIN users ON users.id = wanted.value JOIN user_records USING (number)
            \(filter.clause) ORDER BY wanted.key
            """, [.text(try json(ids))] + filter.bindings
        ) { row in
            let record = try row.bytes(1)
            let photo =
                query.hasPictures && !row.isNull(2)
                ? FetchedPicture(content: try row.bytes(3), contentType: try row.text(4)) : nil
            return BookCard(
                id: try row.text(0), record: record, photo: photo,
                digest: digest(of: record, photo == nil ? nil : try row.bytes(2)))
        }
    }

    /// Larger pictures are left out: clients keep all cards in memory. So are those without a digest: an index that reads
    /// all pictures would take too long.
    private static let largestPhoto = 128 << 10

    private static func photo(_ column: String) -> String {
        """
        SELECT \(column) FROM user_pictures JOIN pictures ON pictures.number = user_pictures.picture
        \(column == "content" ? "JOIN picture_contents ON picture_contents.picture = pictures.number" : "")
        WHERE user = users.number AND size = 'thumbnail' AND bytes <= \(largestPhoto) AND digest IS NOT NULL
        """
    }

    private static func digest(of record: [UInt8], _ photo: [UInt8]?) -> UInt64 {
        var digest = FNV()
        digest.add(record)
        if let photo { digest.add(photo) }
        return digest.value
    }
}
