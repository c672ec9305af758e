import Model
import SQLite

/// Which facts, oldest first, from where on.
package struct FactQuery: Hashable, Sendable {
    package var search: String?
    /// In characters.
    package var maximumLength: Int?
    /// Facts in a page; nil for as many as a page should have.
    package var limit: Int?
    package var cursor: String?

    package init(
        search: String? = nil, maximumLength: Int? = nil, limit: Int? = nil, cursor: String? = nil
    ) {
        self.search = search
        self.maximumLength = maximumLength
        self.limit = limit
        self.cursor = cursor
    }
}

extension FactQuery {
    /// The same query, going on at that cursor.
    package func from(_ cursor: String?) -> FactQuery {
        var query = self
        query.cursor = cursor
        return query
    }

    func page(_ connection: Connection) throws -> RecordsPage {
        var filter = Filter()
        filter.add(
            "number IN (SELECT rowid FROM fact_words WHERE fact_words MATCH ?)", try FullText.query(search))
        filter.add("length <= ?", maximumLength?.value)
        let size = try RecordsPage.size(limit)
        var page = RecordsPage(total: try filter.count(in: "facts", connection))
        if let cursor { filter.add("number > ?", try Cursor(decoding: cursor, of: fingerprint).key) }
        let sql = "SELECT record, number, id FROM facts \(filter.clause) ORDER BY number LIMIT ?"
        try connection.forEach(sql, filter.bindings + [(size + 1).value]) { row in
            guard page.hasRoom(for: size) else { return page.more() }
            try page.append(row)
            page.last = Cursor(lacking: false, key: try row.value(1), id: try row.text(2))
        }
        return page.finished(fingerprint)
    }

    private var fingerprint: String {
        Cursor.fingerprint("facts", search, maximumLength.map(String.init))
    }
}
