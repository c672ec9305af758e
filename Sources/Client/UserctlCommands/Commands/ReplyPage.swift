import Model
import StrictJSON
import UserdAPI
import Varlink

/// One page of a list as raw JSON: records are copied to the output without decoding them.
struct ReplyPage {
    let list: JSONValue
    /// The records' JSON, separated by commas.
    var records: ArraySlice<UInt8> { list.raw.dropFirst().dropLast() }
    var isEmpty: Bool { records.allSatisfy { $0 <= 0x20 } }
    let total: Int
    let next: String?
    let freshness: Freshness
    /// All other members of the reply, in order.
    fileprivate let rest: [(name: String, value: JSONValue)]

    init<List>(_ reply: RawReply<List>, records name: String) throws {
        let members = reply.value.members ?? []
        guard let list = members.first(where: { $0.name == name })?.value, list.kind == .array
        else {
            throw InvalidReply(method: reply.method, reason: "\(name) is missing")
        }
        let others = members.filter { $0.name != name }
        let rest = try decoded(
            OtherMembers.self, from: JSONValue(trusting: document(others)), replyTo: reply.method)
        self.list = list
        total = rest.total
        next = rest.next
        freshness = rest.freshness
        self.rest = others
    }
}

extension RawReply {
    func member(_ name: String) throws(InvalidReply) -> JSONValue {
        guard let member = value[name] else {
            throw InvalidReply(method: method, reason: "\(name) is missing")
        }
        return member
    }
}

private struct OtherMembers: Decodable {
    var total: Int
    var next: String?
    var freshness: Freshness
}

/// Joins several pages into one document of the same shape, written piece by piece: the records of all pages, and the
/// other members of the last page.
struct MergedDocument {
    private let name: String
    private var isEmpty = true
    private var last: ReplyPage?

    init(records name: String) { self.name = name }

    /// The bytes to write for a page.
    mutating func add(_ page: ReplyPage) -> [UInt8] {
        var piece: [UInt8] = []
        if last == nil { piece += Array("{".utf8) + StrictJSON.quoted(name) + Array(":[".utf8) }
        if !page.isEmpty {
            if !isEmpty { piece.append(UInt8(ascii: ",")) }
            isEmpty = false
            piece += page.records
        }
        last = page
        return piece
    }

    /// The bytes to write after the last page.
    func end() -> [UInt8] {
        guard let last else { return [] }
        let rest = document(last.rest).dropFirst()
        let separator = last.rest.isEmpty ? "]" : "],"
        return Array(separator.utf8) + rest + [UInt8(ascii: "\n")]
    }
}

private func document(_ members: [(name: String, value: JSONValue)]) -> [UInt8] {
    StrictJSON.object(members.map { ($0.name, Array($0.value.raw)) })
}
