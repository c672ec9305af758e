import Model
import StrictJSON

/// Where a `RecordReader` finds the values of a field.
struct ValuePlace: Sendable {
    let slot: Int
    /// Nil where there is one value, which most records are made of.
    let rule: Rule?

    indirect enum Rule: Sendable {
        /// The name under which the record is in an object.
        case key
        case branches(Branches)
        /// Texts that are put together.
        /// - Parameter needsLast: without the last one, the others are no text.
        case parts([ValuePlace], needsLast: Bool)
    }

    static let key = Pointer(path: ["@key"])

    /// - Parameter hasKeys: whether `/@key` is the name of a record, and no member of it.
    init(_ pointer: Pointer, hasKeys: Bool = false, in reader: inout RecordReader) {
        if hasKeys, pointer == Self.key {
            (slot, rule) = (0, .key)
        } else if let (stem, branches) = Branches.split(pointer) {
            (slot, rule) = (reader.add(stem), .branches(branches))
        } else {
            (slot, rule) = (reader.add(pointer), nil)
        }
    }

    /// - Parameter field: nil for what is no field of users.
    init(
        _ place: DirectoryFormat.FieldSource.Place, of field: UserField? = nil, hasKeys: Bool,
        in reader: inout RecordReader
    ) {
        let first = ValuePlace(place.pointer, hasKeys: hasKeys, in: &reader)
        guard !place.more.isEmpty else {
            self = first
            return
        }
        var parts = [first]
        for pointer in place.more { parts.append(ValuePlace(pointer, hasKeys: hasKeys, in: &reader)) }
        // A country's code alone is no number.
        let numbers: [UserField?] = [.phone, .cell, .phones]
        (slot, rule) = (first.slot, .parts(parts, needsLast: numbers.contains(field)))
    }
}

extension JSONRecord {
    func text(at place: ValuePlace) -> String? {
        switch place.rule {
        case nil: self[place.slot]?.scalar
        case .parts(let parts, let needsLast) where parts.allSatisfy({ $0.rule == nil }):
            Self.joined(parts.map { self[$0.slot]?.scalar }, needsLast: needsLast)
        default: texts(at: place).lazy.compactMap(\.self).first
        }
    }

    private static func joined(_ texts: [String?], needsLast: Bool) -> String? {
        if needsLast, texts.last == .some(nil) { return nil }
        let found = texts.compactMap(\.self)
        return found.isEmpty ? nil : found.joined(separator: " ")
    }

    /// In the order of the answer; nil for elements in which there is none.
    func texts(at place: ValuePlace) -> [String?] {
        guard case .parts(let parts, let needsLast)? = place.rule else {
            return values(at: place).map { $0?.scalar }
        }
        let columns = parts.map { texts(at: $0) }
        return (0..<(columns.map(\.count).max() ?? 0)).map { row in
            let texts = columns.map { $0.count == 1 ? $0[0] : row < $0.count ? $0[row] : nil }
            return Self.joined(texts, needsLast: needsLast)
        }
    }

    /// Of parts, all values.
    func values(at place: ValuePlace) -> [JSONValue?] {
        switch place.rule {
        case nil: [self[place.slot]]
        case .key: [key]
        case .branches(let branches): self[place.slot].map { branches.values(in: $0).map(\.value) } ?? []
        case .parts(let parts, _): parts.flatMap { values(at: $0) }
        }
    }

    /// - Parameter kind: of all of them, where the format says it.
    func contacts(at place: ValuePlace, ofKind kind: String?) -> [FoundContact] {
        guard let rule = place.rule else { return self[place.slot]?.contacts(ofKind: kind) ?? [] }
        if case .parts = rule {
            return texts(at: place).compactMap {
                $0.map { FoundContact(value: $0.trimmingBlanks(), kind: kind) }
            }
        }
        return values(at: place).flatMap { $0?.contacts(ofKind: kind) ?? [] }
    }

    /// Whether anything is there.
    func has(_ place: ValuePlace) -> Bool { values(at: place).contains { $0?.isEmpty == false } }
}

extension JSONValue {
    /// Null, a blank text, and an object or list of nothing.
    var isEmpty: Bool {
        switch kind {
        case .object: members(upTo: 1)?.isEmpty == true
        case .array: elements(upTo: 1)?.isEmpty == true
        case .string, .number, .bool, .null: scalar == nil
        }
    }
}
