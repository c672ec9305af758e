import Model
import StrictJSON
import Upstream

/// Makes users of a directory's entries.
package struct EntryReader: Sendable {
    package enum Result: Sendable, Equatable {
        /// - Parameter manager: the DN of the manager, who may be another user.
        /// - Parameter tooLong: fields of which a text is left out.
        case user(User, manager: String?, tooLong: [UserField] = [])
        /// Left out by a condition of the format, or because it has neither a name nor an email address.
        /// - Parameter isElsewhere: whether it is a person outside of the base, which is searched for other kinds.
        case leftOut(id: String, isNameless: Bool = false, isElsewhere: Bool = false)
        /// Left out because it can't be told apart from others; the reason is for people.
        case unidentified(String)
    }

    fileprivate typealias Attribute = (attribute: String, kind: String?)
    private typealias Condition = (attribute: String, condition: DirectoryFormat.Condition)

    private let format: DirectoryFormat
    private let now: @Sendable () -> Timestamp
    private let places: FieldPlaces<Attribute>
    private let conditions: [Condition]
    /// The conditions on rooms and shared mailboxes.
    private let conditionsOfOthers: [Condition]
    /// The part of the directory that persons are in; nil for all that is read.
    private let people: (base: DistinguishedName, scope: LDAPAddress.Scope)?
    /// Attributes of the large picture, the medium one and the thumbnail.
    private let pictures: [[String]]

    /// Attributes to request, except pictures.
    package let attributes: [String]
    /// Attributes that hold pictures.
    package let photos: [String]
    /// Attributes that hold the id.
    package let ids: [String]
    /// Attributes that identify an entry, or say whether it is left out.
    package let identity: [String]

    private static let pictures = UserField.all.filter { $0.object == "picture" }
    private static let names: [UserField] = [.id, .displayName, .given, .family, .username, .kind]

    /// - Parameters:
    ///   - address: where persons are, if further kinds are listed, which may be elsewhere.
    ///   - now: for users' ages.
    package init(
        _ format: DirectoryFormat, within address: LDAPAddress? = nil,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.format = format
        self.now = now
        people = (format.hasOtherKinds ? address : nil).map { (DistinguishedName($0.base), $0.scope) }
        func attributes(_ fields: some Sequence<UserField>) -> [String] {
            var seen: Set<String> = []
            return fields.flatMap { format.fields[$0.name]?.places ?? [] }.map(\.pointer.description)
                .filter { seen.insert($0.asciiLowercased).inserted }
        }
        func withConditions(_ read: [String]) -> [String] {
            var names = Set(read.map(\.asciiLowercased))
            let kinds = format.hasOtherKinds ? EntryKind.attributes : []
            let others = format.skip.map(\.pointer.description) + kinds
            return read + others.filter { names.insert($0.asciiLowercased).inserted }
        }
        photos = attributes(Self.pictures.reversed())
        pictures = Self.pictures.map { attributes([$0]) }
        ids = attributes([.id])
        identity = withConditions(attributes(Self.names))
        // Pictures are bytes, and are fetched one by one.
        let others = UserField.all.filter { !Self.pictures.contains($0) }
        self.attributes = withConditions(attributes(others))
        places = FieldPlaces(format, others) { ($1.pointer.description.asciiLowercased, $1.kind) }
        conditions = format.skip.map { ($0.pointer.description.asciiLowercased, $0) }
        conditionsOfOthers = conditions.compactMap { attribute, condition in
            EntryKind.withoutAccounts(condition, on: attribute).map { (attribute: attribute, condition: $0) }
        }
    }

    /// - Parameter address: the address for a photo in one of these attributes of the entry; nil for no
    ///   photo.
    package func read(
        _ entry: DirectoryEntry,
        photo address: (_ attributes: [String], _ version: Timestamp?) -> String? = { _, _ in nil }
    ) -> Result {
        var values = EntryValues(entry: entry, places: places)
        let id = values.text(.id)
        let kind = kind(of: entry, &values)
        guard let kind, kind != .person || !isElsewhere(entry) else {
            return .leftOut(id: id ?? entry.dn, isElsewhere: kind != nil)
        }
        guard let id else {
            let names = (format.fields["id"]?.places ?? []).map(\.pointer.description)
            return .unidentified(
                "\(entry.dn.shown(upTo: 200)): no \(names.joined(separator: " or ")); userd may lack access to it"
            )
        }
        guard id.utf8.count <= FormatLimits.idBytes else {
            return .unidentified(
                "\(entry.dn.shown(upTo: 200)): an id longer than \(FormatLimits.idBytes) bytes")
        }
        guard var user = values.user(id: id, now: now) else {
            return .leftOut(id: id, isNameless: true)
        }
        user.kind = kind == .person ? nil : kind
        if let name = user.displayName, [.group, .room, .mailbox].contains(kind) {
            user.name = User.Name(first: "", last: name)
        }
        let photos = pictures.map { $0.isEmpty || kind == .group ? nil : address($0, user.updatedAt) }
        user.pictureParts = User.Picture(large: photos[0], medium: photos[1], thumbnail: photos[2])
        guard let manager = user.manager?.id, manager.contains("=") else {
            return .user(user, manager: nil, tooLong: values.tooLong)
        }
        user.manager = User.Manager(name: user.manager?.name ?? DistinguishedName.name(in: manager))
        return .user(user, manager: manager, tooLong: values.tooLong)
    }

    /// Nil if the entry has none, or one that is too long.
    package func id(of entry: DirectoryEntry) -> String? {
        var values = EntryValues(entry: entry, places: places)
        return values.text(.id).flatMap { $0.utf8.count <= FormatLimits.idBytes ? $0 : nil }
    }

    /// The number of attributes for ids up to the first that the entry has.
    func idAttributes(of entry: DirectoryEntry) -> Int {
        ids.firstIndex { !entry.values($0.asciiLowercased).isEmpty }.map { $0 + 1 } ?? ids.count
    }

    package func note(_ entry: DirectoryEntry, in shape: inout ListShape?) {
        shape?.add(places.fields) { field in
            places[field].flatMap { entry.texts($0.attribute) }.map { ("string", $0.utf8.count) }
        }
    }

    /// The kind that an attribute of the settings tells, else that of the directory; nil if the entry is left out.
    private func kind(of entry: DirectoryEntry, _ values: inout EntryValues) -> UserKind? {
        let own = format.hasOtherKinds ? EntryKind.kind(of: entry) : .person
        let word = values.text(.kind)
        // An attribute often has other words, too.
        let kind = word.flatMap { format.kind($0) } ?? own
        // What only the filters of other kinds find is no person.
        guard format.kinds.contains(kind), kind != .person || own == .person else { return nil }
        let conditions = [.room, .mailbox].contains(kind) ? conditionsOfOthers : conditions
        let isLeftOut = conditions.contains { $0.condition.holds(for: entry.texts($0.attribute), now: now) }
        return isLeftOut ? nil : kind
    }

    private func isElsewhere(_ entry: DirectoryEntry) -> Bool {
        people.map { !DistinguishedName(entry.dn).isWithin($0.base, $0.scope) } ?? false
    }

    /// Reads a manager's entry. The manager has no id if the entry is left out; nil if the entry can't be
    /// read as a user.
    package func manager(_ entry: DirectoryEntry) -> User.Manager? {
        var values = EntryValues(entry: entry, places: places)
        guard let id = values.text(.id), let user = values.user(id: id, now: now) else {
            return nil
        }
        let name =
            user.displayName
            ?? [user.name.first, user.name.last].filter { !$0.isEmpty }.joined(separator: " ")
        let kind = kind(of: entry, &values)
        let isListed = kind.map { $0 != .person || !isElsewhere(entry) } ?? false
        return User.Manager(id: isListed ? id : nil, name: name)
    }
}

private struct EntryValues: FieldValues {
    let entry: DirectoryEntry
    let places: FieldPlaces<EntryReader.Attribute>
    let hasExactDates = false
    var tooLong: [UserField] = []

    func text(at place: EntryReader.Attribute, of field: UserField) -> String? { entry.text(place.attribute) }

    func contacts(at place: EntryReader.Attribute) -> [FoundContact] {
        entry.texts(place.attribute).map { FoundContact(value: $0, kind: place.kind) }
    }
}

extension DirectoryFormat.Condition {
    fileprivate func holds(for texts: [String], now: () -> Timestamp) -> Bool {
        texts.isEmpty ? holdsForNothing : texts.contains { holds(for: $0, now: now) }
    }
}
