import MessageText

/// A field of a user as people and scripts name it: a column of tables and CSV, in --columns, --field and config.yaml's
/// `columns`. All of these, and the completion of shells, follow from `all`.
package struct UserColumn: Sendable {
    /// The name in CSV: that of the member of `User` in io.userd, with the outer member's before it.
    package let key: String
    /// The title in tables.
    package let title: String
    /// Shorter names, and those of `users.fields`.
    package let aliases: [String]
    /// The member's path in JSON, such as `name.first`; nil unless it is within another member.
    package let path: String?
    /// The columns of CSV: itself, or those that it combines.
    package let csv: [String]

    private init(
        _ key: String, _ title: String, or aliases: String..., within member: String? = nil,
        combines csv: [String]? = nil
    ) {
        (self.key, self.title, self.aliases, self.csv) = (key, title, aliases, csv ?? [key])
        path = member.map { "\($0).\(key.dropFirst($0.count + 1))" }
    }

    /// `Last, First`
    package static let name = UserColumn(
        "name", "Name", combines: ["name_title", "name_first", "name_last"])
    package static let (id, username) = (UserColumn("id", "ID"), UserColumn("username", "Username"))
    package static let displayName = UserColumn("display_name", "Display name")
    package static let email = UserColumn("email", "Email")
    package static let emails = UserColumn("emails", "Emails")
    package static let phone = UserColumn("phone", "Phone")
    package static let cell = UserColumn("cell", "Cell")
    package static let phones = UserColumn("phones", "Phones")
    /// The manager's name, else the id.
    package static let manager = UserColumn("manager", "Manager", combines: ["manager_id", "manager_name"])
    package static let born = UserColumn("born_at", "Born", or: "born")
    package static let age = UserColumn("age", "Age")
    package static let registered = UserColumn("registered_at", "Registered", or: "registered")
    package static let updated = UserColumn("updated_at", "Updated", or: "updated")
    package static let nationality = UserColumn("nationality", "Nat")
    package static let latitude = UserColumn(
        "address_latitude", "Latitude", or: "latitude", within: "address")
    package static let longitude = UserColumn(
        "address_longitude", "Longitude", or: "longitude", within: "address")
    package static let street = UserColumn("address_street", "Street", or: "street", within: "address")
    package static let city = UserColumn("address_city", "City", or: "city", within: "address")
    package static let country = UserColumn("address_country", "Country", or: "country", within: "address")

    private static let work = WorkField.all.map { UserColumn($0.name, $0.title) }
    package static let (jobTitle, department) = (work[0], work[1])

    /// All columns: those of CSV in its order, each combined one before its parts.
    package static let all: [UserColumn] =
        [
            id, username, name,
            UserColumn("name_title", "Title", or: "title", within: "name"),
            UserColumn("name_first", "First name", or: "first_name", "given", within: "name"),
            UserColumn("name_last", "Last name", or: "last_name", "family", within: "name"),
            displayName, UserColumn("gender", "Gender"), email, emails, phone, cell, phones,
        ] + work + [
            manager,
            UserColumn("manager_id", "Manager ID", within: "manager"),
            UserColumn("manager_name", "Manager name", within: "manager"),
            born, age, registered, updated, nationality, street, city,
            UserColumn("address_state", "State", or: "state", within: "address"),
            UserColumn("address_postcode", "Postcode", or: "postcode", within: "address"),
            country, latitude, longitude,
            UserColumn("address_utc_offset", "UTC offset", or: "utc_offset", within: "address"),
            UserColumn("picture_large", "Large picture", within: "picture"),
            UserColumn("picture_medium", "Medium picture", within: "picture"),
            UserColumn("picture_thumbnail", "Thumbnail", within: "picture"),
        ]

    /// The columns of a table that names none. Those that are empty for everyone in it are left out.
    package static let usual =
        [name, email, phone, jobTitle, department, city, nationality, age]
}

extension UserColumn: Hashable {
    package static func == (a: Self, b: Self) -> Bool { a.key == b.key }

    package func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

extension UserColumn {
    /// Every accepted name.
    package var names: [String] { [key] + aliases + [path].compactMap(\.self) }

    private static let named = Dictionary(
        uniqueKeysWithValues: all.flatMap { column in column.names.map { ($0, column) } })

    /// Nil if no column has this name.
    package init?(named name: String) {
        guard let column = Self.named[name.lowercased()] else { return nil }
        self = column
    }

    /// The columns of `name,email,…`.
    package static func list(_ text: String) throws(UnknownColumn) -> [UserColumn] {
        var columns: [UserColumn] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let name = String(part.filter { $0 != " " })
            guard let column = UserColumn(named: name) else { throw UnknownColumn(name: name) }
            columns.append(column)
        }
        return columns
    }

    package static func keys(_ columns: [UserColumn]) -> String {
        columns.map(\.key).joined(separator: ",")
    }
}

/// A name that no column has.
package struct UnknownColumn: Error, Equatable {
    package let name: String

    /// `did you mean email?`; empty if no name is near.
    package var suggestion: String {
        String(didYouMean(name, among: UserColumn.all.flatMap { [$0.key] + $0.aliases }).dropFirst(2))
    }
}
