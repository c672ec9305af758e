import Model
import SQLite

/// A page of a search, found in the way that reads least: the matches are sorted where they are few or lie together; otherwise
/// the order's index is read from the page's start on, and each user in it is looked for among the matches.
struct SearchedList {
    let query: UserQuery
    let search: UserSearch
    /// The conditions beside the search.
    let filter: Filter
    let start: Cursor?
    let size: Int
    let connection: Connection

    /// - Parameter new: if this is the first page; its total is not counted yet.
    func page(_ new: Listing) throws -> RecordsPage {
        let words = try search.words.map { ($0, expression: try IndexedWords.expression($0, connection)) }
        let all =
            words.map { ("SELECT rowid FROM user_words WHERE user_words MATCH ?", [$0.expression]) }
            ?? search.numbers
        return try connection.stepping(all.0, all.1) { next in
            var matches = Matches(upTo: new.newest, next: next)
            var listing = start?.listing ?? new
            try matches.read(SearchLimits.countedExactly + 1)
            if start == nil { listing.total = try total(matches) }
            // Who has moved since the first page is found by SQL.
            if let start, try Moves.exist(since: start.listing.transition, connection) {
                return try query.page(listing, start, searched, size, connection)
            }
            guard matches.isComplete else {
                if let words { matches.test = try userTest(words.0) }
                return try walked(listing) { try matches.contains($0) } ?? RecordsPage(listing)
            }
            let walk = try expectedWalk(matches.count)
            if matches.costToSort > walk {
                let most = max(walk * 3 / 2, matches.costToSort / 2)
                let page = try walked(listing, most: most) { try matches.contains($0) }
                if let page { return page }
            }
            return try sorted(listing, words?.expression)
        }
    }

    private func total(_ matches: Matches) throws -> Int {
        guard !filter.isEmpty else { return matches.count }
        return try searched.count(in: "users", upTo: SearchLimits.countedExactly + 1, connection)
    }

    private var searched: Filter {
        var filter = filter
        search.add(to: &filter)
        return filter
    }

    /// How many rows of the order's index have a page's matches among them, if these are anywhere.
    private func expectedWalk(_ matches: Int) throws -> Int {
        let users = try History.count(of: .users, connection) ?? 0
        return (size + 1) * users / max(1, matches)
    }

    /// A test of one user, by its words.
    private func userTest(_ words: [Substring]) throws -> (Int) throws -> Bool {
        var test = try WordTest(words, connection)
        return { number in
            try connection.first("SELECT words FROM users WHERE number = ?", [number.value]) { row in
                try row.withUTF8(0) { test.matches($0) }
            } ?? false
        }
    }

    /// - Parameter expression: what FTS5 looks for; nil if more than words is searched.
    private func sorted(_ listing: Listing, _ expression: Value?) throws -> RecordsPage {
        var page = RecordsPage(listing)
        var (users, filter) = ("users", searched)
        if let expression {
            (users, filter) = ("user_words CROSS JOIN users ON users.number = user_words.rowid", self.filter)
            filter.add("user_words MATCH ?", expression)
        }
        try forEachStretch(filter, of: users) { sql, bindings in
            try connection.scan("\(sql) LIMIT ?", bindings + [(size + 1 - page.count).value]) {
                try append($0, to: &page)
            }
            return !page.isCutShort
        }
        return page
    }

    /// Reads the order's index from the page's start on.
    /// - Parameter most: the number of rows to look at; nil is returned if they don't fill the page.
    private func walked(
        _ listing: Listing, most: Int = .max, where matches: (Int) throws -> Bool
    ) throws -> RecordsPage? {
        var page = RecordsPage(listing)
        var left = most
        try forEachStretch(filter, of: "users") { sql, bindings in
            try connection.scan(sql, bindings) { row in
                guard left > 0 else { return false }
                left -= 1
                return try matches(try row.int(0)) ? append(row, to: &page) : true
            }
            return left > 0 && !page.isCutShort
        }
        return left > 0 ? page : nil
    }

    /// Calls the body with a statement for the numbers and sort keys of each part of the list from the page's start on, in
    /// order, until it returns false.
    private func forEachStretch(
        _ filter: Filter, of users: String, _ body: (String, [Value]) throws -> Bool
    ) throws {
        for stretch in UserOrder.stretches(after: start, descending: query.descending) {
            var filter = filter
            filter.add(UserOrder.isInList, start?.listing.newest.value)
            filter.add(stretch.condition, stretch.values)
            let sql = """
                SELECT users.number AS place, \(query.order.column) AS sort_key FROM \(users) \(filter.clause) \
                \(query.inOrder)
                """
            guard try body(sql, filter.bindings) else { return }
        }
    }

    /// Few rows are in a page: their records are read one by one, not by the statement that sorts or walks.
    private func append(_ row: Row, to page: inout RecordsPage) throws -> Bool {
        try page.append(number: 0, key: 1, of: row, size: size) { records in
            try connection.forEach(
                "SELECT record FROM user_records WHERE number = ?", [row.int(0).value]
            ) { try $0.appendUTF8(0, to: &records) }
        }
    }
}
