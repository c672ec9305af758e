import Model
import Services
import StrictJSON

/// What a page of users shows of a format: which pointers lead to something, and what no field is made of.
package struct FormatSurvey: Sendable, Equatable {
    package struct Place: Sendable, Equatable {
        package let field: UserField
        package let pointer: String
        /// The number of records in which it leads to something that the field can be made of.
        package var found = 0
    }

    package private(set) var records = 0
    package private(set) var places: [Place] = []
    /// Pointers to members of records.
    package private(set) var unread: [String] = []

    private static let mostUnread = 20

    /// Whether anything leads to what a user may be called by.
    package var findsNames: Bool {
        let names: Set<UserField> = [.given, .family, .displayName, .username, .email, .emails]
        return places.contains { names.contains($0.field) && $0.found > 0 }
    }

    /// Nil where there is no list to look at.
    package init?(_ format: DirectoryFormat, of body: [UInt8]) {
        var envelope = RecordReader()
        let list = envelope.add(format.records)
        guard let body = try? JSONValue(upstream: body),
            let records = envelope.read(body)[list]?.elements
        else { return nil }
        var (reader, slots) = (RecordReader(), [Int]())
        for field in UserField.allCases {
            for place in format.fields[field.rawValue]?.places ?? [] {
                slots.append(reader.add(place.pointer))
                places.append(Place(field: field, pointer: place.pointer.description))
            }
        }
        for condition in format.skip { reader.add(condition.pointer) }
        self.records = records.count
        for record in records { look(at: reader.read(record), slots, reader) }
    }

    /// - Parameter entries: with all their attributes, the values of which do not matter.
    package init(_ format: DirectoryFormat, of entries: [DirectoryEntry]) {
        records = entries.count
        for field in UserField.allCases {
            for place in format.fields[field.rawValue]?.places ?? [] {
                let name = place.pointer.description.asciiLowercased
                let found = entries.count { $0.attributes.contains { $0.name == name } }
                places.append(Place(field: field, pointer: place.pointer.description, found: found))
            }
        }
        let read = Self.bookkeeping.union(
            (places.map(\.pointer) + format.skip.map(\.pointer.description)).map(\.asciiLowercased))
        for name in entries.flatMap(\.attributes).map(\.name) where unread.count < Self.mostUnread {
            if !read.contains(name), !unread.contains(name) { unread.append(name) }
        }
    }

    /// What servers keep for themselves in entries.
    private static let bookkeeping = Set(
        """
        accountexpires admincount badpasswordtime badpwdcount codepage countrycode creatorsname distinguishedname \
        dscorepropagationdata entrydn entryid entryusn instancetype iscriticalsystemobject lastlogoff lastlogon \
        lastlogontimestamp lockouttime logoncount logonhours modifiersname msds-keycredentiallink \
        msds-supportedencryptiontypes msexchwhenmailboxcreated mssfu30nisdomain name objectcategory objectclass \
        objectsid parentid primarygroupid pwdlastset samaccounttype showinadvancedviewonly \
        structuralobjectclass subschemasubentry userparameters usnchanged usncreated
        """.split(separator: " ").map(String.init))

    private mutating func look(at record: JSONRecord, _ slots: [Int], _ reader: RecordReader) {
        for (index, slot) in slots.enumerated() where record[slot]?.makes(places[index].field) == true {
            places[index].found += 1
        }
        for pointer in reader.unread(in: record.json) where unread.count < Self.mostUnread {
            if !unread.contains(pointer) { unread.append(pointer) }
        }
    }
}

extension JSONValue {
    fileprivate func makes(_ field: UserField) -> Bool {
        switch field {
        case .emails, .phones: !contacts(ofKind: nil).isEmpty
        case .bornAt, .registeredAt, .updatedAt: scalar.flatMap(Timestamp.init(directoryDate:)) != nil
        default: scalar != nil
        }
    }
}
