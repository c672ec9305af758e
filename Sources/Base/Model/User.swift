/// JSON: `User` of io.userd.
package struct User: Hashable, Sendable, Codable, Identifiable {
    /// Unique within the cache and stable across syncs.
    package var id: String
    package var username: String?
    package var name: Name
    package var gender: String?
    package var email: String?
    package var phone: String?
    package var cell: String?
    package var bornAt: Timestamp?
    /// In years, as of the last sync.
    package var age: Int?
    package var registeredAt: Timestamp?
    /// ISO 3166-1 alpha-2, upper case.
    package var nationality: String?
    package var address: Address
    package var picture: Picture?

    package init(
        id: String, username: String? = nil, name: Name, gender: String? = nil, email: String? = nil,
        phone: String? = nil, cell: String? = nil, bornAt: Timestamp? = nil, age: Int? = nil,
        registeredAt: Timestamp? = nil, nationality: String? = nil, address: Address = Address(),
        picture: Picture? = nil
    ) {
        self.id = id
        self.username = username
        self.name = name
        self.gender = gender
        self.email = email
        self.phone = phone
        self.cell = cell
        self.bornAt = bornAt
        self.age = age
        self.registeredAt = registeredAt
        self.nationality = nationality
        self.address = address
        self.picture = picture
    }

    enum CodingKeys: String, CodingKey {
        case id, username, name, gender, email, phone, cell
        case bornAt = "born_at"
        case age
        case registeredAt = "registered_at"
        case nationality, address, picture
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
