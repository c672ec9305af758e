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

    package init(
        id: String, username: String? = nil, name: Name, displayName: String? = nil, gender: String? = nil,
        email: String? = nil, emails: [Contact]? = nil, phone: String? = nil, cell: String? = nil,
        phones: [Contact]? = nil, jobTitle: String? = nil, department: String? = nil, company: String? = nil,
        employeeNumber: String? = nil, manager: Manager? = nil, bornAt: Timestamp? = nil, age: Int? = nil,
        registeredAt: Timestamp? = nil, updatedAt: Timestamp? = nil, nationality: String? = nil,
        address: Address = Address(), picture: Picture? = nil
    ) {
        self.id = id
        self.username = username
        self.name = name
        self.displayName = displayName
        self.gender = gender
        self.email = email
        self.emails = emails
        self.phone = phone
        self.cell = cell
        self.phones = phones
        self.jobTitle = jobTitle
        self.department = department
        self.company = company
        self.employeeNumber = employeeNumber
        self.manager = manager
        self.bornAt = bornAt
        self.age = age
        self.registeredAt = registeredAt
        self.updatedAt = updatedAt
        self.nationality = nationality
        self.address = address
        self.picture = picture
    }

    enum CodingKeys: String, CodingKey {
        case id, username, name
        case displayName = "display_name"
        case gender, email, emails, phone, cell, phones
        case jobTitle = "job_title"
        case department, company
        case employeeNumber = "employee_number"
        case manager
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
