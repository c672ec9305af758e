import Model
import SQLite

/// Reads address books.
enum BookRows {
    /// Changes with each transition of a state, and with the cached pictures if cards have them. Rows of users change only
    /// in a transaction that records a transition.
    static func sign(_ query: BookQuery, _ connection: Connection) throws -> String {
        let (epoch, last) = try History.sequence(connection)
        guard query.hasPictures else { return "\(epoch):\(last)" }
        let pictures = try connection.firstInt("SELECT count(*) FROM pictures WHERE bytes IS NOT NULL") ?? 0
        return "\(epoch):\(last):\(pictures):\(try PictureRows.bytes(connection))"
    }

    static func index(_ query: BookQuery, _ connection: Connection) throws -> BookIndex {
        var filter = try UserQuery(department: query.department).filter(connection)
        if let search = try query.search.flatMap({ try UserSearch($0, connection) }) {
            filter = search.narrowing(filter)
        }
        var index = BookIndex(
            cards: [], hasSynced: try History.saved(connection)[.users]?.state.syncedAt != nil,
            isCutShort: false, digest: 0, sign: try sign(query, connection))
        var digest = FNV()
        try connection.scan(
            """
            SELECT id, record \(query.hasPictures ? ", (\(photo("content")))" : "")
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

    /// The cards of these users; those who are gone are left out.
    static func cards(of ids: [String], _ query: BookQuery, _ connection: Connection) throws -> [BookCard] {
        let picture = query.hasPictures ? ", (\(photo("content"))), (\(photo("content_type")))" : ""
        return try connection.rows(
            """
            SELECT users.id, record \(picture) FROM json_each(?) wanted CROSS JOIN users ON users.id = wanted.value
            JOIN user_records USING (number)
            """, [.text(try json(ids))]
        ) { row in
            let record = try row.bytes(1)
            let photo =
                query.hasPictures && !row.isNull(2)
                ? FetchedPicture(content: try row.bytes(2), contentType: try row.text(3)) : nil
            return BookCard(
                id: try row.text(0), record: record, photo: photo,
                digest: digest(of: record, photo?.content))
        }
    }

    /// Larger pictures are left out: clients keep all cards in memory.
    private static let largestPhoto = 128 << 10

    private static func photo(_ column: String) -> String {
        """
        SELECT \(column) FROM user_pictures JOIN pictures ON pictures.number = user_pictures.picture
        JOIN picture_contents ON picture_contents.picture = pictures.number
        WHERE user = users.number AND size = 'thumbnail' AND bytes <= \(largestPhoto)
        """
    }

    private static func digest(of record: [UInt8], _ photo: [UInt8]?) -> UInt64 {
        var digest = FNV()
        digest.add(record)
        if let photo { digest.add(photo) }
        return digest.value
    }
}
