/// JSON: `User` of io.userd.
package struct User: Hashable, Sendable, Codable, Identifiable {
    /// Unique within the cache and stable across syncs.
    package var id: String
    package var username: String?
    package var name: Name
    package var displayName: String?
    package var gender: String?
    /// The primary address, else the first of work, else the first.
    package var email: String?
    /// All addresses; nil if they add nothing to `email`.
    package var emails: [Contact]?
    /// The primary number of work, else the first that is neither mobile nor fax.
    package var phone: String?
    /// The first mobile number.
    package var cell: String?
    /// All numbers; nil if they add nothing to `phone` and `cell`.
    package var phones: [Contact]?
    package var jobTitle: String?
    package var department: String?
    package var company: String?
    package var employeeNumber: String?
    /// A room or a building, as upstream writes it.
    package var office: String?
    package var manager: Manager?
    package var bornAt: Timestamp?
    /// The age in years at the last sync: upstream's, else from the birthday.
    package var age: Int?
    package var registeredAt: Timestamp?
    /// The time when upstream last changed the record.
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

    /// An email address or a telephone number.
    package struct Contact: Hashable, Sendable, Codable {
        package var value: String
        /// Upstream's name for the kind, such as `work`, `home` or `mobile`.
        package var kind: String?

        package init(value: String, kind: String? = nil) {
            self.value = value
            self.kind = kind
        }
    }

    /// The manager as upstream names them, who may not be cached.
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
        /// Latitude in degrees; so is the longitude.
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

/// The fields that userd keeps of a user, with their names in `users.fields`.
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

/// A field with one text about a user's work, and its use. The stored record, formats, the search, columns,
/// `show` and CSV follow from this list: see "How to add something" in Architecture.md.
package struct WorkField: Sendable {
    package let field: UserField
    package let path: any WritableKeyPath<User, String?> & Sendable
    /// The title in `show` and tables.
    package let title: String
    /// Whether a search finds its words.
    package let isSearched: Bool

    /// The name of the member of `User` in io.userd, and of the column.
    package var name: String { field.rawValue }

    /// All fields of work, in the order of columns.
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
    /// The names of a record's members. If one is added, pages cached earlier are read again.
    package static let members = CodingKeys.allCases.map(\.rawValue)
}
