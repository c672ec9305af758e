import Model
import StrictJSON

/// Compares a format with a page of users: which pointers find values, and which members no field uses.
package struct FormatSurvey: Sendable, Equatable {
    package struct Place: Sendable, Equatable {
        package let field: UserField
        package let pointer: String
        /// The number of records in which the pointer finds a value that the field can use.
        package var found: Int
        /// The number of records with a value here that the field can't use, and none elsewhere that it can.
        package var unreadable = 0

        package init(field: UserField, pointer: String, found: Int = 0) {
            (self.field, self.pointer, self.found) = (field, pointer, found)
        }
    }

    package var records = 0
    package var places: [Place] = []
    /// Pointers to members of records that no field uses.
    package var unread: [String] = []

    package static let mostUnread = 20

    package init() {}

    /// Whether any pointer finds a name, a username or an email address.
    package var findsNames: Bool {
        places.contains { UserField.identifying.contains($0.field) && $0.found > 0 }
    }

    /// Nil if the answer has no list.
    package init?(_ format: DirectoryFormat, of body: [UInt8]) {
        guard let body = try? JSONValue(upstream: body), let lists = Envelope(format).lists(in: body) else {
            return nil
        }
        // Only looks for values, and calculates no age.
        let reader = UpstreamUserReader(format, now: { Timestamp(milliseconds: 0) })
        for field in reader.slots.fields {
            places += (format.fields[field.name]?.places ?? []).map {
                let pointers = [$0.pointer] + $0.more
                return Place(field: field, pointer: pointers.map(\.description).joined(separator: " "))
            }
        }
        var known = reader.reader
        for pointer in format.omittedPointers { known.add(pointer) }
        try? Envelope.forEachRecord(in: lists, body, reader.reader) { [known] record in
            look(at: record, reader, known)
        }
    }

    /// - Parameter known: finds members that no field uses, not even an omitted one.
    private mutating func look(at record: JSONRecord, _ reader: UpstreamUserReader, _ known: RecordReader) {
        records += 1
        var index = 0
        for field in reader.slots.fields {
            let slots = reader.slots[field]
            let made = slots.map { record.makes(field, at: $0.place) }
            for (slot, isMade) in zip(slots, made) {
                if isMade {
                    places[index].found += 1
                } else if !made.contains(true), record.has(slot.place),
                    !record.hasNoDate(field, at: slot.place)
                {
                    places[index].unreadable += 1
                }
                index += 1
            }
        }
        for pointer in known.unread(in: record.json) where unread.count < Self.mostUnread {
            if !unread.contains(pointer) { unread.append(pointer) }
        }
    }
}

extension JSONRecord {
    fileprivate func makes(_ field: UserField, at place: ValuePlace) -> Bool {
        switch field.kind {
        case .contacts: !contacts(at: place, ofKind: nil).isEmpty
        case .date: text(at: place).flatMap { Timestamp($0, isDay: field.isDay) } != nil
        case .number: text(at: place).flatMap { Double($0) } != nil
        case .count: text(at: place).flatMap { Int($0) } != nil
        case .required, .text: text(at: place) != nil
        }
    }

    /// Whether the value is a placeholder for a missing date.
    fileprivate func hasNoDate(_ field: UserField, at place: ValuePlace) -> Bool {
        field.isDate && text(at: place).map { Timestamp.isNoDate($0) || ["0", "-1"].contains($0) } == true
    }
}
