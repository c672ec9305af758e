import Model
import Services
import StrictJSON

/// What is around the records of a page.
struct Envelope: Sendable {
    private let format: DirectoryFormat
    private let tree: ValueTree
    private let records: Int
    private let next: Int?
    private let total: Int?

    /// - Parameter names: of parameters whose values are recorded.
    init(_ format: DirectoryFormat, record: JSONDeclaration, keeping names: Set<String>) {
        self.format = format
        var tree = ValueTree()
        records = tree.add(format.records, reading: .list(of: record))
        let address = JSONDeclaration.text { recorded(nextPage: $0, keeping: names) }
        next = format.paging.from.map {
            tree.add($0, reading: format.paging.style == .url ? address : .scalar)
        }
        total = format.paging.total.map { tree.add($0) }
        self.tree = tree
    }

    var declaration: JSONDeclaration { tree.declaration }

    /// The list of records, the cursor or address of the next page, and how many records there are in all.
    func open(_ node: JSONNode, _ response: HTTPResponse) throws(FormatError) -> (
        list: JSONNode?, next: String?, total: Int?
    ) {
        let values = tree.values(of: node.value)
        let total = values.number(total)
        return (
            try list(values[records], in: node, total: total),
            format.paging.style == .link ? response.headers.nextLink : next.flatMap { values[$0]?.text },
            total
        )
    }

    /// A list that is null is empty, unless records are said to be there; so is one that is absent where the answer says that
    /// there are none, or is Google's, which leaves it out.
    private func list(_ value: JSONValue?, in node: JSONNode, total: Int?) throws(FormatError) -> JSONNode? {
        if let value, !value.isNull {
            return JSONNode(value, in: node)
        }
        let others = node.value.lists
        let isKnown = value != nil || total == 0 || node.value["kind"]?.string == "admin#directory#users"
        guard isKnown, others.isEmpty, (total ?? 0) == 0, node.value.kind == .object else {
            let there = others.isEmpty ? "" : "; there is a list at \(others.joined(separator: " and at "))"
            throw FormatError(
                place: "", reason: "no list at \"\(format.records)\"\(there); see users.records")
        }
        return nil
    }

    /// An object with an error in place of the list, or behind the records of a list that it cuts off.
    var complaint: @Sendable (JSONValue) -> UpstreamComplaint? {
        { body in
            guard let list = tree.values(of: body)[records], list.kind == .array else {
                return body.kind == .object ? UpstreamComplaint(anyIn: body) : nil
            }
            // To look for the last of many takes time, and most lists do not end so.
            guard String(decoding: list.raw.suffix(2048), as: UTF8.self).contains("\"error"),
                let last = list.elements?.last, last["error"] ?? last["errorMessage"] != nil,
                last["id"] == nil
            else { return nil }
            return UpstreamComplaint(anyIn: last)
        }
    }
}

extension [JSONValue?] {
    fileprivate func number(_ slot: Int?) -> Int? {
        slot.flatMap { self[$0]?.text }.flatMap(Int.init).flatMap { 0...Int(Int32.max) ~= $0 ? $0 : nil }
    }
}

extension JSONValue {
    /// Pointers to lists of objects that are members of this value, for messages.
    fileprivate var lists: [String] {
        (members(upTo: FormatLimits.members) ?? []).filter {
            $0.value.elements(upTo: 1)?.first?.kind == .object
        }.prefix(3).map { "/" + $0.name.shown(upTo: 40) }
    }
}
