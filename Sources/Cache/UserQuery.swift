import Model
import SQLite

/// Which users, in which order, from where on.
package struct UserQuery: Hashable, Sendable {
    package var search: String?
    package var nationality: String?
    package var gender: String?
    package var order: UserOrder
    package var descending: Bool
    /// Users in a page; nil for as many as a page should have.
    package var limit: Int?
    package var cursor: String?

    package init(
        search: String? = nil, nationality: String? = nil, gender: String? = nil, order: UserOrder = .name,
        descending: Bool = false, limit: Int? = nil, cursor: String? = nil
    ) {
        self.search = search
        self.nationality = nationality
        self.gender = gender
        self.order = order
        self.descending = descending
        self.limit = limit
        self.cursor = cursor
    }
}

extension UserQuery {
    /// The same query, going on at that cursor.
    package func from(_ cursor: String?) -> UserQuery {
        var query = self
        query.cursor = cursor
        return query
    }

    package func page(_ connection: Connection) throws -> RecordsPage {
        var filter = Filter()
        filter.add(
            "number IN (SELECT rowid FROM user_words WHERE user_words MATCH ?)", try FullText.query(search))
        filter.add("nationality = ?", nationality?.uppercased().value)
        filter.add("gender = ?", gender?.lowercased().value)
        let size = try RecordsPage.size(limit)
        let start = try cursor.map { try Cursor(decoding: $0, of: fingerprint) }

        var page = RecordsPage(total: try start?.total ?? filter.count(in: "users", connection))
        let direction = descending ? "DESC" : "ASC"
        for stretch in order.stretches(after: start, descending: descending) {
            var filter = filter
            filter.add(stretch.condition, stretch.values)
            let sql = """
                SELECT record, number, \(order.column) FROM users \(filter.clause)
                ORDER BY \(order.column) \(direction), number \(direction) LIMIT ?
                """
            try connection.scan(sql, filter.bindings + [(size + 1 - page.count).value]) {
                try page.append($0, size: size)
            }
            if page.isCutShort { break }
        }
        return page.finished(fingerprint)
    }

    /// What a cursor must agree with: all but the limit.
    private var fingerprint: String {
        Cursor.fingerprint(
            "users", search, nationality, gender, order.rawValue, descending ? "descending" : nil)
    }
}

extension UserOrder {
    fileprivate var column: String {
        switch self {
        case .name: "name_key"
        case .age: "age"
        case .registered: "registered_at"
        case .nationality: "nationality"
        case .email: "email"
        }
    }

    /// The rest of the list in stretches, each of which is read off the column's index from its first row on.
    /// Those that lack the key come last, either way.
    fileprivate func stretches(
        after start: Cursor?, descending: Bool
    ) -> [(condition: String, values: [Value])] {
        let comparison = descending ? "<" : ">"
        let lacking = "\(column) IS NULL"
        guard let start else { return [("\(column) IS NOT NULL", []), (lacking, [])] }
        if start.key == .null {
            return [("\(lacking) AND number \(comparison) ?", [start.number.value])]
        }
        return [
            ("\(column) = ? AND number \(comparison) ?", [start.key, start.number.value]),
            ("\(column) \(comparison) ?", [start.key]), (lacking, []),
        ]
    }
}
