import Model
import StrictJSON

/// An upstream's values of a user, by field.
package protocol FieldValues {
    associatedtype Place: Sendable
    var places: FieldPlaces<Place> { get }
    /// Whether numbers for dates are always seconds, and birthdays have a time.
    var hasExactDates: Bool { get }
    /// Fields of which a text is left out because it is too long.
    var tooLong: [UserField] { get set }
    func text(at place: Place, of field: UserField) -> String?
    func contacts(at place: Place) -> [FoundContact]
}

extension FieldValues {
    package mutating func text(_ field: UserField) -> String? {
        for place in places[field] {
            if let text = text(at: place, of: field), takes(text, of: field) { return text }
        }
        return nil
    }

    /// Whether a text is short enough to be kept. An id has a limit of its own.
    private mutating func takes(_ text: String, of field: UserField) -> Bool {
        if text.utf8.count <= FormatLimits.textBytes || field == .id { return true }
        if !tooLong.contains(field) { tooLong.append(field) }
        return false
    }

    private func date(_ field: UserField) -> Timestamp? {
        for place in places[field] {
            if let text = text(at: place, of: field),
                let date = Timestamp(text, isDay: field.isDay, isExact: hasExactDates)
            {
                return date
            }
        }
        return nil
    }

    /// All contacts, the primary ones first.
    private mutating func contacts(_ field: UserField) -> [FoundContact] {
        let all = places[field].flatMap { contacts(at: $0) }.filter { takes($0.value, of: field) }
        return Array((all.filter(\.isPrimary) + all.filter { !$0.isPrimary }).prefix(64))
    }

    /// Nil if the record has neither a name nor an email address.
    /// - Parameter needsName: whether it has to have one.
    package mutating func user(id: String, needsName: Bool = true, now: () -> Timestamp) -> User? {
        func contact(_ field: UserField) -> String? {
            text(field).map { FoundContact(value: $0).value }
        }
        let (given, family) = (text(.given), text(.family))
        let displayName = text(.displayName)
        let username = text(.username)
        // Google also gives each account an address in its test domain.
        let emails = contacts(.emails).filter { !$0.value.hasSuffix(".test-google-a.com") }
        let phones = contacts(.phones)
        let email =
            contact(.email) ?? (emails.first(where: \.isPrimary) ?? emails.first(kind: "work"))?.value
            ?? emails.first?.value
        guard !needsName || given ?? family ?? displayName ?? username ?? email != nil else { return nil }
        let name =
            given == nil && family == nil
            ? User.Name(first: "", last: displayName ?? username ?? email ?? id)
            : User.Name(first: given ?? "", last: family ?? "")
        var user = User(id: id, name: name)
        for field in places.fields where field != .emails && field != .phones { set(field, of: &user) }
        // A number in place of a gender is a code of the server, and 0 is no employee's number.
        user.gender = user.gender.flatMap { Double($0) == nil ? $0.lowercased() : nil }
        if user.employeeNumber == "0" { user.employeeNumber = nil }
        user.nationality = user.nationality?.uppercased()
        user.email = email
        user.phone = contact(.phone) ?? phones.telephone
        user.cell = contact(.cell) ?? phones.first(where: \.isMobile)?.value
        user.emails = emails.all(besides: [email: nil])
        // `phone` and `cell` may both be nil, or the same.
        user.phones = phones.all(
            besides: Dictionary(
                [(user.phone, nil), (user.cell, "mobile")], uniquingKeysWith: { first, _ in first }))
        user.age =
            !places[.age].isEmpty
            ? text(.age).flatMap { Int($0) }.flatMap { 0...1000 ~= $0 ? $0 : nil }
            : user.bornAt.flatMap { $0.years(until: now()) }
        return user
    }

    private mutating func set(_ field: UserField, of user: inout User) {
        switch field.kind {
        case .required: break
        case .text(let path): user[keyPath: path] = text(field)
        case .date(let path): user[keyPath: path] = date(field)
        case .count(let path): user[keyPath: path] = text(field).flatMap { Int($0) }
        case .number(let path):
            user[keyPath: path] = text(field).flatMap { Double($0) }.flatMap { $0.isFinite ? $0 : nil }
        case .contacts(let path): user[keyPath: path] = contacts(field).all(besides: [:])
        }
    }
}
