extension UserField {
    /// The names in `users.omit`, each with the fields that it leaves out: fields alone, then groups.
    package static let omittable: [(name: String, fields: Set<UserField>)] =
        allCases.filter { !isNeeded($0) }.map { ($0.rawValue, $0.withLists) } + [
            ("manager", [.managerID, .managerName]),
            (
                "address",
                [.street, .city, .state, .postcode, .country, .latitude, .longitude, .utcOffset]
            ),
            ("picture", [.pictureThumbnail, .pictureMedium, .pictureLarge]),
        ]

    /// The names of what every user needs, so that they can't be left out.
    package static let needed = ["id", "name", "given", "family"]

    private static func isNeeded(_ field: UserField) -> Bool { needed.contains(field.rawValue) }

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
    /// The user without these fields, of which the id and the names `given` and `family` stay.
    package func omitting(_ fields: Set<UserField>) -> User {
        guard !fields.isEmpty else { return self }
        var user = self
        for field in fields { user.clear(field) }
        if user.manager == Manager() { user.manager = nil }
        if user.picture == Picture() { user.picture = nil }
        return user
    }

    private mutating func clear(_ field: UserField) {
        switch field {
        case .id, .given, .family: break
        case .username: username = nil
        case .title: name.title = nil
        case .displayName: displayName = nil
        case .gender: gender = nil
        case .email: email = nil
        case .emails: emails = nil
        case .phone: phone = nil
        case .cell: cell = nil
        case .phones: phones = nil
        case .managerID: manager?.id = nil
        case .managerName: manager?.name = nil
        case .bornAt: bornAt = nil
        case .age: age = nil
        case .registeredAt: registeredAt = nil
        case .updatedAt: updatedAt = nil
        case .nationality: nationality = nil
        case .street: address.street = nil
        case .city: address.city = nil
        case .state: address.state = nil
        case .postcode: address.postcode = nil
        case .country: address.country = nil
        case .latitude: address.latitude = nil
        case .longitude: address.longitude = nil
        case .utcOffset: address.utcOffset = nil
        case .pictureThumbnail: picture?.thumbnail = nil
        case .pictureMedium: picture?.medium = nil
        case .pictureLarge: picture?.large = nil
        default: for work in WorkField.all where work.field == field { self[keyPath: work.path] = nil }
        }
    }
}
