/// JSON: `User` of io.userd.
package struct User: Hashable, Sendable, Codable, Identifiable {
    /// Unique within the cache and stable across syncs.
    package var id: String
    package var username: String?
    package var name: Name
    package var displayName: String?
    package var gender: String?
    /// The primary, else the first of work, else the first.
    package var email: String?
    /// All of them; nil where they add nothing to `email`.
    package var emails: [Contact]?
    /// The primary of work, else the first that is neither mobile nor fax.
    package var phone: String?
    /// The first mobile.
    package var cell: String?
    /// All of them; nil where they add nothing to `phone` and `cell`.
    package var phones: [Contact]?
    package var jobTitle: String?
    package var department: String?
    package var company: String?
    package var employeeNumber: String?
    /// A room or a building, as upstream writes it.
    package var office: String?
    package var manager: Manager?
    package var bornAt: Timestamp?
    /// In years, as of the last sync: as upstream has it, else by the birthday.
    package var age: Int?
    package var registeredAt: Timestamp?
    /// When upstream last changed the record.
    package var updatedAt: Timestamp?
    /// ISO 3166-1 alpha-2, upper case.
    package var nationality: String?
    package var address: Address
    package var picture: Picture?

    /// - Parameter fill: sets the other fields.
    package init(id: String, name: Name, _ fill: (inout User) -> Void = { _ in }) {
        (self.id, self.name, address) = (id, name, Address())
        fill(&self)
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case id, username, name
        case displayName = "display_name"
        case gender, email, emails, phone, cell, phones
        case jobTitle = "job_title"
        case department, company
        case employeeNumber = "employee_number"
        case office, manager
        case bornAt = "born_at"
        case age
        case registeredAt = "registered_at"
        case updatedAt = "updated_at"
        case nationality, address, picture
    }

    /// An address or a telephone.
    package struct Contact: Hashable, Sendable, Codable {
        package var value: String
        /// As upstream calls it, such as `work`, `home` or `mobile`.
        package var kind: String?

        package init(value: String, kind: String? = nil) {
            self.value = value
            self.kind = kind
        }
    }

    /// As upstream names them; nobody of that id need be cached.
    package struct Manager: Hashable, Sendable, Codable {
        package var id: String?
        package var name: String?

        package init(id: String? = nil, name: String? = nil) {
            self.id = id
            self.name = name
        }
    }

    package struct Name: Hashable, Sendable, Codable {
        package var title: String?
        package var first: String
        package var last: String

        package init(title: String? = nil, first: String, last: String) {
            self.title = title
            self.first = first
            self.last = last
        }
    }

    package struct Address: Hashable, Sendable, Codable {
        /// House number and street in upstream's order.
        package var street: String?
        package var city: String?
        package var state: String?
        /// Text, because of leading zeros.
        package var postcode: String?
        package var country: String?
        /// In degrees.
        package var latitude: Double?
        package var longitude: Double?
        /// `+9:30`, as upstream writes it.
        package var utcOffset: String?

        package init(
            street: String? = nil, city: String? = nil, state: String? = nil, postcode: String? = nil,
            country: String? = nil, latitude: Double? = nil, longitude: Double? = nil,
            utcOffset: String? = nil
        ) {
            self.street = street
            self.city = city
            self.state = state
            self.postcode = postcode
            self.country = country
            self.latitude = latitude
            self.longitude = longitude
            self.utcOffset = utcOffset
        }

        enum CodingKeys: String, CodingKey {
            case street, city, state, postcode, country, latitude, longitude
            case utcOffset = "utc_offset"
        }
    }

    /// Addresses of the portrait, by size.
    package struct Picture: Hashable, Sendable, Codable {
        package var large: String?
        package var medium: String?
        package var thumbnail: String?

        package init(large: String? = nil, medium: String? = nil, thumbnail: String? = nil) {
            self.large = large
            self.medium = medium
            self.thumbnail = thumbnail
        }
    }
}

/// What userd keeps of a user, by the names of `users.fields`.
package enum UserField: String, CaseIterable, Sendable {
    case id, username, title, given, family
    case displayName = "display_name"
    case gender, email, emails, phone, cell, phones
    case jobTitle = "job_title"
    case department, company
    case employeeNumber = "employee_number"
    case office
    case managerID = "manager_id"
    case managerName = "manager_name"
    case bornAt = "born_at"
    case age
    case registeredAt = "registered_at"
    case updatedAt = "updated_at"
    case nationality, street, city, state, postcode, country, latitude, longitude
    case utcOffset = "utc_offset"
    case pictureThumbnail = "picture_thumbnail"
    case pictureMedium = "picture_medium"
    case pictureLarge = "picture_large"

    package var isList: Bool { self == .emails || self == .phones }
}

/// A field that is one text about somebody's work, and what userd does with it. The stored record, formats, the search, columns,
/// `show` and CSV follow from this list: see "How to add something" in Architecture.md.
package struct WorkField: Sendable {
    package let field: UserField
    package let path: any WritableKeyPath<User, String?> & Sendable
    /// What `show` and tables call it.
    package let title: String
    /// Whether a search finds its words.
    package let isSearched: Bool

    /// The member of `User` in io.userd, and the column.
    package var name: String { field.rawValue }

    /// In the order of columns.
    package static let all = [
        WorkField(field: .jobTitle, path: \.jobTitle, title: "Job title", isSearched: true),
        WorkField(field: .department, path: \.department, title: "Department", isSearched: true),
        WorkField(field: .company, path: \.company, title: "Company", isSearched: false),
        WorkField(
            field: .employeeNumber, path: \.employeeNumber, title: "Employee no.", isSearched: false),
        WorkField(field: .office, path: \.office, title: "Office", isSearched: true),
    ]
}

extension User {
    /// The names of the members of a record. Pages that were cached before a member was added are read again.
    package static let members = CodingKeys.allCases.map(\.rawValue)
}
