import Model
import SQLite

extension FactQuery {
    package func from(_ cursor: String?) -> FactQuery {
        var query = self
        query.cursor = cursor
        return query
    }

    package func page(_ connection: Connection) throws -> StoredPage {
        var filter = Filter()
        filter.add(
            "number IN (SELECT rowid FROM fact_words WHERE fact_words MATCH ?)", try FullText.query(search))
        filter.add("length <= ?", maxLength?.value)
        let size = try StoredPage.size(limit)
        let (epoch, last) = try History.sequence(connection)
        let fingerprint = Cursor.fingerprint("facts", epoch, search, maxLength.map(String.init))
        let start = try cursor.map { try Cursor(decoding: $0, of: fingerprint) }
        let listing =
            try start?.listing
            ?? ListStart(
                transition: last, newest: FactRows.newest(connection),
                total: filter.count(in: "facts", connection))

        var page = StoredPage(listing, fingerprint)
        filter.add("number > ?", start?.row.value)
        filter.add("number <= ?", start?.listing.newest.value)
        let sql = "SELECT number, NULL, record FROM facts \(filter.clause) ORDER BY number LIMIT ?"
        try connection.scan(sql, filter.bindings + [(size + 1).value]) { row in
            try page.append(row, size: size) { try row.appendUTF8(2, to: &$0) }
        }
        return try page.finished()
    }
}
