import Model
import StrictJSON

/// What a page of users shows of a format: which pointers lead to something, and what no field is made of.
package struct FormatSurvey: Sendable, Equatable {
    package struct Place: Sendable, Equatable {
        package let field: UserField
        package let pointer: String
        /// The number of records in which it leads to something that the field can be made of.
        package var found: Int
        /// The number of records in which there is something that the field can't be made of, here or elsewhere.
        package var unreadable = 0

        package init(field: UserField, pointer: String, found: Int = 0) {
            (self.field, self.pointer, self.found) = (field, pointer, found)
        }
    }

    package var records = 0
    package var places: [Place] = []
    /// Pointers to members of records.
    package var unread: [String] = []

    package static let mostUnread = 20

    package init() {}

    /// Whether anything leads to what a user may be called by.
    package var findsNames: Bool {
        let names: Set<UserField> = [.given, .family, .displayName, .username, .email, .emails]
        return places.contains { names.contains($0.field) && $0.found > 0 }
    }

    /// Nil where there is no list to look at.
    package init?(_ format: DirectoryFormat, of body: [UInt8]) {
        guard let body = try? JSONValue(upstream: body), let lists = Envelope(format).lists(in: body) else {
            return nil
        }
        let reader = UserReader(format)
        for field in UserField.allCases {
            places += (format.fields[field.rawValue]?.places ?? []).map {
                let pointers = [$0.pointer] + $0.more
                return Place(field: field, pointer: pointers.map(\.description).joined(separator: " "))
            }
        }
        _ = try? FoundRecords<User>(in: lists, body, reader.reader) { record, _ in look(at: record, reader) }
    }

    private mutating func look(at record: JSONRecord, _ reader: UserReader) {
        records += 1
        var index = 0
        for field in UserField.allCases {
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
        for pointer in reader.reader.unread(in: record.json) where unread.count < Self.mostUnread {
            if !unread.contains(pointer) { unread.append(pointer) }
        }
    }
}

extension JSONRecord {
    fileprivate func makes(_ field: UserField, at place: ValuePlace) -> Bool {
        switch field {
        case .emails, .phones: !contacts(at: place, ofKind: nil).isEmpty
        case .bornAt, .registeredAt, .updatedAt:
            text(at: place).flatMap(Timestamp.init(directoryDate:)) != nil
        case .latitude, .longitude: text(at: place).flatMap { Double($0) } != nil
        case .age: text(at: place).flatMap { Int($0) } != nil
        default: text(at: place) != nil
        }
    }

    /// Whether there is a date that means none.
    fileprivate func hasNoDate(_ field: UserField, at place: ValuePlace) -> Bool {
        [.bornAt, .registeredAt, .updatedAt].contains(field)
            && text(at: place).map(Timestamp.isNoDate) == true
    }
}
