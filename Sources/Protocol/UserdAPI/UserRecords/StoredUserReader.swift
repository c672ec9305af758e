import Model
import StrictJSON

/// Reads users from the protocol's JSON, several times faster than decoding.
package struct StoredUserReader: Sendable {
    /// Sets a field; false if the value has another type.
    private typealias Setter = @Sendable (JSONValue, inout User) -> Bool

    /// Reads all members of a record.
    package let members: FieldReader
    private let setters: [(set: Setter, isRequired: Bool)]

    package static let standard = StoredUserReader(UserField.all)

    package init(_ fields: [UserField]) {
        members = FieldReader(fields.map(\.path))
        setters = fields.map { (Self.setter(of: $0), $0.isRequired) }
    }

    private static func setter(of field: UserField) -> Setter {
        func setter<Value>(
            _ path: any UserField.Path<Value?>, _ read: @escaping @Sendable (JSONValue) -> Value?
        ) -> Setter {
            { json, user in
                let value = read(json)
                user[keyPath: path] = value
                return value != nil
            }
        }
        return switch field.kind {
        case .required(let path):
            { json, user in json.string.map { user[keyPath: path] = $0 } != nil }
        case .text(let path): setter(path) { $0.string }
        case .date(let path): setter(path) { $0.string.flatMap { Timestamp(rfc3339: $0) } }
        case .count(let path): setter(path) { $0.int.flatMap { Int(exactly: $0) } }
        case .number(let path): setter(path) { $0.double }
        case .contacts(let path): setter(path) { $0.contacts }
        }
    }

    /// Nil if it is not a user's record.
    package func user(stored record: [UInt8]) -> User? { user(members.read(JSONValue(trusting: record))) }

    /// Nil if a member is missing or has another type.
    /// - Parameter record: from `members`.
    package func user(_ record: FieldRecord) -> User? {
        var user = User(id: "", name: User.Name(first: "", last: ""))
        for field in record.fields {
            if let value = record[field] {
                guard setters[field].set(value, &user) else { return nil }
            } else if setters[field].isRequired {
                return nil
            }
        }
        return user
    }
}
