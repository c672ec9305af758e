import FoundationEssentials
import Model
import StrictJSON

extension UpstreamFormat<User> {
    /// randomuser.me, versions 1.0 to 1.4: `{results: [user], info}`, `{results}` or the bare list.
    ///
    /// It never ends by itself: an empty page is the last, and so is one of more users than were asked for, as of an upstream
    /// that knows no pages.
    /// Texts are kept as they are, blanks and zero-width characters included.
    package static let randomuser = randomuser(RandomUser())

    private static func randomuser(_ reader: RandomUser) -> UpstreamFormat {
        UpstreamFormat(
            name: "randomuser", answer: reader.answer,
            parameters: ["results", "page", "seed", "nat", "gender", "inc", "exc"],
            pageURL: { settings, page in
                var own = QueryParameters("results=\(settings.pageSize)&page=\(page.number)")
                if let seed = page.token { own.append("seed", seed) }
                return settings.url(with: own)
            },
            decodePage: { node, _, settings, page throws(FormatError) in
                var found = FoundRecords<User>()
                let top = node.kind == .array ? nil : try node.object()
                let list = if let top { try top.required("results") } else { node }
                try found.take(list, reading: reader.shape) { record, found throws(FormatError) in
                    found.records.append(try reader.user(record))
                }
                let done = (page.offset ?? 0) + found.count
                guard 1...settings.pageSize ~= found.count, settings.allows(page: page.number + 1) else {
                    return Page(records: found.records, total: done, isCut: found.count == settings.pageSize)
                }
                let seed = if let seed = page.token { seed } else { try reader.seed(top, settings) }
                return Page(
                    records: found.records,
                    next: PageRequest(number: page.number + 1, offset: done, token: seed),
                    total: settings.mostRecords)
            },
            complaint: { value in
                guard !value.has("results"), let error = value["error"] else { return nil }
                return UpstreamComplaint(error, of: value)
            })
    }
}

/// Where what is read of a record stands, and how a user is made of it.
private struct RandomUser: Sendable {
    private typealias Date = (whole: Int, date: Int, age: Int)

    let answer: JSONDeclaration
    let shape: RecordShape
    private let username, uuid, login: Int
    private let name, title, first, last: Int
    private let gender, email, phone, cell, nationality: Int
    private let born, registered: Date
    private let location, street, number, road, city, state, postcode, country: Int
    private let coordinates, latitude, longitude, timezone, offset: Int
    private let picture, large, medium, thumbnail: Int
    private let id, idValue: Int

    init() {
        let time = JSONDeclaration.scalar.or(.object(["date": .scalar, "age": .scalar]))
        // In the order of randomuser.me. Nothing else is read: no password, no salt and no hash.
        let record = JSONDeclaration.object([
            "gender": .scalar,
            "name": .object(["title": .scalar, "first": .scalar, "last": .scalar]),
            "location": .object([
                "street": .scalar.or(.object(["number": .scalar, "name": .scalar])),
                "city": .scalar, "state": .scalar, "country": .scalar, "postcode": .scalar,
                "coordinates": .object(["latitude": .scalar, "longitude": .scalar]),
                "timezone": .object(["offset": .scalar]),
            ]),
            "email": .scalar,
            "login": .object(["uuid": .scalar, "username": .scalar]),
            "dob": time, "registered": time, "phone": .scalar, "cell": .scalar,
            "id": .scalar.or(.object(["value": .scalar])),
            "picture": .object(["large": .scalar, "medium": .scalar, "thumbnail": .scalar]),
            "nat": .scalar,
        ])
        answer = .object(["results": .list(of: record), "info": .object(["seed": .scalar])])
            .or(.list(of: record))
        let shape = RecordShape(record)
        self.shape = shape
        (login, uuid) = (shape.place("login"), shape.place("login", "uuid"))
        username = shape.place("login", "username")
        (name, title) = (shape.place("name"), shape.place("name", "title"))
        (first, last) = (shape.place("name", "first"), shape.place("name", "last"))
        (gender, email, nationality) = (shape.place("gender"), shape.place("email"), shape.place("nat"))
        (phone, cell) = (shape.place("phone"), shape.place("cell"))
        func date(_ name: String) -> Date {
            (shape.place(name), shape.place(name, "date"), shape.place(name, "age"))
        }
        (born, registered) = (date("dob"), date("registered"))
        func location(_ path: String...) -> Int { shape.place(["location"] + path) }
        (self.location, street) = (location(), location("street"))
        (number, road) = (location("street", "number"), location("street", "name"))
        (city, state, country) = (location("city"), location("state"), location("country"))
        (postcode, coordinates) = (location("postcode"), location("coordinates"))
        latitude = location("coordinates", "latitude")
        longitude = location("coordinates", "longitude")
        (timezone, offset) = (location("timezone"), location("timezone", "offset"))
        (picture, large) = (shape.place("picture"), shape.place("picture", "large"))
        (medium, thumbnail) = (shape.place("picture", "medium"), shape.place("picture", "thumbnail"))
        (id, idValue) = (shape.place("id"), shape.place("id", "value"))
    }

