import FoundationEssentials
import HTTP
import Model
import StrictJSON

/// Makes users of a format's records.
package struct UpstreamUserReader: RecordsReader {
    private let format: DirectoryFormat
    private let now: @Sendable () -> Timestamp
    package private(set) var reader = RecordReader()
    let slots: FieldPlaces<Slot>
    private let identity: [Int]
    private let conditions: [(place: ValuePlace, condition: DirectoryFormat.Condition)]
    /// Set for changes.
    private let removed: Int?
    /// The members of the fields that are made of one another, if changes may lack what has not changed.
    private let members: [(fields: [UserField], slots: [Int])]
    /// Those of the conditions.
    private let conditionMembers: [Int]
    /// Whether changes may lack what has not changed.
    private let isPartial: Bool

    typealias Slot = (place: ValuePlace, kind: String?)

    /// - Parameter now: for users' ages.
    init(
        _ format: DirectoryFormat, _ fields: [UserField] = UserField.all,
        now: @escaping @Sendable () -> Timestamp
    ) {
        (self.format, self.now) = (format, now)
        var reader = RecordReader()
        let hasKeys = format.records.hasBranches
        slots = FieldPlaces(format, fields) { field, place in
            (ValuePlace(place, of: field, hasKeys: hasKeys, in: &reader), place.kind)
        }
        identity = (format.identity?.places ?? []).map { reader.add($0.pointer) }
        conditions = format.skip.map { (ValuePlace($0.pointer, hasKeys: hasKeys, in: &reader), $0) }
        removed = format.isOfChanges ? format.changes.map { reader.add($0.removed) } : nil
        func member(_ pointer: Pointer) -> Int? {
            guard let step = pointer.steps.first else { return nil }
            // What is not selected never comes.
            if let selected = format.selected, case .named(let name) = step,
                !selected.contains(String(name.prefix { $0 != "@" }))
            {
                return nil
            }
            return reader.add(Pointer([step], description: ""))
        }
        let isPartial = format.isOfChanges && format.changes?.isPartial == true
        self.isPartial = isPartial
        let named = Set(slots.fields)
        members =
            !isPartial
            ? []
            : Self.groups.filter { !named.isDisjoint(with: $0) }.map { fields in
                let places = fields.flatMap { format.fields[$0.name]?.places ?? [] }
                return (fields, places.flatMap { [$0.pointer] + $0.more }.compactMap(member))
            }
        conditionMembers = isPartial ? format.skip.compactMap { member($0.pointer) } : []
        self.reader = reader
    }

    /// All fields but the id: those that are made of one another together.
    private static let groups: [[UserField]] = {
        let groups: [[UserField]] = [
            [.email, .emails], [.phone, .cell, .phones], [.managerID, .managerName],
        ]
        let others = UserField.all.filter { field in field != .id && !groups.contains { $0.contains(field) } }
        return groups + others.map { [$0] }
    }()

    /// The record of a change may lack what has not changed.
    private func lacking(_ json: JSONRecord) -> LackingRecord {
        var lacking = LackingRecord()
        for (fields, slots) in members {
            let isThere = slots.map { json[$0] != nil }
            guard isThere.contains(false) else { continue }
            if !isThere.contains(true) { lacking.absent += fields }
            // A manager is sent only if there is one, and a part of it says all.
            if fields[0].object == "manager" { continue }
            if isThere.contains(true) {
                // The first place has the first of the fields, or the text that counts.
                let rest = isThere[0] ? Array(fields.dropFirst()) : fields
                if rest.isEmpty { continue }
                lacking.divided += rest
            }
            lacking.isOfKnown = true
        }
        if conditionMembers.contains(where: { json[$0] == nil }) { lacking.isOfKnown = true }
        return lacking
    }

    /// Pointers to everything that is read of a record.
    package var pointers: [Pointer] {
        let fields = slots.fields.flatMap { field in
            (format.fields[field.name]?.places ?? []).flatMap { place in
                [place.pointer] + place.more + (field.isList ? Self.contacts(at: place.pointer) : [])
            }
        }
        return fields + (format.identity?.places ?? []).map(\.pointer) + format.skip.map(\.pointer)
    }

    private static func contacts(at pointer: Pointer) -> [Pointer] {
        let names = ["value", "address", "number", "type", "kind", "label", "name", "primary"]
        let members = names.map { [Pointer.Step.named($0)] }
        return ([[.each]] + members + members.map { [.each] + $0 }).map {
            Pointer(pointer.steps + $0, description: pointer.description)
        }
    }

    /// Nil for a kind that is not listed, or not known.
    private func kind(of record: inout UpstreamValues) -> UserKind? {
        let word = record.text(.kind)
        // The kind that a change lacks is the one that is cached.
        if word == nil, isPartial { return .person }
        return format.kind(word).flatMap { format.kinds.contains($0) ? $0 : nil }
    }

    /// Leaves out records of other kinds, those that meet a condition of the format, those with neither a name nor an email
    /// address, and those that can't be told apart.
    /// - Parameter url: completes addresses of pictures.
    package func read(
        _ json: JSONRecord, from url: URL, into found: inout Page<User>
    ) throws(FormatError) {
        found.shape?.add(slots.fields) { json.shapes(at: slots[$0]) }
        // A spreadsheet's record is a list.
        guard [.object, .array].contains(json.json.kind) else {
            return found.leaveOut(unidentified: "expected an object, found \(json.json.kind.found)")
        }
        var record = UpstreamValues(json: json, url: url, places: slots, hasExactDates: format.hasExactDates)
        var id = record.text(.id)
        if let id, let removed, let value = json[removed], !value.isNull, value.bool != false {
            return found.gone.append(Gone(id: id, after: found.records.count))
        }
        let kind = kind(of: &record)
        guard let kind, !conditions.contains(where: { json.meets($0.condition, at: $0.place, now) }) else {
            if removed != nil, let id { found.gone.append(Gone(id: id, after: found.records.count)) }
            // A record that has no id is counted by its place on the page and its text.
            return found.leftOut.append(
                Digest.leftOut(id ?? "\(found.sent) " + String(decoding: json.json.raw, as: UTF8.self)))
        }
        if format.identity != nil {
            let (given, family) = (record.text(.given), record.text(.family))
            guard given != nil || family != nil else {
                throw FormatError("no name at \(places(.given)) or \(places(.family))")
            }
            if id == nil, let user = record.user(id: "", now: now) {
                let value = identity.lazy.compactMap { json[$0]?.plainText }.first
                id = Digest.userID(user, idValue: value)
            }
        }
        guard let id else {
            return found.leaveOut(unidentified: "no id at \(places(.id))", setting: "users.fields.id")
        }
        guard id.utf8.count <= FormatLimits.idBytes else {
            return found.leaveOut(unidentified: "an id longer than \(FormatLimits.idBytes) bytes")
        }
        let lacking = lacking(json)
        // A name that is not there is the one that is cached.
        let user = record.user(
            id: id, needsName: UserField.identifying.isDisjoint(with: lacking.absent), now: now)
        found.unread.tooLong += record.tooLong.map { "\($0.name) of record \(found.sent + 1)" }
        guard var user else {
            if removed != nil { found.gone.append(Gone(id: id, after: found.records.count)) }
            found.unread.nameless += 1
            return found.leftOut.append(Digest.leftOut(id))
        }
        user.kind = kind == .person ? nil : kind
        if !lacking.isEmpty { found.lacking[found.records.count] = lacking }
        found.records.append(user.omitting(format.omitted))
    }

    private func places(_ field: UserField) -> String {
        (format.fields[field.name]?.places ?? []).map(\.pointer.description).joined(separator: " or ")
    }
}

