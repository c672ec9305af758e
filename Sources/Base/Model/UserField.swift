/// A field that userd keeps of a user. Records, formats, the search, columns, `show`, CSV and `users.omit` loop over the
/// table of all, which is in `User.swift`. See "How to add something" in Architecture.md.
package final class UserField: Sendable {
    package typealias Path<Value> = WritableKeyPath<User, Value> & Sendable

    package enum Kind: Sendable {
        /// A text that every user has.
        case required(any Path<String>)
        case text(any Path<String?>)
        case date(any Path<Timestamp?>)
        case count(any Path<Int?>)
        case number(any Path<Double?>)
        case contacts(any Path<[User.Contact]?>)
    }

    /// The name in `users.fields`.
    package let name: String
    /// The title in tables and `show`.
    package let title: String
    /// A shorter name of its column.
    package let alias: String?
    package let kind: Kind
    /// The member of the record around the value; nil if the value is a member itself.
    package let object: String?
    /// The path in the record, such as `name.first`.
    package let path: String
    /// Whether a date is the day as written, in any time zone.
    package let isDay: Bool
    /// Whether a search finds its words. Names, addresses and telephone numbers are searched in ways of their own.
    package let isSearched: Bool

    /// - Parameter member: the name in the record; nil for the field's, without that of the object.
    package init(
        _ name: String, _ title: String, or alias: String? = nil, _ kind: Kind, in object: String? = nil,
        as member: String? = nil, isDay: Bool = false, isSearched: Bool = false
    ) {
        (self.name, self.title, self.alias, self.kind, self.object) = (name, title, alias, kind, object)
        let prefix = object.map { $0 + "_" } ?? ""
        let member = member ?? String(name.hasPrefix(prefix) ? name.dropFirst(prefix.count) : name[...])
        path = object.map { "\($0).\(member)" } ?? member
        (self.isDay, self.isSearched) = (isDay, isSearched)
    }

    package var isRequired: Bool { if case .required = kind { true } else { false } }
    /// Whether `users.omit` may leave it out: a group without its kind would be a person.
    package var isOmittable: Bool { !isRequired && self != .kind }
    package var isDate: Bool { if case .date = kind { true } else { false } }
    package var isList: Bool { if case .contacts = kind { true } else { false } }

    package var isNumber: Bool {
        switch kind {
        case .count, .number: true
        case .required, .text, .date, .contacts: false
        }
    }

    /// The value for people; of a date, the day.
    package func text(of user: inout User) -> String? {
        switch kind {
        case .required(let path): user.value(at: path)
        case .text(let path): user.value(at: path)
        case .date(let path): user.value(at: path)?.date
        case .count(let path): user.value(at: path).map { "\($0)" }
        case .number(let path): user.value(at: path).map { "\($0)" }
        case .contacts(let path): user.value(at: path)?.map(\.text).joined(separator: "; ")
        }
    }

    fileprivate func copy(from other: inout User, to user: inout User) {
        switch kind {
        case .required(let path): user[keyPath: path] = other.value(at: path)
        case .text(let path): user[keyPath: path] = other.value(at: path)
        case .date(let path): user[keyPath: path] = other.value(at: path)
        case .count(let path): user[keyPath: path] = other.value(at: path)
        case .number(let path): user[keyPath: path] = other.value(at: path)
        case .contacts(let path): user[keyPath: path] = other.value(at: path)
        }
    }

    fileprivate func clear(_ user: inout User) {
        switch kind {
        case .required: break
        case .text(let path): user[keyPath: path] = nil
        case .date(let path): user[keyPath: path] = nil
        case .count(let path): user[keyPath: path] = nil
        case .number(let path): user[keyPath: path] = nil
        case .contacts(let path): user[keyPath: path] = nil
        }
    }
}

extension User {
    /// Reads in place: `user[keyPath: path]` copies the whole user first, which takes five times as long.
    package mutating func value<Value>(at path: WritableKeyPath<User, Value>) -> Value {
        func read(_ value: inout Value) -> Value { value }
        return read(&self[keyPath: path])
    }
}

extension UserField: Hashable {
    package static func == (a: UserField, b: UserField) -> Bool { a === b }

    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension UserField {
    /// Records of people have at least one of these.
    package static let identifying: Set = [given, family, displayName, username, email, emails]

    /// The names in `users.omit`, each with the fields that it leaves out.
    package static let omittable = omittable(of: all)

    /// - Returns: fields alone, then groups.
    package static func omittable(of fields: [UserField]) -> [(name: String, fields: Set<UserField>)] {
        let groups = ["manager", "address", "picture"].map { (group: String) in
            (name: group, fields: Set(fields.filter { $0.object == group }))
        }
        return fields.filter(\.isOmittable).map { ($0.name, $0.withLists) } + groups
    }

    /// The names of what every user needs, so that they can't be left out.
    package static let needed = ["name"] + all.filter { !$0.isOmittable }.map(\.name)

    /// The field, and the list that would still hold its value.
    private var withLists: Set<UserField> {
        switch self {
        case .email: [.email, .emails]
        case .phone: [.phone, .phones]
        case .cell: [.cell, .phones]
        default: [self]
        }
    }
}

extension User {
    /// Takes over the values of these fields; the id stays.
    package mutating func take(_ fields: [UserField], from other: User) {
        var other = other
        for field in fields { field.copy(from: &other, to: &self) }
    }

    /// The user without these fields, of which the id and the names `given` and `family` stay.
    package func omitting(_ fields: Set<UserField>) -> User {
        guard !fields.isEmpty else { return self }
        var user = self
        for field in fields { field.clear(&user) }
        return user
    }
}
