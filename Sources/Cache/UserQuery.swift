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

    func page(_ connection: Connection) throws -> RecordsPage {
        var filter = Filter()
        filter.add(
            "number IN (SELECT rowid FROM user_words WHERE user_words MATCH ?)", try FullText.query(search))
        filter.add("nationality = ?", nationality?.uppercased().value)
        filter.add("gender = ?", gender?.lowercased().value)
        let size = try RecordsPage.size(limit)
        let start = try cursor.map { try Cursor(decoding: $0, of: fingerprint) }

        var page = RecordsPage(total: try filter.count(in: "users", connection))
        let direction = descending ? "DESC" : "ASC"
        let comparison = descending ? "<" : ">"
        // Those that lack the key are a stretch of their own at the end, so that each stretch is read off its index.
        for lacking in order.column.isOptional ? [false, true] : [false] {
            if let start, start.lacking, !lacking { continue }
            var filter = filter
            if order.column.isOptional { filter.add("(\(order.column.name) IS NULL) = ?", lacking.value) }
            if let start, start.lacking == lacking {
                filter.add("(\(order.column.key), id) \(comparison) (?, ?)", [start.key, start.id.value])
            }
            let sql = """
                SELECT record, \(order.column.key), id FROM users \(filter.clause)
                ORDER BY \(order.column.key) \(direction), id \(direction) LIMIT ?
                """
            try connection.forEach(sql, filter.bindings + [(size + 1 - page.count).value]) { row in
                guard page.hasRoom(for: size) else { return page.more() }
                try page.append(row)
                page.last = Cursor(lacking: lacking, key: try row.value(1), id: try row.text(2))
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
    /// The column, and what it is sorted by: expressions that the indexes of the schema repeat word for word.
    fileprivate var column: (name: String, key: String, isOptional: Bool) {
        switch self {
        case .name: ("name_key", "name_key", false)
        case .age: ("age", "ifnull(age, 0)", true)
        case .registered: ("registered_at", "ifnull(registered_at, '')", true)
        case .nationality: ("nationality", "ifnull(nationality, '')", true)
        case .email: ("email", "ifnull(email, '')", true)
        }
    }
}
