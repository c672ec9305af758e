import Model
import SQLite

extension UserQuery {
    /// The same query, continued at a cursor.
    package func from(_ cursor: String?) -> UserQuery {
        var query = self
        query.cursor = cursor
        return query
    }

    private var sortOrder: UserOrder { order ?? .name }
    private var isDescending: Bool { descending == true }
    private var askedKinds: Set<UserKind> { Kinds.asked(kinds) }

    package func page(_ connection: Connection) throws -> StoredPage {
        let conditions = try conditions(connection)
        var filter = conditions
        try filter.add(askedKinds, connection)
        if near == true { return try nearest(filter, connection) }
        let search = try search.flatMap { try UserSearch($0, connection) }
        let size = try StoredPage.size(limit)
        let (epoch, last) = try History.sequence(connection)
        // Whom a search finds by their names is not known as it was before users changed.
        let version =
            try sortOrder == .match && search != nil
            ? connection.firstInt("SELECT users_version FROM cache") : nil
        // Leaves out the limit, because the next page may have another size.
        let fingerprint = Cursor.fingerprint(
            "users", epoch, self.search, nationality, gender, department, city, company, title, manager,
            country, beginnings.map(String.init), sortOrder.rawValue,
            isDescending ? "descending" : nil, version?.description,
            askedKinds == [.person] ? nil : askedKinds.map(\.rawValue).sorted().joined(separator: " "))
        let start = try cursor.map { cursor in
            let start = try Cursor(decoding: cursor, of: fingerprint)
            guard try Moves.areKnown(since: start.listing.transition, connection) else {
                throw CacheError.invalidCursor(cursor)
            }
            return start
        }
        let newest = try UserRows.newest(connection)
        if !askedKinds.contains(.person), try !Kinds.haveOthers(connection) {
            return StoredPage(ListStart(transition: last, newest: newest, total: 0), fingerprint)
        }
        func total() throws -> Int {
            guard let search else {
                return try conditions.isEmpty
                    ? countAll(connection) : filter.count(in: "users", connection)
            }
            let most = SearchLimits.countedExactly + 1
            guard filter.isEmpty else {
                return try search.narrowing(filter).count(in: "users", upTo: most, connection)
            }
            return try search.reading(most, upTo: newest, connection) { $0.count }
        }
        var page = try StoredPage(
            start?.listing ?? ListStart(transition: last, newest: newest, total: total()), fingerprint)
        guard let search else {
            try add(to: &page, start, filter, size, connection)
            return try page.finished()
        }
        let searches = sortOrder == .match ? search.byMatch : [search]
        let ranks = isDescending ? searches.indices.reversed() : Array(searches.indices)
        let first = start.map { $0.rank ?? 0 }
        for rank in ranks.drop(while: { first != nil && $0 != first }) where !page.isCutShort {
            page.rank = rank
            let start = rank == first ? start : nil
            // A few matches are sorted. If there are many, the order's index is read, and each user in it is looked up among the
            // matches.
            try searches[rank].reading(SearchLimits.countedExactly + 1, upTo: newest, connection) { found in
                var matches = found
                if matches.isComplete {
                    return try add(to: &page, start, searches[rank].narrowing(filter), size, connection)
                }
                try add(to: &page, start, filter, size, connection) { try matches.contains($0) }
            }
        }
        return try page.finished()
    }

    /// All users of the kinds. Persons are those that the state counts.
    private func countAll(_ connection: Connection) throws -> Int {
        let persons =
            try askedKinds.contains(.person) ? History.saved(connection)[.users]?.state.count ?? 0 : 0
        let others = askedKinds.subtracting([.person])
        if others.isEmpty { return persons }
        var filter = Filter()
        try filter.add(others, connection)
        return try persons + filter.count(in: "users", connection)
    }

    /// A page of the users nearest to the search. It has no next one.
    private func nearest(_ filter: Filter, _ connection: Connection) throws -> StoredPage {
        let size = try StoredPage.size(limit)
        var near = try FilterValue.allCases.compactMap { try $0.near(self, connection) }
        var numbers: [Int] = []
        if near.isEmpty, let names = try search.flatMap({ try NearUsers(to: $0, connection) }) {
            let found = try names.found(filter, connection)
            near = [Near(field: "search", values: found.names)]
            numbers = Array(found.users.prefix(min(size, NearUsers.maximum)))
        }
        let last = try History.sequence(connection).last
        var page = StoredPage(
            ListStart(transition: last, newest: try UserRows.newest(connection), total: numbers.count), "")
        for number in numbers {
            try connection.forEach(
                "SELECT number, NULL, record FROM user_records WHERE number = ?", [number.value]
            ) { row in
                _ = try page.append(row, size: size) { try row.appendUTF8(2, to: &$0) }
            }
        }
        page.near = near
        return try page.finished()
    }

    /// The conditions apart from the search.
    func filter(_ connection: Connection) throws -> Filter {
        var filter = try conditions(connection)
        try filter.add(askedKinds, byIndex: search == nil && filter.isEmpty, connection)
        return filter
    }