/// The places of each field's values, in order. Not a dictionary: hashing took longer than reading the
/// values.
package struct FieldPlaces<Place: Sendable>: Sendable {
    /// The fields that the format names.
    package private(set) var fields: [UserField] = []
    private var places: [[Place]] = []

    package init(
        _ format: DirectoryFormat, _ fields: [UserField] = UserField.all,
        _ make: (UserField, DirectoryFormat.FieldSource.Place) -> Place
    ) {
        for field in fields {
            guard let source = format.fields[field.name] else { continue }
            self.fields.append(field)
            places.append(source.places.map { make(field, $0) })
        }
    }

    package subscript(field: UserField) -> [Place] { fields.firstIndex(of: field).map { places[$0] } ?? [] }
}

/// One record's values.
private struct UpstreamValues: FieldValues {
    let json: JSONRecord
    let url: URL
    let places: FieldPlaces<UpstreamUserReader.Slot>
    let hasExactDates: Bool
    var tooLong: [UserField] = []

    func text(at place: UpstreamUserReader.Slot, of field: UserField) -> String? {
        let text = json.text(at: place.place)
        return field.object == "picture" ? text.map(completed) : text
    }

    /// An address without scheme and host gets those of the list.
    private func completed(_ address: String) -> String {
        // Pictures in base64 have slashes, too.
        let isPicture = address.utf8.count > 512 || ["/9j/", "iVBOR"].contains(where: address.hasPrefix)
        let isWhole = !address.contains("/") || address.first != "/" && address.prefix(8).contains(":")
        return isPicture || isWhole
            ? address : URL(httpAddress: address, relativeTo: url)?.absoluteString ?? address
    }

    func contacts(at place: UpstreamUserReader.Slot) -> [FoundContact] {
        json.contacts(at: place.place, ofKind: place.kind)
    }
}

extension JSONRecord {
    /// The kind of each value there, and the bytes of its text.
    fileprivate func shapes(at slots: [UpstreamUserReader.Slot]) -> [(kind: String, bytes: Int?)] {
        slots.flatMap { values(at: $0.place) }.compactMap { value in
            guard let value, value.kind != .null else { return nil }
            return ("\(value.kind)", value.scalar?.utf8.count)
        }
    }

    fileprivate func meets(
        _ condition: DirectoryFormat.Condition, at place: ValuePlace, _ now: () -> Timestamp
    ) -> Bool {
        guard place.rule != nil else {
            return self[place.slot].flatMap { condition.result(for: $0, now) } ?? condition.holdsForNothing
        }
        let results = values(at: place).compactMap { $0.flatMap { condition.result(for: $0, now) } }
        return results.isEmpty ? condition.holdsForNothing : results.contains(true)
    }
}

extension DirectoryFormat.Condition {
    /// Nil for a value that counts as absent.
    fileprivate func result(for value: JSONValue, _ now: () -> Timestamp) -> Bool? {
        let text = value.scalar
        return text == nil && value.isEmpty ? nil : holds(for: text, isFalse: value.bool == false, now: now)
    }
}
