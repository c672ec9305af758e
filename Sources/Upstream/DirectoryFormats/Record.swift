import FoundationEssentials
import Model
import StrictJSON

/// Makes users of a format's records.
struct UserReader: Sendable {
    /// What becomes of a record.
    enum Result {
        case user(User)
        /// Left out by a condition of the format, or since it has neither a name nor an address.
        case leftOut(id: String)
    }

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

    func read(_ node: JSONNode, now: () -> Timestamp) throws(FormatError) -> Result {
        guard node.kind == .object else { throw node.mistyped("an object") }
        let record = Record(values: tree.values(of: node.value), slots: slots, node: node)
        guard let id = try record.text(.id) else {
            let places = format.fields["id"]?.places.map(\.pointer.description) ?? []
            throw node.error("no id at \(places.joined(separator: " or ")); see users.fields.id")
        }
        guard id.utf8.count <= FormatLimits.idBytes else {
            throw node.error("an id longer than \(FormatLimits.idBytes) bytes")
        }
        if conditions.contains(where: { $0.values.contains(record.values[$0.slot]?.text ?? "") }) {
            return .leftOut(id: id)
        }
        guard let user = try record.user(id: id, now: now) else { return .leftOut(id: id) }
        return .user(user)
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
private struct Record {
    let values: [JSONValue?]
    let slots: Slots
    let node: JSONNode

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
                throw node.error("\(field.rawValue) is longer than \(FormatLimits.textBytes) bytes")
            }
            return text
        }
    }

    func date(_ field: UserField) -> Timestamp? {
        for place in slots[field] {
            if let text = values[place.slot]?.text, let date = Timestamp(directoryDate: text) { return date }
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

    /// Nil for what has neither a name nor an address.
    func user(id: String, now: () -> Timestamp) throws(FormatError) -> User? {
        let (given, family) = (try text(.given), try text(.family))
        let displayName = try text(.displayName)
        let username = try text(.username)
        let (emails, phones) = (contacts(.emails), contacts(.phones))
        let email =
            try text(.email) ?? (emails.first(where: \.isPrimary) ?? emails.first(kind: "work"))?.value
            ?? emails.first?.value
        guard given ?? family ?? displayName ?? username ?? email != nil else { return nil }
        let name =
            given == nil && family == nil
            ? User.Name(title: try text(.title), first: "", last: displayName ?? username ?? email ?? id)
            : User.Name(title: try text(.title), first: given ?? "", last: family ?? "")
        var user = User(id: id, username: username, name: name)
        user.displayName = displayName
        user.gender = try text(.gender)?.lowercased()
        user.email = email
        user.phone = try text(.phone) ?? phones.telephone
        user.cell = try text(.cell) ?? phones.first(where: \.isMobile)?.value
        user.emails = emails.all(besides: [email: nil])
        // Both may be nil, or the same.
        user.phones = phones.all(
            besides: Dictionary(
                [(user.phone, nil), (user.cell, "mobile")], uniquingKeysWith: { first, _ in first }))
        user.jobTitle = try text(.jobTitle)
        user.department = try text(.department)
        user.company = try text(.company)
        user.employeeNumber = try text(.employeeNumber)
        let manager = User.Manager(id: try text(.managerID), name: try text(.managerName))
        user.manager = manager.id ?? manager.name == nil ? nil : manager
        user.bornAt = date(.bornAt)
        user.age = user.bornAt.flatMap { $0.years(until: now()) }
        user.registeredAt = date(.registeredAt)
        user.updatedAt = date(.updatedAt)
        user.nationality = try text(.nationality)?.uppercased()
        user.address = User.Address(
            street: try text(.street), city: try text(.city), state: try text(.state),
            postcode: try text(.postcode), country: try text(.country))
        let picture = User.Picture(
            large: try text(.pictureLarge), medium: try text(.pictureMedium),
            thumbnail: try text(.pictureThumbnail))
        user.picture = picture.large ?? picture.medium ?? picture.thumbnail == nil ? nil : picture
        return user
    }
}
