/// The records that make up the users of every seed: all, or the first `size`, without the removed ones; and
/// the changes of each.
struct Population: Sendable {
    /// Number of records, including removed ones; nil for an endless supply, like randomuser.me.
    private(set) var size: Int?
    /// In ascending order.
    private var removed: [Int] = []
    private(set) var inactive: Set<Int> = []
    /// The number of changes of each record.
    private(set) var changes: [Int: Int] = [:]

    init(size: Int?) { self.size = size }

    /// Current number of people; nil for an endless supply.
    var count: Int? { size.map { $0 - removed.count } }

    /// The record at a position of the list.
    func record(at position: Int) -> Int {
        removed.reduce(position) { record, removed in removed <= record ? record + 1 : record }
    }

    mutating func apply(_ edit: Edit) throws(DemoError) {
        var next = self
        for record in try records(of: edit.changed) { next.changes[record, default: 0] += 1 }
        next.inactive.formUnion(try records(of: edit.inactive))
        next.removed = Set(removed).union(try records(of: edit.removed)).sorted()
        if let added = edit.added {
            guard let size, added >= 0 else { throw DemoError(description: "can't add \(added) people") }
            next.size = size + added
        }
        self = next
    }

    private func records(of selection: Edit.Selection?) throws(DemoError) -> [Int] {
        switch selection {
        case nil: return []
        case .first(let number): return (0..<max(0, min(number, count ?? .max))).map(record)
        case .records(let records):
            if let unknown = records.first(where: { $0 < 0 || $0 >= size ?? .max }) {
                throw DemoError(description: "there is no record \(unknown)")
            }
            return records
        }
    }
}

package struct Edit: Sendable {
    /// Number of people to add at the end of the list.
    package var added: Int?
    /// People who get a new email address and phone number.
    package var changed: Selection?
    package var removed: Selection?
    /// People whose account is closed. Directories say so; `/api` doesn't.
    package var inactive: Selection?

    package init(
        added: Int? = nil, changed: Selection? = nil, removed: Selection? = nil, inactive: Selection? = nil
    ) {
        (self.added, self.changed, self.removed, self.inactive) = (added, changed, removed, inactive)
    }

    package enum Selection: Sendable {
        /// The first people of the current list.
        case first(Int)
        /// Records by their original positions, from 0.
        case records([Int])
    }
}

/// The reason why a fault, an edit or a setting is refused, for people.
package struct DemoError: Error, CustomStringConvertible {
    package let description: String
}
