import Model
import SQLite

/// A page of a search, found in the way that reads the fewest rows: few matches are sorted. Otherwise the order's index is
/// read from the page's start on, and each user in it tested: by its words where very many match, because the page is then
/// full after a few; else by the numbers of all that match.
struct SearchedList {
    let query: UserQuery
    let search: UserSearch
    /// The conditions beside the search.
    let filter: Filter
    let start: Cursor?
    let size: Int
    let connection: Connection

    /// Sorting this many takes two milliseconds.
    private static let few = 2000

    /// - Parameter new: if this is the first page; its total is not counted yet.
    func page(_ new: Listing) throws -> RecordsPage {
        var listing = start?.listing ?? new
        if start == nil { listing.total = try total() }
        // Who has moved since the first page is found by SQL.
        let hasMoves = try start != nil && Moves.exist(since: listing.transition, connection)
        if hasMoves || listing.total <= Self.few { return try sorted(listing) }
        if let page = try tested(listing) { return page }
        var matches = NumberSet()
        let all = search.numbers
        try connection.forEach(all.sql, all.bindings) { row in
            let number = try row.int(0)
            // No others are users, even if the index is damaged.
            if number > 0, number <= new.newest { matches.insert(number) }
        }
        return try walked(listing, "NULL") { matches.contains(try $0.int(1)) } ?? RecordsPage(listing)
    }

    private func total() throws -> Int {
        let most = SearchLimits.countedExactly + 1
        if filter.isEmpty, search.words != nil {
            // The index alone: looking for each user takes twenty times as long.
            let all = search.numbers
            return try connection.firstInt(
                "SELECT count(*) FROM (\(all.sql) LIMIT ?)", all.bindings + [most.value]) ?? 0
        }
        var filter = filter
        search.add(to: &filter)
        return try filter.count(in: "users", upTo: most, connection)
    }

    private func sorted(_ listing: Listing) throws -> RecordsPage {
        var filter = filter
        search.add(to: &filter)
        return try query.page(listing, start, filter, size, connection)
    }

    /// Nil if a page takes more rows than are worth it: those that match may all be at the order's end.
    private func tested(_ listing: Listing) throws -> RecordsPage? {
        guard let words = search.words else { return nil }
        let most = 200 + 20 * size
        if listing.total <= SearchLimits.countedExactly {
            let users = try History.count(of: .users, connection) ?? 0
            guard (size + 1) * users / listing.total <= most / 2 else { return nil }
        }
        var test = try WordTest(words, connection)
        return try walked(listing, "words", most: most) { row in
            try row.withUTF8(3) { test.matches($0) }
        }
    }

    /// Reads the order's index from the page's start on.
    /// - Parameters:
    ///   - column: what the test needs besides the number; without a column, the index alone is read.
    ///   - most: the number of rows to test; nil is returned if they don't fill the page.
    private func walked(
        _ listing: Listing, _ column: String, most: Int = .max, where matches: (Row) throws -> Bool
    ) throws -> RecordsPage? {
        var page = RecordsPage(listing)
        var left = most
        for stretch in UserOrder.stretches(after: start, descending: query.descending) {
            var filter = filter
            filter.add(UserOrder.isInList, start?.listing.newest.value)
            filter.add(stretch.condition, stretch.values)
            let sql = """
                SELECT NULL, number AS place, \(query.order.column) AS sort_key, \(column) FROM users \(filter.clause) \
                \(query.inOrder)
                """
            try connection.scan(sql, filter.bindings) { row in
                guard left > 0 else { return false }
                left -= 1
                guard try matches(row) else { return true }
                return try page.append(row, size: size) { try record(try row.int(1), to: &$0) }
            }
            if left == 0 { return nil }
            if page.isCutShort { break }
        }
        return page
    }

    private func record(_ number: Int, to bytes: inout [UInt8]) throws {
        try connection.forEach("SELECT record FROM user_records WHERE number = ?", [number.value]) {
            try $0.appendUTF8(0, to: &bytes)
        }
    }
}
