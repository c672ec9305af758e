import Model
import StrictJSON

/// An upstream's values of a user, by field.
package protocol FieldValues {
    associatedtype Place: Sendable
    var places: FieldPlaces<Place> { get }
    func text(_ field: UserField) throws(FormatError) -> String?
    func date(_ field: UserField) -> Timestamp?
    /// All contacts, the primary ones first.
    func contacts(_ field: UserField) -> [FoundContact]
}

extension FieldValues {
    /// Nil if the record has neither a name nor an email address.
    package func user(id: String, now: () -> Timestamp) throws(FormatError) -> User? {
        func contact(_ field: UserField) throws(FormatError) -> String? {
            try text(field).map { FoundContact(value: $0).value }
        }
        let (given, family) = (try text(.given), try text(.family))
        let displayName = try text(.displayName)
        let username = try text(.username)
        // Google also gives each account an address in its test domain.
        let emails = contacts(.emails).filter { !$0.value.hasSuffix(".test-google-a.com") }
        let phones = contacts(.phones)
        let email =
            try contact(.email) ?? (emails.first(where: \.isPrimary) ?? emails.first(kind: "work"))?.value
            ?? emails.first?.value
        guard given ?? family ?? displayName ?? username ?? email != nil else { return nil }
        let name =
            given == nil && family == nil
            ? User.Name(first: "", last: displayName ?? username ?? email ?? id)
            : User.Name(first: given ?? "", last: family ?? "")
        var user = User(id: id, name: name)
        for field in places.fields where field != .emails && field != .phones { try set(field, of: &user) }
        // A number in place of a gender is a code of the server, and 0 is no employee's number.
        user.gender = user.gender.flatMap { Double($0) == nil ? $0.lowercased() : nil }
        if user.employeeNumber == "0" { user.employeeNumber = nil }
        user.nationality = user.nationality?.uppercased()
        user.email = email
        user.phone = try contact(.phone) ?? phones.telephone
        user.cell = try contact(.cell) ?? phones.first(where: \.isMobile)?.value
        user.emails = emails.all(besides: [email: nil])
        // `phone` and `cell` may both be nil, or the same.
        user.phones = phones.all(
            besides: Dictionary(
                [(user.phone, nil), (user.cell, "mobile")], uniquingKeysWith: { first, _ in first }))
        user.age =
            !places[.age].isEmpty
            ? try text(.age).flatMap { Int($0) }.flatMap { 0...1000 ~= $0 ? $0 : nil }
            : user.bornAt.flatMap { $0.years(until: now()) }
        return user
    }

    private func set(_ field: UserField, of user: inout User) throws(FormatError) {
        switch field.kind {
        case .required: break
        case .text(let path): user[keyPath: path] = try text(field)
        case .date(let path): user[keyPath: path] = date(field)
        case .count(let path): user[keyPath: path] = try text(field).flatMap { Int($0) }
        case .number(let path):
            user[keyPath: path] = try text(field).flatMap { Double($0) }.flatMap { $0.isFinite ? $0 : nil }
        case .contacts(let path): user[keyPath: path] = contacts(field).all(besides: [:])
        }
    }
}
