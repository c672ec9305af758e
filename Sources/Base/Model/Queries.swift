/// A query for users. JSON: the parameters of `ListUsers`.
///
/// Departments, cities, countries, companies and managers are compared whole, titles in part, all without regard to
/// case and accents.
package struct UserQuery: Hashable, Sendable, Codable {
    package var search: String?
    package var nationality: String?
    package var gender: String?
    package var department: String?
    /// Nil for the order of names.
    package var order: UserOrder?
    package var descending: Bool?
    /// Users per page; nil for the default.
    package var limit: Int?
    package var cursor: String?
    /// Finds what is nearest instead: values to those of filters that nobody has, else users to the search.
    package var near: Bool?
    package var city: String?
    package var company: String?
    /// A part of the job title.
    package var title: String?
    /// An id, username, address or name of the manager.
    package var manager: String?
    package var country: String?
    /// Departments and cities that begin with their value count, if nobody has it whole.
    package var beginnings: Bool?
    /// The kinds of users; nil for persons.
    package var kinds: [UserKind]?

    /// - Parameter set: sets the other members.
    package init(
        search: String? = nil, nationality: String? = nil, gender: String? = nil,
        department: String? = nil, order: UserOrder? = nil, descending: Bool? = nil, limit: Int? = nil,
        cursor: String? = nil, _ set: (inout UserQuery) -> Void = { _ in }
    ) {
        self.search = search
        self.nationality = nationality
        self.gender = gender
        self.department = department
        self.order = order
        self.descending = descending
        self.limit = limit
        self.cursor = cursor
        set(&self)
    }
}

/// Values near to one that nobody has. JSON: `Near` of io.userd.
package struct Near: Hashable, Sendable, Codable {
    /// `search`, or a filter.
    package var field: String
    /// The nearest first.
    package var values: [Value]

    package struct Value: Hashable, Sendable, Codable {
        package var value: String
        /// The number of users who have it.
        package var count: Int

        package init(_ value: String, count: Int) { (self.value, self.count) = (value, count) }
    }

    package init(field: String, values: [Value]) { (self.field, self.values) = (field, values) }
}

/// A query for facts, oldest first. JSON: the parameters of `ListFacts`.
package struct FactQuery: Hashable, Sendable, Codable {
    package var search: String?
    /// In characters.
    package var maxLength: Int?
    /// Facts per page; nil for the default.
    package var limit: Int?
    package var cursor: String?

    package init(search: String? = nil, maxLength: Int? = nil, limit: Int? = nil, cursor: String? = nil) {
        self.search = search
        self.maxLength = maxLength
        self.limit = limit
        self.cursor = cursor
    }

    enum CodingKeys: String, CodingKey {
        case search
        case maxLength = "max_length"
        case limit, cursor
    }
}

/// Sort order of a list of users: `UserOrder` of io.userd. Users without the value come last in both directions.
///
/// `match` is the order of names, after those whom a search finds by their names.
package enum UserOrder: String, Sendable, Codable, CaseIterable {
    case name, age, registered, nationality, email, department, title, city, match
}

/// The reason that a chain of managers ends. JSON: `ManagerChainEnd` of io.userd.
package enum ManagerChainEnd: String, Sendable, Codable, CaseIterable { case top, absent, circle, limit }

/// Limits of a tree of users, as io.userd documents them for `ListReports`.
package enum TreeLimits {
    package static let usual = 200
    /// Users of a tree; more are not counted.
    package static let most = 5_000
}

/// Limits of a search for users, as io.userd documents them for `ListUsers`.
package enum SearchLimits {
    package static let words = 16
    /// Matches beyond this number are not counted.
    package static let countedExactly = 10_000
}
