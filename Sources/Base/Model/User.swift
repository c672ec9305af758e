/// JSON: `User` of io.userd.
///
/// A field is a property, a case of `CodingKeys` and a row of `UserField.all` below; then io.userd.varlink, the table of
/// Directories.md and the formats name it.
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
    /// Nil for persons.
    package var kind: UserKind?

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
        case nationality, address, picture, kind
    }

    /// An email address or a telephone number.
    package struct Contact: Hashable, Sendable, Codable {
        package var value: String
        /// Upstream's name for the kind, such as `work`, `home` or `mobile`.
        package var kind: String?

        package init(value: String, kind: String? = nil) {
            (self.value, self.kind) = (value, kind)
        }

        package var text: String { kind.map { "\(value) (\($0))" } ?? value }
    }

    /// The manager as upstream names them, who may not be cached.
    package struct Manager: Hashable, Sendable, Codable {
        package var id: String?
        package var name: String?

        package init(id: String? = nil, name: String? = nil) {
            (self.id, self.name) = (id, name)
        }
    }

    package struct Name: Hashable, Sendable, Codable {
        package var title: String?
        package var first: String
        package var last: String

        package init(title: String? = nil, first: String, last: String) {
            (self.title, self.first, self.last) = (title, first, last)
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

        /// - Parameter fill: sets the fields.
        package init(_ fill: (inout Address) -> Void = { _ in }) { fill(&self) }

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
            (self.large, self.medium, self.thumbnail) = (large, medium, thumbnail)
        }
    }
}

extension User {
    /// The names of a record's members. If one is added, pages cached earlier are read again.
    package static let members = CodingKeys.allCases.map(\.rawValue)

    /// An empty manager is none.
    fileprivate var managerParts: Manager {
        get { manager ?? Manager() }
        set { manager = newValue == Manager() ? nil : newValue }
    }

    /// A picture without an address is none.
    package var pictureParts: Picture {
        get { picture ?? Picture() }
        set { picture = newValue == Picture() ? nil : newValue }
    }

    /// The kind as text; nil for persons, and for a kind that this version does not know.
    fileprivate var kindText: String? {
        get { kind == .person ? nil : kind?.rawValue }
        set {
            let new = newValue.flatMap { UserKind(rawValue: $0) }
            kind = new == .person ? nil : new
        }
    }
}

extension UserField {
    // Those that other code names.
    package static let id = UserField("id", "ID", .required(\.id))
    package static let username = UserField("username", "Username", .text(\.username))
    package static let title = UserField("title", "Title", .text(\.name.title), in: "name")
    package static let given = UserField(
        "given", "First name", or: "first_name", .required(\.name.first), in: "name", as: "first")
    package static let family = UserField(
        "family", "Last name", or: "last_name", .required(\.name.last), in: "name", as: "last")
    package static let displayName = UserField("display_name", "Display name", .text(\.displayName))
    package static let gender = UserField("gender", "Gender", .text(\.gender))
    package static let email = UserField("email", "Email", .text(\.email))
    package static let emails = UserField("emails", "Emails", .contacts(\.emails))
    package static let phone = UserField("phone", "Phone", .text(\.phone))
    package static let cell = UserField("cell", "Cell", .text(\.cell))
    package static let phones = UserField("phones", "Phones", .contacts(\.phones))
    package static let jobTitle = UserField(
        "job_title", "Job title", or: "title", .text(\.jobTitle), isSearched: true)
    package static let department = UserField(
        "department", "Department", .text(\.department), isSearched: true)
    package static let managerID = UserField(
        "manager_id", "Manager ID", .text(\.managerParts.id), in: "manager")
    package static let managerName = UserField(
        "manager_name", "Manager name", .text(\.managerParts.name), in: "manager")
    package static let bornAt = UserField("born_at", "Born", or: "born", .date(\.bornAt), isDay: true)
    package static let age = UserField("age", "Age", .count(\.age))
    package static let registeredAt = UserField(
        "registered_at", "Registered", or: "registered", .date(\.registeredAt))
    package static let nationality = UserField("nationality", "Nat", .text(\.nationality))
    package static let street = UserField(
        "street", "Street", .text(\.address.street), in: "address", isSearched: true)
    package static let city = UserField(
        "city", "City", .text(\.address.city), in: "address", isSearched: true)
    package static let country = UserField(
        "country", "Country", .text(\.address.country), in: "address", isSearched: true)
    package static let kind = UserField("kind", "Kind", .text(\.kindText))

    /// All fields, in the order of columns. Each is in io.userd, too, and named by the formats that have it.
    package static let all = [
        id, username, title, given, family, displayName, gender, email, emails, phone, cell, phones, jobTitle,
        department,
        UserField("company", "Company", .text(\.company)),
        UserField("employee_number", "Employee no.", .text(\.employeeNumber)),
        UserField("office", "Office", .text(\.office), isSearched: true),
        managerID, managerName, bornAt, age, registeredAt,
        UserField("updated_at", "Updated", or: "updated", .date(\.updatedAt)),
        nationality, street, city,
        UserField("state", "State", .text(\.address.state), in: "address", isSearched: true),
        UserField("postcode", "Postcode", .text(\.address.postcode), in: "address", isSearched: true),
        country,
        UserField("latitude", "Latitude", .number(\.address.latitude), in: "address"),
        UserField("longitude", "Longitude", .number(\.address.longitude), in: "address"),
        UserField("utc_offset", "UTC offset", .text(\.address.utcOffset), in: "address"),
        UserField("picture_large", "Large picture", .text(\.pictureParts.large), in: "picture"),
        UserField("picture_medium", "Medium picture", .text(\.pictureParts.medium), in: "picture"),
        UserField("picture_thumbnail", "Thumbnail", .text(\.pictureParts.thumbnail), in: "picture"),
        kind,
    ]
}
