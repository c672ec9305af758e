import Model
import SQLite

/// One page of stored records, as the content of a JSON array.
package struct StoredPage: Hashable, Sendable {
    /// JSON objects, separated by commas.
    package private(set) var records: [UInt8] = []
    package private(set) var count = 0
    /// Number of matching rows when the first page was read.
    package var total: Int { listing.total }
    package private(set) var next: String?
    package var freshness: Freshness?
    /// The nearest values, if they were asked for.
    package var near: [Near]?

    /// Rank of the rows that are added, in the order of matches.
    var rank = 0
    let listing: ListStart
    private let fingerprint: String
    private var last: Cursor?
    private(set) var isCutShort = false

    /// A page ends once its records reach this size, so that a reply stays far below the 16 MiB that clients
    /// accept.
    package static let maximumBytes = 512 * 1024
    static let defaultSize = 1000

    init(_ listing: ListStart, _ fingerprint: String) {
        (self.listing, self.fingerprint) = (listing, fingerprint)
    }

    /// A limit above the maximum is allowed: the page ends earlier, with a `next`.
    static func size(_ limit: Int?) throws -> Int {
        guard let limit else { return defaultSize }
        guard limit > 0 else { throw CacheError.invalidParameter("limit") }
        return min(limit, 10_000)
    }

    /// - Parameter row: has the number and the sort key.
    /// - Returns: false if the page is full.
    mutating func append(
        _ row: Row, size: Int, record: (inout [UInt8]) throws -> Void
    ) throws -> Bool {
        isCutShort = isFull(size)
        guard !isCutShort else { return false }
        if count > 0 { records.append(UInt8(ascii: ",")) }
        try record(&records)
        count += 1
        // Most records are about as long as the first. Without this, each growth would copy the array.
        if count == 1 {
            records.reserveCapacity(min(size * (records.count + 64), Self.maximumBytes) + 8192)
        }
        if isFull(size) {
            last = Cursor(
                query: fingerprint, listing: listing, row: try row.int(0), text: try? row.text(1),
                integer: try? row.int64(1), rank: rank == 0 ? nil : rank)
        }
        return true
    }

    /// Returns the records and removes them from the page.
    package mutating func takeRecords() -> [UInt8] {
        let taken = records
        records = []
        return taken
    }

    private func isFull(_ size: Int) -> Bool { count == size || records.count >= Self.maximumBytes }

    func finished() throws -> StoredPage {
        var page = self
        page.next = isCutShort ? try last?.encoded() : nil
        return page
    }
}

/// The conditions of a query, with their bindings.
struct Filter {
    private var conditions: [String] = []
    private(set) var bindings: [Value] = []

    mutating func add(_ condition: String, _ value: Value?) {
        if let value { add(condition, [value]) }
    }

    mutating func add(_ condition: String, _ values: [Value]) {
        conditions.append(condition)
        bindings += values
    }

    var isEmpty: Bool { conditions.isEmpty }

    var clause: String { conditions.isEmpty ? "" : "WHERE " + conditions.joined(separator: " AND ") }

    func count(in table: String, _ connection: Connection) throws -> Int {
        try connection.firstInt("SELECT count(*) FROM \(table) \(clause)", bindings) ?? 0
    }

    func count(in table: String, upTo limit: Int, _ connection: Connection) throws -> Int {
        try connection.firstInt(
            "SELECT count(*) FROM (SELECT 1 FROM \(table) \(clause) LIMIT ?)", bindings + [limit.value]) ?? 0
    }
}

/// Turns a user's search text into an FTS5 query: every word matches as a prefix.
/// https://www.sqlite.org/fts5.html#full_text_query_syntax
package enum FullText {
    package static let maximumBytes = 1000

    static func query(_ search: String?) throws -> Value? {
        guard let search else { return nil }
        let words = try words(of: search)
        return words.isEmpty ? nil : prefixes(words)
    }

    static func words(of search: String) throws -> [Substring] {
        guard search.utf8.count <= maximumBytes else { throw CacheError.invalidParameter("search") }
        // Splits scalars, because a quotation mark with a combining character is a Character of its own.
        let words = search.unicodeScalars
            .split { $0.properties.isWhitespace || $0 == "\0" || $0 == "\"" }.map(Substring.init)
            .filter { $0.contains { $0.isLetter || $0.isNumber } }
        guard words.count <= SearchLimits.words else { throw CacheError.invalidParameter("search") }
        // SQLite can't stop while it prepares a query, whose time grows with its runs.
        var runs = 0
        return words.compactMap { word in
            var isWithin = false
            let end = word.unicodeScalars.firstIndex { scalar in
                if scalar.isPartOfWord, !isWithin { runs += 1 }
                isWithin = scalar.isPartOfWord
                return runs > SearchLimits.words
            }
            let kept = word[..<(end ?? word.endIndex)]
            return kept.contains { $0.isLetter || $0.isNumber } ? kept : nil
        }
    }

    /// Leaves out words that begin others: they add nothing, and would match the most rows.
    package static func prefixes(_ words: [Substring]) -> Value {
        .text(distinct(words).map { "\"\($0)\"*" }.joined(separator: " "))
    }

    /// The words without those that begin others.
    static func distinct(_ words: [Substring]) -> [Substring] {
        var kept: [Substring] = []
        for word in words.sorted(by: { $0.count > $1.count })
        where !kept.contains(where: { $0.lowercased().hasPrefix(word.lowercased()) }) {
            kept.append(word)
        }
        return kept
    }
}
