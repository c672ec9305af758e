import FoundationEssentials
import Model
import Services
import StrictJSON

/// Makes users of a format's records.
struct UserReader: Sendable {
    private let format: DirectoryFormat
    private(set) var tree = ValueTree()
    private var slots = Slots()
    private var conditions: [(slot: Int, values: Set<String>)] = []

    init(_ format: DirectoryFormat) {
        self.format = format
        for field in UserField.allCases {
            for place in format.fields[field.rawValue]?.places ?? [] {
                let slot = tree.add(place.pointer, reading: field.isList ? Self.contacts : .scalar)
                slots.add(slot, place.kind, for: field)
            }
        }
        conditions = format.skip.map { (tree.add($0.pointer), Set($0.values)) }
    }

    private static let contact = JSONDeclaration.object([
        "value": .scalar, "address": .scalar, "number": .scalar, "type": .scalar, "primary": .scalar,
    ])
    private static let contacts = JSONDeclaration.scalar.or(contact).or(.list(of: .scalar.or(contact)))

    /// Leaves out what a condition of the format names, and what has neither a name nor an address.
    func read(
        _ json: JSONRecord, now: () -> Timestamp, into found: inout FoundRecords<User>
    ) throws(FormatError) {
        guard json.raw.kind == .object else { throw json.mistyped("an object") }
        let record = Record(values: tree.values(of: json.raw.value), slots: slots, json: json)
        guard let id = try record.text(.id) else {
            let places = format.fields["id"]?.places.map(\.pointer.description) ?? []
            throw json.error("no id at \(places.joined(separator: " or ")); see users.fields.id")
        }
        guard id.utf8.count <= FormatLimits.idBytes else {
            throw json.error("an id longer than \(FormatLimits.idBytes) bytes")
        }
        let isLeftOut = conditions.contains { $0.values.contains(record.values[$0.slot]?.text ?? "") }
        guard !isLeftOut, let user = try record.user(id: id, now: now) else {
            found.leftOut.append(id)
            return
        }
        found.records.append(user)
    }
}

/// Where the values of a field are, in order. Not a dictionary: hashing took longer than the values.
private struct Slots {
    private var fields: [UserField] = []
    private var places: [[(slot: Int, kind: String?)]] = []

    mutating func add(_ slot: Int, _ kind: String?, for field: UserField) {
        if fields.last != field {
            fields.append(field)
            places.append([])
        }
        places[places.count - 1].append((slot, kind))
    }

    subscript(field: UserField) -> [(slot: Int, kind: String?)] {
        fields.firstIndex(of: field).map { places[$0] } ?? []
    }
}

/// One record's values.
private struct Record: FieldValues {
    let values: [JSONValue?]
    let slots: Slots
    let json: JSONRecord

    func first<Value>(_ field: UserField, _ read: (JSONValue) throws(FormatError) -> Value?)
        throws(FormatError) -> Value?
    {
        for place in slots[field] {
            if let value = values[place.slot], let found = try read(value) { return found }
        }
        return nil
    }

    func text(_ field: UserField) throws(FormatError) -> String? {
        try first(field) { value throws(FormatError) in
            guard let text = value.text else { return nil }
            guard text.utf8.count <= FormatLimits.textBytes else {
                throw json.error("\(field.rawValue) is longer than \(FormatLimits.textBytes) bytes")
            }
            return text
        }
    }

    func date(_ field: UserField) -> Timestamp? {
        for place in slots[field] {
            if let text = values[place.slot]?.text, let date = Timestamp(text, of: field) { return date }
        }
        return nil
    }

    /// The primary first.
    func contacts(_ field: UserField) -> [FoundContact] {
        let all = slots[field].flatMap { place in
            values[place.slot]?.contacts(ofKind: place.kind) ?? []
        }
        return Array((all.filter(\.isPrimary) + all.filter { !$0.isPrimary }).prefix(64))
    }
}
