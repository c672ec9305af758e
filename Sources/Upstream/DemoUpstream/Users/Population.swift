/// The records that the users of every seed consist of: all, or the first `size`, without the removed ones; and the
/// changes of each.
package struct Population: Sendable {
    /// Number of records ever; nil for an endless supply, like randomuser.me.
    private(set) var size: Int?
    /// Number of edits.
    private(set) var edition = 0
    private var removed: [Int] = []
    private(set) var inactive: Set<Int> = []
    private var changes: [Int: (count: Int, edition: Int)] = [:]
    /// Positions from which an edit changed the list. An earlier edit is kept only if its position is lower, so both
    /// positions and editions grow.
    private var shifts: [(position: Int, edition: Int)] = []

    init(size: Int?) {
        self.size = size
    }

    /// Current number of people; nil for an endless supply.
    package var count: Int? { size.map { $0 - removed.count } }

    /// The record at a position of the list; nil past the end.
    func record(at position: Int) -> Int? {
        var low = 0
        var high = removed.count
        while low < high {
            let middle = (low + high) / 2
            if removed[middle] - middle <= position { low = middle + 1 } else { high = middle }
        }
        let (record, overflow) = position.addingReportingOverflow(low)
        guard !overflow else { return nil }
        if let size, record >= size { return nil }
        return record
    }

    func changes(of record: Int) -> Int { changes.isEmpty ? 0 : changes[record]?.count ?? 0 }

    /// The last edit that changed this part of the list; 0 for none.
    func edition(of positions: Range<Int>) -> Int {
        let shifted = shifts.last { $0.position < positions.upperBound }?.edition ?? 0
        guard !changes.isEmpty else { return shifted }
        return positions.clamped(to: 0..<(count ?? .max)).reduce(shifted) { newest, position in
            max(newest, record(at: position).flatMap { changes[$0]?.edition } ?? 0)
        }
    }

    mutating func apply(_ edit: Edit) throws(ControlError) {
        var next = self
        for record in try next.records(of: edit.changed, named: "changed") {
            next.changes[record] = (next.changes(of: record) + 1, edition + 1)
        }
        next.inactive.formUnion(try next.records(of: edit.inactive, named: "inactive"))
        let leaving = Set(try next.records(of: edit.removed, named: "removed")).subtracting(next.removed)
        if let first = leaving.min() { next.shift(from: first - next.removed.count { $0 < first }) }
        next.removed = leaving.union(next.removed).sorted()
        if let added = edit.added {
            guard let size = next.size else {
                throw ControlError(
                    "added: the population is endless; start the server with a number of users")
            }
            guard (0...Edit.limit).contains(added) else { throw Edit.outOfLimit("added") }
            if added > 0 { next.shift(from: next.count ?? 0) }
            next.size = size + added
        }
        next.edition += 1
        self = next
    }

    private mutating func shift(from position: Int) {
        shifts.removeAll { $0.position >= position }
        shifts.append((position, edition + 1))
    }

    private func records(of selection: Edit.Selection?, named name: String) throws(ControlError) -> [Int] {
        switch selection {
        case nil: return []
        case .first(let count):
            guard (0...Edit.limit).contains(count) else { throw Edit.outOfLimit(name) }
            return (0..<count).compactMap { record(at: $0) }
        case .records(let records):
            guard records.count <= Edit.limit else { throw Edit.outOfLimit(name) }
            for record in records {
                guard record >= 0, record < size ?? .max else {
                    throw ControlError("\(name): there is no record \(record)")
                }
            }
            return records
        }
    }
}

/// An edit of the people: first `changed` and `inactive`, then `removed`, then `added`.
package struct Edit: Sendable, Decodable {
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
        self.added = added
        self.changed = changed
        self.removed = removed
        self.inactive = inactive
    }

    /// Some people: in JSON, a number or a list of numbers.
    package enum Selection: Sendable, Decodable {
        /// The first people of the current list.
        case first(Int)
        /// Records by their original positions, from 0.
        case records([Int])

        package init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let count = try? container.decode(Int.self) {
                self = .first(count)
            } else {
                self = .records(try container.decode([Int].self))
            }
        }
    }

    static let limit = 1_000_000

    static func outOfLimit(_ name: String) -> ControlError {
        ControlError("\(name): must be from 0 to \(limit) people")
    }
}
