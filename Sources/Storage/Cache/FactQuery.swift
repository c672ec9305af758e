import Model
import SQLite

/// A query for facts, oldest first.
package struct FactQuery: Hashable, Sendable {
    package var search: String?
    /// Maximum number of characters.
    package var maximumLength: Int?
    /// Facts per page; nil for the default.
    package var limit: Int?
    package var cursor: String?

    package init(
        search: String? = nil, maximumLength: Int? = nil, limit: Int? = nil, cursor: String? = nil
    ) {
        (self.search, self.maximumLength, self.limit, self.cursor) = (search, maximumLength, limit, cursor)
    }
}

extension FactQuery {
    /// The same query, continued at a cursor.
    package func from(_ cursor: String?) -> FactQuery {
        var query = self
        query.cursor = cursor
        return query
    }

    package func page(_ connection: Connection) throws -> StoredPage {
        var filter = Filter()
        filter.add(
            "number IN (SELECT rowid FROM fact_words WHERE fact_words MATCH ?)", try FullText.query(search))
        filter.add("length <= ?", maximumLength?.value)
        let size = try StoredPage.size(limit)
        let (epoch, last) = try History.sequence(connection)
        let fingerprint = Cursor.fingerprint("facts", epoch, search, maximumLength.map(String.init))
        let start = try cursor.map { try Cursor(decoding: $0, of: fingerprint) }
        let listing =
            try start?.listing
            ?? ListStart(
                transition: last, newest: FactRows.newest(connection),
                total: filter.count(in: "facts", connection))

        var page = StoredPage(listing)
        filter.add("number > ?", start?.number.value)
        filter.add("number <= ?", start?.listing.newest.value)
        let sql = "SELECT number, NULL, record FROM facts \(filter.clause) ORDER BY number LIMIT ?"
        try connection.scan(sql, filter.bindings + [(size + 1).value]) { row in
            try page.append(row, size: size) { try row.appendUTF8(2, to: &$0) }
        }
        return try page.finished(fingerprint)
    }
}
