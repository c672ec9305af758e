import FoundationEssentials
import SQLite

/// The state of a list when its first page was read. Later pages use it, so that each row occurs once.
struct ListStart: Hashable, Codable, Sendable {
    var transition: Int
    /// The highest row number at that time; newer rows are not part of the list.
    var newest: Int
    /// Number of matching rows at that time.
    var total: Int
}

/// A position after a row. Clients get its JSON in Base64.
struct Cursor: Hashable, Codable, Sendable {
    /// The query's fingerprint.
    var query: String
    var listing: ListStart
    /// The row's number.
    var row: Int
    /// The row's sort key when the list began, of one of two types; both are nil if it has no value in the sort column.
    var text: String?
    var integer: Int64?
    /// The number of the search's `byMatch`, in the order of matches; nil for 0.
    var rank: Int?

    var key: Value { text.map(Value.text) ?? integer.map(Value.integer) ?? .null }

    func encoded() throws -> String { try Data(json(self).utf8).base64EncodedString() }

    /// Detects another query.
    static func fingerprint(_ parts: String?...) -> String {
        var hash = FNV()
        for part in parts { hash.add(part: part) }
        return String(hash.value, radix: 36)
    }
}

extension Cursor {
    init(decoding cursor: String, of fingerprint: String) throws {
        guard let data = Data(base64Encoded: cursor),
            let found = try? decoded(Cursor.self, from: String(decoding: data, as: UTF8.self)),
            found.query == fingerprint
        else { throw CacheError.invalidCursor(cursor) }
        self = found
    }
}
