import FoundationEssentials
import Model
import StrictJSON

extension UpstreamFormat<User> {
    /// randomuser.me, versions 1.0 to 1.4: `{results: [user], info}`, `{results}` or the bare list.
    ///
    /// It never ends by itself: an empty page is the last, and so is one of more users than were asked for, as of an upstream
    /// that knows no pages.
    /// Texts are kept as they are, blanks and zero-width characters included.
    package static let randomuser = UpstreamFormat(
        name: "randomuser", answer: RandomUser.answer,
        parameters: ["results", "page", "seed", "nat", "gender", "inc", "exc"],
        pageURL: { settings, page in
            var own = QueryParameters("results=\(settings.pageSize)&page=\(page.number)")
            if let seed = page.token { own.append("seed", seed) }
            return settings.url(with: own)
        },
        decodePage: { node, _, settings, page, found throws(FormatError) in
            let top = node.kind == .array ? nil : try node.object()
            let list = if let top { try top.required("results") } else { node }
            try list.forEach { record throws(FormatError) in
                try found.take(record) { record, found throws(FormatError) in
                    found.records.append(try RandomUser.user(record))
                }
            }
            let done = (page.offset ?? 0) + found.count
            guard 1...settings.pageSize ~= found.count, settings.allows(page: page.number + 1) else {
                return Page(records: found.records, total: done, isCut: found.count == settings.pageSize)
            }
            let seed = if let seed = page.token { seed } else { try RandomUser.seed(top, settings) }
            return Page(
                records: found.records, next: PageRequest(number: page.number + 1, offset: done, token: seed),
                total: settings.mostRecords)
        },
        complaint: { value in
            guard !value.has("results"), let error = value["error"] else { return nil }
            return UpstreamComplaint(error, of: value)
        })
}

private enum RandomUser {
    /// Nothing else is read: no password, no salt and no hash.
    static let answer = JSONDeclaration.object([
        "results": .list(of: record), "info": .object(["seed": .scalar]),
    ]).or(.list(of: record))

    private static let record = JSONDeclaration.object([
        "login": .object(["uuid": .scalar, "username": .scalar]),
        "name": .object(["title": .scalar, "first": .scalar, "last": .scalar]),
        "gender": .scalar, "email": .scalar, "phone": .scalar, "cell": .scalar, "nat": .scalar,
        "dob": date, "registered": date,
        "location": .object([
            "street": .scalar.or(.object(["number": .scalar, "name": .scalar])),
            "city": .scalar, "state": .scalar, "postcode": .scalar, "country": .scalar,
            "coordinates": .object(["latitude": .scalar, "longitude": .scalar]),
            "timezone": .object(["offset": .scalar]),
        ]),
        "picture": .object(["large": .scalar, "medium": .scalar, "thumbnail": .scalar]),
        "id": .scalar.or(.object(["value": .scalar])),
    ])

    private static let date = JSONDeclaration.scalar.or(.object(["date": .scalar, "age": .scalar]))

    /// The seed of the following pages; nil if the settings have one.
    static func seed(_ top: JSONObject?, _ settings: UpstreamSettings) throws(FormatError) -> String? {
        guard settings.parameters["seed"] == nil, let info = top?["info"], info.kind == .object else {
            return nil
        }
        return try info.object()["seed"]?.textOrInteger(upTo: 256)
    }

    static func user(_ node: JSONNode) throws(FormatError) -> User {
        let record = try node.object()
        let login = try record.object("login")
        let born = try date(record["dob"])
        var user = User(
            id: "",
            username: try login?.text("username"),
            name: try name(record),
            gender: try record.text("gender")?.lowercased(),
            email: try record.text("email"),
            phone: try record.text("phone"),
            cell: try record.text("cell"),
            bornAt: born.at,
            age: born.age,
            registeredAt: try date(record["registered"]).at,
            nationality: try record.text("nat")?.uppercased(),
            address: try address(record.object("location")),
            picture: try picture(record.object("picture")))
        if let uuid = try login?.text("uuid"), !uuid.isEmpty {
            user.id = uuid
        } else {
            user.id = Digest.userID(user, idValue: idValue(record["id"]))
        }
        return user
    }

    private static func name(_ record: JSONObject) throws(FormatError) -> User.Name {
        let name = try record.required("name").object()
        return User.Name(
            title: try name.text("title"),
            first: try name.text("first") ?? "",
            last: try name.required("last").text())
    }

    /// Seconds since 1970 (1.0), a date as text (1.1) or an object of that and the years since (1.2 on). Other
    /// text is ignored; the user is kept.
    private static func date(_ node: JSONNode?) throws(FormatError) -> (at: Timestamp?, age: Int?) {
        guard let node else { return (nil, nil) }
        switch node.kind {
        case .number:
            return (node.value.double.flatMap(Timestamp.init(unixSeconds:)), nil)
        case .string:
            return (Timestamp(upstreamDate: try node.text()), nil)
        case .object:
            let object = try node.object()
            let age = object["age"]?.value.int
            return (try date(object["date"]).at, age.flatMap { 0...1000 ~= $0 ? Int($0) : nil })
        default:
            throw node.mistyped("a date")
        }
    }

    private static func address(_ location: JSONObject?) throws(FormatError) -> User.Address {
        guard let location else { return User.Address() }
        let coordinates = try location.object("coordinates")
        return User.Address(
            street: try street(location["street"]),
            city: try location.text("city"),
            state: try location.text("state"),
            postcode: try location["postcode"]?.textOrInteger(),
            country: try location.text("country"),
            latitude: degrees(coordinates?["latitude"]),
            longitude: degrees(coordinates?["longitude"]),
            utcOffset: try location.object("timezone")?.text("offset"))
    }

    /// Text (to 1.2), or a number and a name.
    private static func street(_ node: JSONNode?) throws(FormatError) -> String? {
        guard let node, node.kind == .object else { return try node?.text() }
        let street = try node.object()
        let parts = [try street["number"]?.textOrInteger(), try street.text("name")].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: " ")
    }

    /// Text or a number; nil for what is neither or is not finite.
    private static func degrees(_ node: JSONNode?) -> Double? {
        let number = node.flatMap { $0.value.double ?? $0.value.string.flatMap(Double.init) }
        return number.flatMap { $0.isFinite ? $0 : nil }
    }

    private static func picture(_ picture: JSONObject?) throws(FormatError) -> User.Picture? {
        guard let picture else { return nil }
        return User.Picture(
            large: try picture.text("large"),
            medium: try picture.text("medium"),
            thumbnail: try picture.text("thumbnail"))
    }

    /// Of `id`, which is an object, text, an integer or absent.
    private static func idValue(_ node: JSONNode?) -> String? {
        let value = (try? node?.object()["value"]) ?? node
        return (try? value?.textOrInteger()).flatMap { $0.isEmpty ? nil : $0 }
    }
}
