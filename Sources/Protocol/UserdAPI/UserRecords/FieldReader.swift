import Model
import StrictJSON

/// Reads selected members of many JSON records.
package struct FieldReader: Sendable {
    private var reader = RecordReader()
    private var slots: [Int]

    /// - Parameter paths: of the members, such as `name.first`.
    package init(_ paths: [String]) {
        slots = Array(repeating: 0, count: paths.count)
        // Sorted, like the members of records.
        for field in paths.indices.sorted(by: { paths[$0] < paths[$1] }) {
            slots[field] = reader.add(Pointer(path: paths[field].split(separator: ".").map(String.init)))
        }
    }

    package func forEach(in records: JSONValue, _ body: (FieldRecord) throws -> Void) throws {
        var record = FieldRecord(JSONRecord(records), slots)
        try records.forEachElement { value throws in
            reader.read(value, into: &record.record)
            try body(record)
        }
    }

    package func read(_ record: JSONValue) -> FieldRecord { FieldRecord(reader.read(record), slots) }
}

/// A record and its selected members.
package struct FieldRecord {
    fileprivate var record: JSONRecord
    private let slots: [Int]

    fileprivate init(_ record: JSONRecord, _ slots: [Int]) { (self.record, self.slots) = (record, slots) }

    package var json: JSONValue { record.json }

    /// In the order of their paths.
    package var fields: Range<Int> { slots.indices }

    /// Nil for null and for a missing member.
    package subscript(_ field: Int) -> JSONValue? {
        record[slots[field]].flatMap { $0.isNull ? nil : $0 }
    }
}

extension JSONValue {
    /// Strings are unescaped, contacts are `value (kind); value`, other values are raw JSON; nil for null.
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
