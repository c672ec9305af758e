import Model
import StrictJSON

/// Reads selected members of many JSON records by name; `name_first` is the member `first` of `name`.
package struct FieldReader: Sendable {
    private var reader = RecordReader()
    /// The slots of each field. `display_name` may be a member, or the member `name` of `display`.
    private var slots: [[Int]]

    package init(_ names: [String]) {
        slots = Array(repeating: [], count: names.count)
        // Sorted by name, like the members of records.
        for field in names.indices.sorted(by: { names[$0] < names[$1] }) {
            for path in Self.paths(names[field].split(separator: "_")[...]) {
                slots[field].append(reader.add(Pointer(path: path)))
            }
        }
    }

    /// The ways to join words to names of members.
    private static func paths(_ words: ArraySlice<Substring>) -> [[String]] {
        words.indices.flatMap { end in
            let name = words[...end].joined(separator: "_")
            let rest = words[(end + 1)...]
            return rest.isEmpty ? [[name]] : paths(rest).map { [name] + $0 }
        }
    }

    /// Calls the body with each record of a list.
    package func forEach(in records: JSONValue, _ body: (FieldRecord) throws -> Void) throws {
        var record = FieldRecord(JSONRecord(records), slots)
        try records.forEachElement { value throws in
            reader.read(value, into: &record.record)
            try body(record)
        }
    }

    package func read(_ record: JSONValue) -> FieldRecord { FieldRecord(reader.read(record), slots) }

    /// The values in the order of the names: strings are unescaped, lists of `Contact` are `value (kind); value`, other
    /// values are raw JSON; nil for null and for missing members.
    package func fields(of record: JSONValue) -> [String?] {
        let record = read(record)
        return record.fields.map { record[$0]?.text }
    }
}

/// A record and its selected members.
package struct FieldRecord {
    fileprivate var record: JSONRecord
    private let slots: [[Int]]

    fileprivate init(_ record: JSONRecord, _ slots: [[Int]]) { (self.record, self.slots) = (record, slots) }

    package var json: JSONValue { record.json }

    /// In the order of their names.
    package var fields: Range<Int> { slots.indices }

    /// Nil for null and for a missing member.
    package subscript(_ field: Int) -> JSONValue? {
        for slot in slots[field] {
            if let value = record[slot] { return value.isNull ? nil : value }
        }
        return nil
    }
}

extension JSONValue {
    /// Nil for null.
    package var text: String? {
        if isNull { return nil }
        return string ?? contacts?.map(\.text).joined(separator: "; ") ?? String(decoding: raw, as: UTF8.self)
    }

    /// Nil if the value is not a list of contacts.
    package var contacts: [User.Contact]? {
        guard let elements else { return nil }
        var contacts: [User.Contact] = []
        for element in elements {
            let kind = element["kind"].flatMap { $0.isNull ? nil : $0 }
            guard let value = element["value"]?.string, kind == nil || kind?.kind == .string else {
                return nil
            }
            contacts.append(User.Contact(value: value, kind: kind?.string))
        }
        return contacts
    }
}

extension User.Contact {
    /// `value (kind)`
    package var text: String { kind.map { "\(value) (\($0))" } ?? value }
}
