/// What is drawn for a person, the same in every format.
extension Person {
    var name: String { "\(first.text) \(last.text)" }

    var email: String { "\(first.ascii).\(last.ascii)\(changes > 0 ? String(changes + 1) : "")@example.com" }

    var phone: String? {
        var random = random(for: .phone, part: changes)
        return hardship == .nullPhone ? nil : random.text(like: nationality.phone)
    }

    var cell: String? {
        var random = random(for: .cell)
        return hardship == .noCell ? nil : random.text(like: nationality.cell)
    }

    /// `/portraits/med/women/12.png`
    func portrait(_ size: Portrait.Size) -> String? {
        var random = random(for: .picture)
        let group = gender == .female ? "women" : "men"
        return hardship == .noPicture ? nil : "\(size.folder)\(group)/\(random.below(Portrait.count)).png"
    }

    var login: Login {
        var random = random(for: .login)
        return Login(&random)
    }

    var place: Place {
        var random = random(for: .location)
        return Place(of: self, &random)
    }

    /// From 1944-10-01 to 2004-12-31.
    var born: Moment { Moment(within: -9223...12783, random(for: .dob)) }

    /// From 2002-01-01 to 2025-12-31.
    var registered: Moment { Moment(within: 11688...20453, random(for: .registered)) }

    /// A day of 2026 for each change.
    var modified: Moment {
        let count = changes + (isActive ? 0 : 1)
        let day = 20453 + count
        return count == 0 ? registered : Moment(within: day...day, random(for: .registered, part: count))
    }

    var job: (number: Int, title: String, department: String, company: String) {
        var random = SplitMix64(key: SplitMix64.key(key, -2))
        return (
            1001 + record, random.one(of: Vocabulary.titles), random.one(of: Vocabulary.departments),
            random.one(of: ["Example AG", "Example Inc", "Example Ltd"])
        )
    }
}

struct Moment {
    let date: CivilDate
    /// `1966-06-26T11:50:25.558Z`
    let text: String

    /// - Parameter days: since 1970.
    init(within days: ClosedRange<Int>, _ random: SplitMix64) {
        var random = random
        date = CivilDate(days: random.within(days))
        let time = [24, 60, 60].map { padded(random.below($0), 2) }.joined(separator: ":")
        text = "\(date.text)T\(time).\(padded(random.below(1000), 3))Z"
    }
}

struct Login {
    let uuid: String
    let username: String
    let password: String

    init(_ random: inout SplitMix64) {
        let (start, middle, version) = (random.hex(8), random.hex(4), random.hex(3))
        let variant = random.one(of: ["8", "9", "a", "b"])
        uuid = "\(start)-\(middle)-4\(version)-\(variant)\(random.hex(3))-\(random.hex(12))"
        let words = random.one(of: Vocabulary.adjectives) + random.one(of: Vocabulary.animals)
        username = words + String(random.within(100...999))
        password = random.one(of: Vocabulary.passwords)
    }
}

struct Place {
    let number: Int
    let street: String
    let city: String
    let state: String
    let postcode: String

    init(of person: Person, _ random: inout SplitMix64) {
        let nationality = person.nationality
        number = random.within(1...9999)
        street = random.one(of: nationality.streets)
        let city = random.one(of: nationality.cities)
        switch person.hardship {
        case .bidiCity: self.city = "\u{202E}" + city
        case .trailingBlanks: self.city = city + "  "
        default: self.city = city
        }
        state = random.one(of: nationality.states)
        postcode =
            switch nationality.postcode {
            case .number(let range): String(random.within(range))
            case .text(let shape): random.text(like: shape)
            }
    }
}