    /// The seed of the following pages; nil if the settings have one.
    func seed(_ top: JSONObject?, _ settings: UpstreamSettings) throws(FormatError) -> String? {
        guard settings.parameters["seed"] == nil, let info = top?["info"], info.kind == .object else {
            return nil
        }
        return try info.object()["seed"]?.textOrInteger(upTo: 256)
    }

    func user(_ record: JSONRecord) throws(FormatError) -> User {
        guard record.raw.kind == .object else { throw record.mistyped("an object") }
        _ = try record.object(login)
        let born = try date(born, of: record)
        var user = User(
            id: "",
            username: try record.text(username),
            name: try name(of: record),
            gender: try record.text(gender)?.lowercased(),
            email: try record.text(email),
            phone: try record.text(phone),
            cell: try record.text(cell),
            bornAt: born.at,
            age: born.age,
            registeredAt: try date(registered, of: record).at,
            nationality: try record.text(nationality)?.uppercased(),
            address: try address(of: record),
            picture: try picture(of: record))
        if let uuid = try record.text(uuid), !uuid.isEmpty {
            user.id = uuid
        } else {
            user.id = Digest.userID(user, idValue: idValue(of: record))
        }
        return user
    }

    private func name(of record: JSONRecord) throws(FormatError) -> User.Name {
        guard let name = try record.object(name) else {
            throw record.lacks("name", at: self.name, of: record.raw)
        }
        let title = try record.text(title)
        let first = try record.text(first) ?? ""
        guard let last = try record.text(last) else { throw record.lacks("last", at: self.last, of: name) }
        return User.Name(title: title, first: first, last: last)
    }

    /// Seconds since 1970 (1.0), a date as text (1.1) or an object of that and the years since (1.2 on). Other
    /// text is ignored; the user is kept.
    private func date(_ place: Date, of record: JSONRecord) throws(FormatError) -> (at: Timestamp?, age: Int?)
    {
        guard let value = record[place.whole], value.kind == .object else {
            return (try date(place.whole, of: record), nil)
        }
        let age = record[place.age]?.value.int
        return (try date(place.date, of: record), age.flatMap { 0...1000 ~= $0 ? Int($0) : nil })
    }

    private func date(_ place: Int, of record: JSONRecord) throws(FormatError) -> Timestamp? {
        guard let value = record[place] else { return nil }
        switch value.kind {
        case .number: return value.double.flatMap(Timestamp.init(unixSeconds:))
        case .string: return try record.withText(place) { Timestamp(upstreamDate: $0) }
        case .object: return nil
        default: throw record.mistyped("a date", value)
        }
    }

    private func address(of record: JSONRecord) throws(FormatError) -> User.Address {
        guard try record.object(location) != nil else { return User.Address() }
        _ = try record.object(coordinates)
        let street = try street(of: record)
        var address = User.Address(
            street: street,
            city: try record.text(city),
            state: try record.text(state),
            postcode: try record.textOrInteger(postcode),
            country: try record.text(country),
            latitude: degrees(record[latitude]),
            longitude: degrees(record[longitude]))
        _ = try record.object(timezone)
        address.utcOffset = try record.text(offset)
        return address
    }

    /// Text (to 1.2), or a number and a name.
    private func street(of record: JSONRecord) throws(FormatError) -> String? {
        guard record[street]?.kind == .object else { return try record.text(street) }
        guard let number = try record.textOrInteger(number) else { return try record.text(road) }
        guard let road = try record.text(road) else { return number }
        return "\(number) \(road)"
    }

    /// Text or a number; nil for what is neither or is not finite.
    private func degrees(_ value: RawJSON?) -> Double? {
        let number = value.flatMap { $0.double ?? $0.string.flatMap(Double.init) }
        return number.flatMap { $0.isFinite ? $0 : nil }
    }

    private func picture(of record: JSONRecord) throws(FormatError) -> User.Picture? {
        guard try record.object(picture) != nil else { return nil }
        return User.Picture(
            large: try record.text(large), medium: try record.text(medium),
            thumbnail: try record.text(thumbnail))
    }

    /// Of `id`, which is an object, text, an integer or absent.
    private func idValue(of record: JSONRecord) -> String? {
        let place = record[idValue] == nil ? id : idValue
        return (try? record.textOrInteger(place)).flatMap { $0.isEmpty ? nil : $0 }
    }
}
