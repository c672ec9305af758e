/// The shape of upstream's last list of users, for bug reports: numbers and kinds, and nothing that records hold.
package struct ListShape: Hashable, Sendable, Codable {
    package struct Page: Hashable, Sendable, Codable {
        package var number: Int
        /// Nil over LDAP, and if no answer came.
        package var status: Int?
        package var bytes: Int?
        package var records = 0
        /// Number of users with the id of another one on the page.
        package var duplicates = 0
        /// Number of records that are not cached.
        package var leftOut = 0
        /// The reason that the list ends with the page, that it was not read again, or the kind of a failure.
        package var end: String?

        package init(_ number: Int) { self.number = number }

        enum CodingKeys: String, CodingKey {
            case number, status, bytes, records, duplicates, end
            case leftOut = "left_out"
        }
    }

    package struct Field: Hashable, Sendable, Codable {
        /// Number of records with a value.
        package var found = 0
        /// Number of values of each kind of JSON; over LDAP, all are strings.
        package var kinds: [String: Int] = [:]
        /// Bytes of the shortest and the longest text; nil without a text.
        package var shortest: Int?
        package var longest: Int?
    }

    /// The first and the last pages.
    package var pages: [Page] = []
    /// Number of records of the first page that the fields were counted in.
    package var surveyed = 0
    package var fields: [String: Field] = [:]

    package init() {}

    /// Counts the fields of a record, if it is one of the first thousand.
    /// - Parameter values: the kind of each value of a field, and the bytes of a text.
    package mutating func add(_ names: [UserField], values: (UserField) -> [(kind: String, bytes: Int?)]) {
        guard surveyed < 1000 else { return }
        surveyed += 1
        for name in names {
            var field = fields[name.name] ?? Field()
            let values = values(name)
            field.found += values.isEmpty ? 0 : 1
            for (kind, bytes) in values {
                field.kinds[kind, default: 0] += 1
                field.shortest = [field.shortest, bytes].compactMap(\.self).min()
                field.longest = [field.longest, bytes].compactMap(\.self).max()
            }
            fields[name.name] = field
        }
    }
}
