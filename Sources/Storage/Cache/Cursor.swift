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

/// A position after a row: the row's sort key when the list began, and its number.
struct Cursor: Hashable, Sendable {
    /// NULL if the row has no value in the sort column.
    var key: Value
    var number: Int
    var listing: ListStart
    /// The number of the search's `byMatch`, in the order of matches.
    var rank = 0
}

extension Cursor {
    private struct Wire: Codable {
        var query: String
        var listing: ListStart
        var row: Int
        var text: String?
        var integer: Int64?
        var rank: Int?
    }

    func encoded(for fingerprint: String) throws -> String {
        var wire = Wire(query: fingerprint, listing: listing, row: number, rank: rank == 0 ? nil : rank)
        switch key {
        case .text(let text): wire.text = text
        case .integer(let integer): wire.integer = integer
        default: break
        }
        return try Data(json(wire).utf8).base64EncodedString()
    }

    init(decoding cursor: String, of fingerprint: String) throws {
        guard let data = Data(base64Encoded: cursor),
            let wire = try? decoded(Wire.self, from: String(decoding: data, as: UTF8.self)),
            wire.query == fingerprint
        else { throw CacheError.invalidCursor(cursor) }
        key = wire.text.map(Value.text) ?? wire.integer.map(Value.integer) ?? .null
        number = wire.row
        listing = wire.listing
        rank = wire.rank ?? 0
    }

    /// Detects another query.
    static func fingerprint(_ parts: String?...) -> String {
        var hash = FNV()
        for part in parts { hash.add(part: part) }
        return String(hash.value, radix: 36)
    }
}
