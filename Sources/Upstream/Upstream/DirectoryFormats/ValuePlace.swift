import Model
import StrictJSON

/// The place in a record at which a `RecordReader` finds the values of a field.
struct ValuePlace: Sendable {
    let slot: Int
    /// Nil for a single value, which is the usual case.
    let rule: Rule?

    indirect enum Rule: Sendable {
        /// The name of the record's member in the object around it.
        case key
        case branches(Branches)
        /// Texts that are joined.
        /// - Parameter needsLast: whether the others do not count without the last one.
        case parts([ValuePlace], needsLast: Bool)
    }

    static let key = Pointer(path: ["@key"])

    /// - Parameter hasKeys: whether `/@key` stands for the name of the record's member, and not for a member
    ///   `@key`.
    init(_ pointer: Pointer, hasKeys: Bool = false, in reader: inout RecordReader) {
        if hasKeys, pointer == Self.key {
            (slot, rule) = (0, .key)
        } else if let (stem, branches) = Branches.split(pointer) {
            (slot, rule) = (reader.add(stem), .branches(branches))
        } else {
            (slot, rule) = (reader.add(pointer), nil)
        }
    }

    /// - Parameter field: nil for anything except a field of a user.
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
        // A country code alone is not a telephone number.
        let numbers: [UserField?] = [.phone, .cell, .phones]
        (slot, rule) = (first.slot, .parts(parts, needsLast: numbers.contains(field)))
    }
}

extension JSONRecord {
    func text(at place: ValuePlace) -> String? {
        switch place.rule {
        case nil: self[place.slot]?.plainText
        case .parts(let parts, let needsLast) where parts.allSatisfy({ $0.rule == nil }):
            Self.joined(parts.map { self[$0.slot]?.plainText }, needsLast: needsLast)
        default: texts(at: place).lazy.compactMap(\.self).first
        }
    }

    private static func joined(_ texts: [String?], needsLast: Bool) -> String? {
        if needsLast, texts.last == .some(nil) { return nil }
        let found = texts.compactMap(\.self)
        return found.isEmpty ? nil : found.joined(separator: " ")
    }

    /// Texts in the order of the answer; nil for elements without one.
    func texts(at place: ValuePlace) -> [String?] {
        guard case .parts(let parts, let needsLast)? = place.rule else {
            return values(at: place).map { $0?.plainText }
        }
        let columns = parts.map { texts(at: $0) }
        return (0..<(columns.map(\.count).max() ?? 0)).map { row in
            let texts = columns.map { $0.count == 1 ? $0[0] : row < $0.count ? $0[row] : nil }
            return Self.joined(texts, needsLast: needsLast)
        }
    }

    /// All values at a place, also those of all parts.
    func values(at place: ValuePlace) -> [JSONValue?] {
        switch place.rule {
        case nil: [self[place.slot]]
        case .key: [key]
        case .branches(let branches): self[place.slot].map { branches.values(in: $0).map(\.value) } ?? []
        case .parts(let parts, _): parts.flatMap { values(at: $0) }
        }
    }

    /// - Parameter kind: the kind of all contacts, if the format gives one.
    func contacts(at place: ValuePlace, ofKind kind: String?) -> [FoundContact] {
        guard let rule = place.rule else { return self[place.slot]?.contacts(ofKind: kind) ?? [] }
        if case .parts = rule {
            return texts(at: place).compactMap { $0.map { FoundContact(value: $0, kind: kind) } }
        }
        return values(at: place).flatMap { $0?.contacts(ofKind: kind) ?? [] }
    }

    /// Whether the place has a value; false is none.
    func has(_ place: ValuePlace) -> Bool {
        values(at: place).contains { $0?.isEmpty == false && $0?.bool != false }
    }
}

extension JSONValue {
    /// The scalar, unless it is a boolean: Odoo has false for a missing text.
    var plainText: String? { kind == .bool ? nil : scalar }

    /// Whether the value is null, a blank text, or an empty object or list.
    var isEmpty: Bool {
        switch kind {
        case .object: members(upTo: 1)?.isEmpty == true
        case .array: elements(upTo: 1)?.isEmpty == true
        case .string, .number, .bool, .null: scalar == nil
        }
    }
}
