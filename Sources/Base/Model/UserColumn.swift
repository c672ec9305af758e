/// A field of a user as people and scripts name it: a column of tables and CSV, in --columns, --field and config.yaml's
/// `columns`. All of these, and the completion of shells, follow from `all`.
package struct UserColumn: Sendable {
    /// The name in CSV: that of the member of `User` in io.userd, with the outer member's before it.
    package let key: String
    package let title: String
    /// Shorter names, and those of `users.fields`. `title` is the job title here, as in filters and orders.
    package let aliases: [String]
    /// The field, or those that the column combines, each of which is a column of CSV.
    package let fields: [UserField]
    /// The fields that the column's text is made of.
    package var sources: [UserField] { self == .name ? fields + [.displayName] : fields }

    package init(_ field: UserField) {
        (key, title, fields) = (field.path.replacing(".", with: "_"), field.title, [field])
        let name = field.name == key || field == .title ? nil : field.name
        aliases = [field.alias, name].compactMap(\.self)
    }

    private init(_ key: String, _ title: String, combining fields: [UserField]) {
        (self.key, self.title, self.fields, aliases) = (key, title, fields, [])
    }

    /// The member's path in JSON, such as `name.first`; nil unless it is within another member.
    package var path: String? { fields.count == 1 && fields[0].object != nil ? fields[0].path : nil }

    /// `Last, First`
    package static let name = UserColumn("name", "Name", combining: [.title, .given, .family])
    /// The manager's name, else the id.
    package static let manager = UserColumn("manager", "Manager", combining: [.managerID, .managerName])
    /// `Zoë Quartermaine <zoe@example.org>`, for the fields of letters.
    package static let mailbox = UserColumn(
        "mailbox", "Mailbox", combining: [.email, .displayName, .given, .family])
    package static let (id, username, email) = (UserColumn(.id), UserColumn(.username), UserColumn(.email))
    package static let (phone, jobTitle) = (UserColumn(.phone), UserColumn(.jobTitle))
    package static let (department, city) = (UserColumn(.department), UserColumn(.city))
    package static let (country, nationality) = (UserColumn(.country), UserColumn(.nationality))
    package static let (age, registered) = (UserColumn(.age), UserColumn(.registeredAt))
    package static let kind = UserColumn(.kind)

    /// All columns: those of CSV in its order, each combined one before its parts.
    package static let all = all(of: UserField.all)

    package static func all(of fields: [UserField]) -> [UserColumn] {
        fields.flatMap { field in
            [name, manager, mailbox].filter { $0.fields.first == field } + [UserColumn(field)]
        }
    }

    /// The columns of a table that names none. Those that are empty for everyone in it are left out.
    package static let usual =
        [name, email, phone, jobTitle, department, city, nationality, age]
    /// The same in a table that has not only persons.
    package static let usualWithKind: [UserColumn] = [name, kind] + usual.dropFirst()
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

package struct UnknownColumn: Error, Equatable {
    package let name: String

    /// `did you mean email?`; empty if no name is near.
    package var suggestion: String {
        String(didYouMean(name, among: UserColumn.all.flatMap { [$0.key] + $0.aliases }).dropFirst(2))
    }
}