    /// The conditions apart from the search and the kinds.
    private func conditions(_ connection: Connection) throws -> Filter {
        var filter = Filter()
        filter.add("users.nationality = ?", nationality?.uppercased().value)
        // The plus keeps SQLite from sorting all users of a gender: the index on it is for the total.
        filter.add("+users.gender = ? COLLATE NOCASE", gender?.lowercased().value)
        for (column, text) in [("users.department_key", department), ("users.city_key", city)] {
            guard let key = text.map(UserRow.key) else { continue }
            var whole = Filter()
            whole.add("\(column) = ?", key.value)
            try whole.add(askedKinds, connection)
            if try beginnings == true && whole.count(in: "users", upTo: 1, connection) == 0 {
                filter.add("\(column) >= ? AND \(column) < ?", [key.value, (key + "\u{10FFFF}").value])
            } else {
                filter.add("\(column) = ?", key.value)
            }
        }
        filter.add("users.country_key = ?", country.map(UserRow.key)?.value)
        filter.add("users.company_key = ?", company.map(UserRow.key)?.value)
        filter.add("instr(users.title_key, ?)", title.map(UserRow.key)?.value)
        if let manager {
            let keys = Array(try ManagerKey.all(named: manager, connection))
            let places = Array(repeating: "?", count: keys.count).joined(separator: ", ")
            filter.add("users.manager_key IN (\(places))", keys.map(\.value))
        }
        return filter
    }

    /// Reads the order's index, or sorts the filtered users, as SQLite decides.
    /// - Parameter isMatch: takes a user's number; nil if all match.
    private func add(
        to page: inout StoredPage, _ start: Cursor?, _ filter: Filter, _ size: Int, _ connection: Connection,
        where isMatch: ((Int) throws -> Bool)? = nil
    ) throws {
        let listing = page.listing
        var filter = filter
        filter.add(UserOrder.isInList, cursor.map { _ in listing.newest.value })
        let hasMoves = try start != nil && Moves.exist(since: listing.transition, connection)
        let direction = isDescending ? "DESC" : "ASC"
        for stretch in UserOrder.stretches(after: start, descending: isDescending) {
            var filter = filter
            filter.add(stretch.condition, stretch.values)
            let rows = hasMoves ? placed(at: listing.transition, filter) : placed(filter)
            let sql = "\(rows.sql) ORDER BY sort_key \(direction), row \(direction) LIMIT ?"
            // A negative limit means no limit.
            let limit = isMatch == nil ? size + 1 - page.count : -1
            try connection.scan(sql, rows.bindings + [limit.value]) { row in
                let number = try row.int(0)
                guard try isMatch?(number) ?? true else { return true }
                // Reads each record on its own, so that the statement does not sort records.
                return try page.append(row, size: size) { records in
                    try connection.forEach(
                        "SELECT record FROM user_records WHERE number = ?", [number.value]
                    ) { try $0.appendUTF8(0, to: &records) }
                }
            }
            if page.isCutShort { break }
        }
    }

    /// Users at their current positions.
    private func placed(_ filter: Filter) -> (sql: String, bindings: [Value]) {
        let sql = "SELECT users.number AS row, \(sortOrder.column) AS sort_key FROM users \(filter.clause)"
        return (sql, filter.bindings)
    }

    /// Users at their positions at this transition. The plus keeps SQLite from scanning all moves by number.
    private func placed(at transition: Int, _ filter: Filter) -> (sql: String, bindings: [Value]) {
        var (stayed, moved) = (filter, filter)
        stayed.add(Moves.hasStayed, [transition.value])
        moved.add(Moves.isFirst, [transition.value, transition.value])
        let here = placed(stayed)
        let sql = """
            \(here.sql) UNION ALL
            SELECT +moves.number AS row, moves.\(sortOrder.column) AS sort_key
            FROM moves CROSS JOIN users ON users.number = moves.number \(moved.clause)
            """
        return (sql, here.bindings + moved.bindings)
    }
}

extension UserSearch {
    /// Calls the body with the matches, of which the first have been read.
    fileprivate func reading<T>(
        _ first: Int, upTo newest: Int, _ connection: Connection, _ body: (Matches) throws -> T
    ) throws -> T {
        try connection.stepping(numbers.sql, numbers.bindings) { next in
            var matches = Matches(upTo: newest, next: next)
            try matches.read(first)
            return try body(matches)
        }
    }
}

extension UserOrder {
    var column: String {
        switch self {
        case .name, .match: "name_key"
        case .age: "age_key"
        case .registered: "registered_at"
        case .nationality: "nationality"
        case .email: "email"
        case .department: "department_key"
        case .title: "title_key"
        case .city: "city_key"
        }
    }

    /// Binds the listing's highest number. The plus keeps SQLite from using this condition as an index range.
    static let isInList = "+users.number <= ?"

    /// The rest of a list as index ranges, each read from its first row. Users without the sort key come last in both
    /// directions.
    static func stretches(
        after start: Cursor?, descending: Bool
    ) -> [(condition: String, values: [Value])] {
        let comparison = descending ? "<" : ">"
        let lacking = "sort_key IS NULL"
        guard let start else { return [("sort_key IS NOT NULL", []), (lacking, [])] }
        if start.key == .null {
            return [("\(lacking) AND row \(comparison) ?", [start.row.value])]
        }
        return [
            ("sort_key = ? AND row \(comparison) ?", [start.key, start.row.value]),
            ("sort_key \(comparison) ?", [start.key]), (lacking, []),
        ]
    }
}
