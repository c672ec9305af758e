/// The people of a seed, as edited so far.
struct People: Sendable {
    let population: Population
    private let seed: UInt64
    private let nationalities: [Nationality]
    /// `http://127.0.0.1:8080`
    private let base: String

    /// Uses the parameters `seed` and `nat`; unknown nationalities are ignored.
    init(_ population: Population, _ request: Request, seed: String, base: String) {
        self.population = population
        self.seed = SplitMix64.key(of: seed.utf8)
        let codes = request.parameters["nat"]?.uppercased().split(separator: ",").map(String.init) ?? []
        let known = Nationality.all.filter { codes.contains($0.code) }
        nationalities = known.isEmpty ? Nationality.all : known
        self.base = base
    }

    func person(at position: Int) -> Person { person(population.record(at: position)) }

    private func person(_ record: Int) -> Person {
        Person(seed: seed, record: record, in: population, nationalities: nationalities)
    }

    /// A manager manages nine or ten people; the first person has no manager.
    private func manager(of person: Person) -> Person? {
        person.record == 0 ? nil : self.person(person.record / 10)
    }

    typealias Field = @Sendable (inout Person, People) -> String

    /// The fields of records in lists.txt. Those that end in JSON are quoted, or null. Others are written unescaped,
    /// because they contain nothing that JSON must escape.
    static let fields: [String: Field] = [
        "gender": { person, _ in person.isWoman ? "female" : "male" },
        "title": { person, _ in person.title },
        "first": { person, _ in person.first.text },
        "last": { person, _ in person.last.text },
        "name": { person, _ in person.name },
        "email": { person, _ in person.email },
        "phone": { person, _ in person.phone },
        "cell": { person, _ in person.cell },
        "nat": { person, _ in person.nationality.code },
        "country": { person, _ in person.nationality.country },
        "uuid": { person, _ in person.login.uuid },
        "username": { person, _ in person.login.username },
        "password": { person, _ in person.login.password },
        "salt": { person, _ in person.login.random.text(like: "@#@@##@#") },
        "md5": { person, _ in person.login.random.hex(32) },
        "sha1": { person, _ in person.login.random.hex(40) },
        "sha256": { person, _ in person.login.random.hex(64) },
        "number": { person, _ in String(person.place.number) },
        "street": { person, _ in person.place.street },
        "city": { person, _ in person.place.city },
        "state": { person, _ in person.place.state },
        "postcode": { person, _ in person.place.postcode },
        "postcodeJSON": { person, _ in
            person.nationality.postcode == nil ? person.place.postcode : quoted(person.place.postcode)
        },
        "latitude": { person, _ in degrees(person.place.random.within(-900_000...900_000)) },
        "longitude": { person, _ in degrees(person.place.random.within(-1_800_000...1_800_000)) },
        "timezone": { person, _ in
            let zone = person.place.random.one(of: WordLists.timezones)
            return #"{"offset":"\#(zone.key)","description":"\#(zone.value)"}"#
        },
        "born": { person, _ in person.born.text },
        "bornOn": { person, _ in String(person.born.text.prefix(10)) },
        "age": { person, _ in String(person.born.age) },
        "registered": { person, _ in person.registered.text },
        "years": { person, _ in String(person.registered.age) },
        "modified": { person, _ in person.modified.text },
        "identityName": { person, _ in person.nationality.identity?[0] ?? "" },
        "identityJSON": { person, _ in quoted(person.identity) },
        "picture": { person, _ in person.picture },
        "base": { _, people in people.base },
        "employee": { person, _ in String(1001 + person.record) },
        "job": { person, _ in person.job[0] },
        "department": { person, _ in person.job[1] },
        "company": { person, _ in person.job[2] },
        "scimManager": { person, people in
            guard var manager = people.manager(of: person) else { return "" }
            return #","manager":{"value":"\#(manager.login.uuid)","displayName":"\#(manager.name)"}"#
        },
        "active": { person, _ in String(person.isActive) },
        "inactive": { person, _ in String(!person.isActive) },
        "status": { person, _ in person.isActive ? "ACTIVE" : "SUSPENDED" },
    ]

    private static func quoted(_ text: String?) -> String { text.map { "\"\($0)\"" } ?? "null" }

    /// Takes ten-thousandths of a degree; gives `-14.6792`.
    private static func degrees(_ value: Int) -> String {
        "\(value < 0 ? "-" : "")\(abs(value) / 10_000).\(String(10_000 + abs(value) % 10_000).dropFirst())"
    }
}
