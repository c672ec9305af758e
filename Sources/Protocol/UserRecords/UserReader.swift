import Model
import StrictJSON

/// Reads users from the protocol's JSON, several times faster than decoding.
package enum UserReader {
    package static let fields = FieldReader(columns)

    /// All members of a record, in the protocol's order.
    package static let columns = UserColumn.all.filter { $0.csv == [$0.key] }.map(\.key)

    /// Nil if it is not a user's record.
    package static func user(stored record: [UInt8]) -> User? {
        user(fields.read(JSONValue(trusting: record)))
    }

    /// Nil if a member is missing or has another type.
    /// - Parameter record: from `fields`.
    package static func user(_ record: FieldRecord) -> User? {
        var field = 0
        var isValid = true
        func value<Value>(_ read: (JSONValue) -> Value?) -> Value? {
            defer { field += 1 }
            guard let raw = record[field] else { return nil }
            let value = read(raw)
            if value == nil { isValid = false }
            return value
        }
        func text() -> String? { value(\.string) }
        func time() -> Timestamp? { value { $0.string.flatMap(Timestamp.init(rfc3339:)) } }
        func number() -> Double? { value(\.double) }
        func contacts() -> [User.Contact]? { value(\.contacts) }

        // In the order of the columns.
        let id = text()
        let username = text()
        let (title, first, last) = (text(), text(), text())
        let (displayName, gender, email) = (text(), text(), text())
        let emails = contacts()
        let (phone, cell) = (text(), text())
        let phones = contacts()
        let work = WorkField.all.map { _ in text() }
        let (managerID, managerName) = (text(), text())
        let bornAt = time()
        let age = value { $0.int.flatMap { Int(exactly: $0) } }
        let (registeredAt, updatedAt, nationality) = (time(), time(), text())
        let (street, city, state, postcode, country) = (text(), text(), text(), text(), text())
        let (latitude, longitude, offset) = (number(), number(), text())
        let (large, medium, thumbnail) = (text(), text(), text())
        guard isValid, let id, let first, let last else { return nil }
        return User(id: id, name: User.Name(title: title, first: first, last: last)) { user in
            (user.username, user.displayName, user.gender) = (username, displayName, gender)
            (user.email, user.emails) = (email, emails)
            (user.phone, user.cell, user.phones) = (phone, cell, phones)
            for (field, text) in zip(WorkField.all, work) { user[keyPath: field.path] = text }
            if managerID != nil || managerName != nil {
                user.manager = User.Manager(id: managerID, name: managerName)
            }
            (user.bornAt, user.age, user.registeredAt) = (bornAt, age, registeredAt)
            (user.updatedAt, user.nationality) = (updatedAt, nationality)
            user.address = User.Address(
                street: street, city: city, state: state, postcode: postcode, country: country,
                latitude: latitude, longitude: longitude, utcOffset: offset)
            if [large, medium, thumbnail].contains(where: { $0 != nil }) {
                user.picture = User.Picture(large: large, medium: medium, thumbnail: thumbnail)
            }
        }
    }
}
