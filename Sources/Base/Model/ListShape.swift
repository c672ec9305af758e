/// The shape of upstream's last list of users, for bug reports: numbers and kinds, and nothing that records hold.
package struct ListShape: Hashable, Sendable, Codable {
    package struct Page: Hashable, Sendable, Codable {
        package var number: Int
        /// Nil over LDAP, and if no answer came.
        package var status: Int?
        package var bytes: Int?
        /// Whether the answer was the known one, which is not read again.
        package var isUnchanged = false
        package var records = 0
        /// Number of users with the id of another one on the page.
        package var duplicates = 0
        /// Number of records left out by a condition of the format, or for want of a name.
        package var leftOut = 0
        /// Number of those left out for want of a name.
        package var nameless = 0
        /// Number of records without an id.
        package var unidentified = 0
        package var failure: Failure.Kind?

        package init(_ number: Int) { self.number = number }

        enum CodingKeys: String, CodingKey {
            case number, status, bytes, records, duplicates, nameless, unidentified, failure
            case isUnchanged = "unchanged"
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

        package init() {}

        package mutating func add(_ kind: String, bytes: Int?) {
            kinds[kind, default: 0] += 1
            guard let bytes else { return }
            shortest = min(shortest ?? bytes, bytes)
            longest = max(longest ?? bytes, bytes)
        }
    }

    /// The first and the last pages.
    package var pages: [Page] = []
    package var pageCount = 0
    /// The reason that the list ends with its last page; nil while the list is read, and if it failed.
    package var end: String?
    /// Number of records that the fields were counted in: the first ones.
    package var surveyed = 0
    package var fields: [String: Field] = [:]

    package init() {}

    enum CodingKeys: String, CodingKey {
        case pages, end, surveyed, fields
        case pageCount = "page_count"
    }
}
