import CommandSupport
import Model
import StrictJSON

/// Reads users from the protocol's JSON, in a fraction of the time that decoding takes.
package enum UserReader {
    package static let fields = FieldReader(CSVColumns.user)

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
        let (jobTitle, department, company, employeeNumber) = (text(), text(), text(), text())
        let (managerID, managerName) = (text(), text())
        let bornAt = time()
        let age = value { $0.int.flatMap { Int(exactly: $0) } }
        let (registeredAt, updatedAt, nationality) = (time(), time(), text())
        let (street, city, state, postcode, country) = (text(), text(), text(), text(), text())
        let (latitude, longitude, offset) = (number(), number(), text())
        let (large, medium, thumbnail) = (text(), text(), text())
        guard isValid, let id, let first, let last else { return nil }
        return User(
            id: id, username: username, name: User.Name(title: title, first: first, last: last),
            displayName: displayName, gender: gender, email: email, emails: emails, phone: phone,
            cell: cell,
            phones: phones, jobTitle: jobTitle, department: department, company: company,
            employeeNumber: employeeNumber,
            manager: managerID == nil && managerName == nil
                ? nil : User.Manager(id: managerID, name: managerName),
            bornAt: bornAt, age: age, registeredAt: registeredAt, updatedAt: updatedAt,
            nationality: nationality,
            address: User.Address(
                street: street, city: city, state: state, postcode: postcode, country: country,
                latitude: latitude, longitude: longitude, utcOffset: offset),
            picture: [large, medium, thumbnail].allSatisfy { $0 == nil }
                ? nil : User.Picture(large: large, medium: medium, thumbnail: thumbnail))
    }
}
