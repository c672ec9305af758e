import Glibc

/// A record of a seed. Each field draws from its own part, so leaving one out does not change the others.
struct Person {
    /// The members of randomuser.me in their order, as keys of the draws.
    enum Part: Int {
        case gender, name, location, email, login, dob, registered, phone, cell, id, picture, nat
    }

    let record: Int
    private let key: UInt64
    /// Number of changes since the start.
    private let changes: Int
    let isActive: Bool
    let nationality: Nationality
    let isWoman: Bool
    let title: String
    let first, last: Name
    lazy var login = drawLogin()
    lazy var place = drawPlace()
    lazy var born = Moment(within: Self.births, random(.dob))
    lazy var registered = Moment(within: Self.registrations, random(.registered))
    lazy var job = drawJob()

    /// Like randomuser.me's, the UUID depends only on seed and record, not on the nationalities.
    init(seed: UInt64, record: Int, in population: Population, nationalities: [Nationality]) {
        self.record = record
        changes = population.changes[record] ?? 0
        isActive = !population.inactive.contains(record)
        key = SplitMix64.key(seed, record)
        var random = SplitMix64(key: SplitMix64.key(key, -1))
        nationality = random.one(of: nationalities)
        isWoman = random.below(2) == 0
        title = random.one(of: nationality.words[isWoman ? "titles of women" : "titles of men"])
        first = random.one(of: isWoman ? nationality.women : nationality.men)
        last = random.one(of: nationality.last)
    }

    var name: String { "\(first.text) \(last.text)" }
    var email: String { "\(first.ascii).\(last.ascii)\(changes > 0 ? String(changes + 1) : "")@example.com" }

    var phone: String { text(.phone, draw: changes, like: nationality.phone) }
    var cell: String { text(.cell, like: nationality.cell) }
    var identity: String? { nationality.identity.map { text(.id, like: $0[1]) } }

    /// `women/12.png`
    var picture: String {
        var random = random(.picture)
        return "\(isWoman ? "women" : "men")/\(random.below(Portrait.count)).png"
    }

    /// The registration, or after changes a day of 2026, later with each change.
    var modified: Moment {
        mutating get {
            let count = changes + (isActive ? 0 : 1)
            let day = Self.registrations.upperBound + count
            return count == 0 ? registered : Moment(within: day...day, random(.registered, draw: count))
        }
    }

    /// `random` gives the draws that follow.
    private func drawLogin() -> (uuid: String, username: String, password: String, random: SplitMix64) {
        var random = random(.login)
        let words = WordLists.general
        let (start, middle, version) = (random.hex(8), random.hex(4), random.hex(3))
        let variant = random.one(of: ["8", "9", "a", "b"])
        let uuid = "\(start)-\(middle)-4\(version)-\(variant)\(random.hex(3))-\(random.hex(12))"
        let name = random.one(of: words["adjectives"]) + random.one(of: words["animals"])
        let username = name + String(random.within(100...999))
        return (uuid, username, random.one(of: words["passwords"]), random)
    }

    /// `random` gives the draws that follow.
    private func drawPlace() -> (
        number: Int, street: String, city: String, state: String, postcode: String, random: SplitMix64
    ) {
        var random = random(.location)
        let (number, street) = (random.within(1...9999), random.one(of: nationality.words["streets"]))
        let city = random.one(of: nationality.words["cities"])
        let state = random.one(of: nationality.words["states"])
        let postcode =
            nationality.postcode.map { random.text(like: $0) } ?? String(random.within(nationality.postcodes))
        return (number, street, city, state, postcode, random)
    }

    /// Title, department and company.
    private func drawJob() -> [String] {
        var random = SplitMix64(key: SplitMix64.key(key, -2))
        return ["titles", "departments", "companies"].map { random.one(of: WordLists.general[$0]) }
    }

    private func text(_ part: Part, draw: Int = 0, like pattern: String) -> String {
        var random = random(part, draw: draw)
        return random.text(like: pattern)
    }

    private func random(_ part: Part, draw: Int = 0) -> SplitMix64 {
        SplitMix64(key: SplitMix64.key(key, part.rawValue + 100 * draw))
    }

    /// From 1944-10-01 to 2004-12-31, in days since 1970.
    private static let births = -9223...12783
    /// From 2002-01-01 to 2025-12-31.
    private static let registrations = 11688...20453
}

struct Moment {
    /// `1966-06-26T11:50:25.558Z`
    let text: String
    /// Years until 2026-01-01, so that answers don't depend on the day.
    let age: Int

    /// - Parameter days: since 1970.
    init(within days: ClosedRange<Int>, _ random: SplitMix64) {
        var random = random
        let day = formatted(86_400 * random.within(days), "%Y-%m-%d")
        let seconds = 3600 * random.below(24) + 60 * random.below(60) + random.below(60)
        text = "\(day)T\(formatted(seconds, "%T")).\(String(1000 + random.below(1000)).dropFirst())Z"
        age = 2025 - (Int(day.prefix(4)) ?? 0) + (day.hasSuffix("-01-01") ? 1 : 0)
    }
}

/// Formats a time in UTC with strftime(3).
///
/// - Parameter seconds: since 1970.
func formatted(_ seconds: Int, _ format: String) -> String {
    var (seconds, parts) = (seconds, tm())
    gmtime_r(&seconds, &parts)
    return String(unsafeUninitializedCapacity: 40) { bytes in
        bytes.withMemoryRebound(to: CChar.self) { strftime($0.baseAddress, $0.count, format, &parts) }
    }
}
