import Model
import StrictJSON

/// An upstream's values of a user, by field.
package protocol FieldValues {
    func text(_ field: UserField) throws(FormatError) -> String?
    func date(_ field: UserField) -> Timestamp?
    /// All contacts, the primary ones first.
    func contacts(_ field: UserField) -> [FoundContact]
    /// Whether the format has a pointer to the age.
    var hasAge: Bool { get }
}

extension FieldValues {
    /// Nil if the record has neither a name nor an email address.
    package func user(id: String, now: () -> Timestamp) throws(FormatError) -> User? {
        let (given, family) = (try text(.given), try text(.family))
        let displayName = try text(.displayName)
        let username = try text(.username)
        // Google also gives each account an address in its test domain.
        let emails = contacts(.emails).filter { !$0.value.hasSuffix(".test-google-a.com") }
        let phones = contacts(.phones)
        let email =
            try text(.email) ?? (emails.first(where: \.isPrimary) ?? emails.first(kind: "work"))?.value
            ?? emails.first?.value
        guard given ?? family ?? displayName ?? username ?? email != nil else { return nil }
        let name =
            given == nil && family == nil
            ? User.Name(title: try text(.title), first: "", last: displayName ?? username ?? email ?? id)
            : User.Name(title: try text(.title), first: given ?? "", last: family ?? "")
        var user = User(id: id, name: name)
        user.username = username
        user.displayName = displayName
        user.gender = try text(.gender)?.lowercased()
        user.email = email
        user.phone = try text(.phone) ?? phones.telephone
        user.cell = try text(.cell) ?? phones.first(where: \.isMobile)?.value
        user.emails = emails.all(besides: [email: nil])
        // `phone` and `cell` may both be nil, or the same.
        user.phones = phones.all(
            besides: Dictionary(
                [(user.phone, nil), (user.cell, "mobile")], uniquingKeysWith: { first, _ in first }))
        for work in WorkField.all { user[keyPath: work.path] = try text(work.field) }
        let manager = User.Manager(id: try text(.managerID), name: try text(.managerName))
        user.manager = manager.id ?? manager.name == nil ? nil : manager
        user.bornAt = date(.bornAt)
        user.age =
            hasAge
            ? try text(.age).flatMap { Int($0) }.flatMap { 0...1000 ~= $0 ? $0 : nil }
            : user.bornAt.flatMap { $0.years(until: now()) }
        user.registeredAt = date(.registeredAt)
        user.updatedAt = date(.updatedAt)
        user.nationality = try text(.nationality)?.uppercased()
        user.address = User.Address(
            street: try text(.street), city: try text(.city), state: try text(.state),
            postcode: try text(.postcode), country: try text(.country),
            latitude: try degrees(.latitude), longitude: try degrees(.longitude),
            utcOffset: try text(.utcOffset))
        let picture = User.Picture(
            large: try text(.pictureLarge), medium: try text(.pictureMedium),
            thumbnail: try text(.pictureThumbnail))
        user.picture = picture.large ?? picture.medium ?? picture.thumbnail == nil ? nil : picture
        return user
    }

    private func degrees(_ field: UserField) throws(FormatError) -> Double? {
        try text(field).flatMap { Double($0) }.flatMap { $0.isFinite ? $0 : nil }
    }
}
