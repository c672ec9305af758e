import FoundationEssentials
import SQLite

/// What a list was when its first page was read: the later pages go by that, and so have each row once.
struct Listing: Hashable, Codable, Sendable {
    /// The last transition then.
    var transition: Int
    /// The highest number of a row then: rows that have come since are not of this list.
    var newest: Int
    /// Rows that the query had in all.
    var total: Int
}

/// The place after a row, told by what the row was sorted by when the list began, and the row's number.
struct Cursor: Hashable, Sendable {
    /// NULL for a row that lacked what is sorted by.
    var key: Value
    var number: Int
    var listing: Listing
}

extension Cursor {
    private struct Wire: Codable {
        var query: String
        var listing: Listing
        var row: Int
        var text: String?
        var integer: Int64?
    }

    func encoded(for fingerprint: String) -> String? {
        var wire = Wire(query: fingerprint, listing: listing, row: number)
        switch key {
        case .text(let text): wire.text = text
        case .integer(let integer): wire.integer = integer
        default: break
        }
        return (try? json(wire)).map { Data($0.utf8).base64EncodedString() }
    }

    init(decoding cursor: String, of fingerprint: String) throws {
        guard let data = Data(base64Encoded: cursor),
            let wire = try? JSONDecoder().decode(Wire.self, from: data),
            wire.query == fingerprint
        else { throw CacheError.invalidCursor(cursor) }
        key = wire.text.map(Value.text) ?? wire.integer.map(Value.integer) ?? .null
        number = wire.row
        listing = wire.listing
    }

    /// FNV-1a, 64 bits (http://www.isthe.com/chongo/tech/comp/fnv/): tells queries apart, no more.
    static func fingerprint(_ parts: String?...) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for part in parts {
            for byte in part.map({ Array($0.utf8) + [0] }) ?? [1, 0] {
                hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
            }
        }
        return String(hash, radix: 36)
    }
}
