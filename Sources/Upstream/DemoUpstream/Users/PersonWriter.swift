/// Writes people like randomuser.me 1.4: its members, their order and types.
///
/// Texts of ``Nationality`` are written unescaped, because they contain nothing that JSON must escape.
struct PersonWriter {
    /// Members to write, in order.
    let fields: [UserField]
    /// Whether to include odd records; see ``Hardship``.
    let hard: Bool
    /// Base URL of the portraits: `http://127.0.0.1:8080`.
    let base: String

    init(fields: Set<UserField>, hard: Bool, base: String) {
        self.fields = UserField.allCases.filter(fields.contains)
        self.hard = hard
        self.base = base
    }

    func write(_ person: Person, to out: inout String) {
        let hardship = hard ? Hardship(record: person.record) : nil
        out += "{"
        var isFirst = true
        for field in fields where !isMissing(field, hardship) {
            if !isFirst { out += "," }
            isFirst = false
            write(field, of: person, hardship, to: &out)
        }
        out += "}"
    }

    private func isMissing(_ field: UserField, _ hardship: Hardship?) -> Bool {
        switch (field, hardship) {
        case (.id, .noID), (.cell, .noCell), (.picture, .noPicture): true
        default: false
        }
    }

    private func write(_ field: UserField, of person: Person, _ hardship: Hardship?, to out: inout String) {
        var random = person.random(for: field)
        switch field {
        case .gender:
            out.appendMember("gender", person.gender.rawValue)
        case .name:
            out.appendMember(#"name":{"title"#, person.title)
            out += ","
            let first = person.first.text
            out.appendMember(
                "first",
                hardship == .zeroWidthName ? first.prefix(2) + "\u{200B}" + first.dropFirst(2) : first)
            out += ","
            out.appendMember(
                "last", hardship == .longName ? Self.stretched(person.last.text) : person.last.text)
            out += "}"
        case .location:
            writeLocation(of: person, hardship, &random, to: &out)
        case .email:
            writeEmail(of: person, to: &out)
        case .login:
            writeLogin(&random, to: &out)
        case .dob:
            out.appendDate("dob", days: random.within(Self.birthdays), &random)
        case .registered:
            out.appendDate("registered", days: random.within(Self.registrations), &random)
        case .phone:
            if hardship == .nullPhone {
                out += #""phone":null"#
            } else {
                random = person.random(for: field, part: person.changes)
                out.appendShape(named: "phone", person.nationality.phone, &random)
            }
        case .cell:
            out.appendShape(named: "cell", person.nationality.cell, &random)
        case .id:
            writeIdentity(of: person, hardship, &random, to: &out)
        case .picture:
            writePicture(of: person, &random, to: &out)
        case .nat:
            out.appendMember("nat", person.nationality.code)
        }
    }

    private func writeLocation(
        of person: Person, _ hardship: Hardship?, _ random: inout SplitMix64, to out: inout String
    ) {
        let nationality = person.nationality
        out += #""location":{"street":{"number":"#
        out.append(random.within(1...9999))
        out += ","
        out.appendMember("name", random.one(of: nationality.streets))
        out += "},"
        let city = random.one(of: nationality.cities)
        switch hardship {
        case .trailingBlanks: out.appendMember("city", city + "  ")
        case .bidiCity: out.appendMember("city", "\u{202E}" + city)
        default: out.appendMember("city", city)
        }
        out += ","
        out.appendMember("state", random.one(of: nationality.states))
        out += ","
        out.appendMember("country", nationality.country)
        switch nationality.postcode {
        case .number(let range):
            out += #","postcode":"#
            out.append(random.within(range))
        case .text(let shape):
            out += ","
            out.appendShape(named: "postcode", shape, &random)
        }
        out += #","coordinates":{"latitude":""#
        out.appendDegrees(random.within(-900_000...900_000))
        out += #"","longitude":""#
        out.appendDegrees(random.within(-1_800_000...1_800_000))
        let timezone = random.one(of: Vocabulary.timezones)
        out += #""},"timezone":{"#
        out.appendMember("offset", timezone.offset)
        out += ","
        out.appendMember("description", timezone.description)
        out += "}}"
    }

    private func writeEmail(of person: Person, to out: inout String) {
        out += #""email":""#
        out += person.first.ascii
        out += "."
        out += person.last.ascii
        if person.changes > 0 { out.append(person.changes + 1) }
        out += #"@example.com""#
    }

    private func writeLogin(_ random: inout SplitMix64, to out: inout String) {
        out += #""login":{"uuid":""#
        out.appendHex(8, from: &random)
        out += "-"
        out.appendHex(4, from: &random)
        out += "-4"
        out.appendHex(3, from: &random)
        out += "-"
        out += random.one(of: ["8", "9", "a", "b"])
        out.appendHex(3, from: &random)
        out += "-"
        out.appendHex(12, from: &random)
        out += #"","username":""#
        out += random.one(of: Vocabulary.adjectives)
        out += random.one(of: Vocabulary.animals)
        out.append(random.within(100...999))
        out += #"","#
        out.appendMember("password", random.one(of: Vocabulary.passwords))
        out += ","
        out.appendShape(named: "salt", "@#@@##@#", &random)
        out += #","md5":""#
        out.appendHex(32, from: &random)
        out += #"","sha1":""#
        out.appendHex(40, from: &random)
        out += #"","sha256":""#
        out.appendHex(64, from: &random)
        out += #""}"#
    }

    private func writeIdentity(
        of person: Person, _ hardship: Hardship?, _ random: inout SplitMix64, to out: inout String
    ) {
        let identity = person.nationality.identity
        out += #""id":{"#
        out.appendMember("name", identity.name)
        out += ","
        if hardship == .undefinedInID {
            out.appendMember("value", "NaNundefined")
        } else if let shape = identity.shape {
            out.appendShape(named: "value", shape, &random)
        } else {
            out += #""value":null"#
        }
        out += "}"
    }

    private func writePicture(of person: Person, _ random: inout SplitMix64, to out: inout String) {
        let group = person.gender == .female ? "women" : "men"
        let number = random.below(Portrait.count)
        var separator = #""picture":{"#
        for size in Portrait.Size.allCases {
            out += separator
            out += "\""
            out += size.member
            out += #"":""#
            out += base
            out += size.folder
            out += group
            out += "/"
            out.append(number)
            out += #".png""#
            separator = ","
        }
        out += "}"
    }

    /// A last name of 300 characters, with hyphens.
    private static func stretched(_ name: String) -> String {
        String(String(repeating: name + "-", count: 300 / name.count + 1).prefix(300))
    }

    /// 1944-10-01 to 2004-12-31, in days since 1970.
    private static let birthdays = -9223...12783
    /// 2002-01-01 to 2025-12-31.
    private static let registrations = 11688...20453
}

extension String {
    /// Appends `"name":"value"`; the value is not escaped.
    fileprivate mutating func appendMember(_ name: String, _ value: String) {
        self += "\""
        self += name
        self += #"":""#
        self += value
        self += "\""
    }

    fileprivate mutating func appendShape(
        named name: String, _ shape: String, _ random: inout SplitMix64
    ) {
        self += "\""
        self += name
        self += #"":""#
        appendShape(shape, from: &random)
        self += "\""
    }

    /// Takes ten-thousandths of a degree; writes `-14.6792`.
    fileprivate mutating func appendDegrees(_ value: Int) {
        if value < 0 { self += "-" }
        append(abs(value) / 10_000)
        self += "."
        append(abs(value) % 10_000, width: 4)
    }

    /// `"name":{"date":"1966-06-26T11:50:25.558Z","age":59}`, with the age on 2026-01-01, so that answers don't
    /// depend on the day.
    fileprivate mutating func appendDate(_ name: String, days: Int, _ random: inout SplitMix64) {
        let date = CivilDate(days: days)
        self += "\""
        self += name
        self += #"":{"date":""#
        append(date.year)
        self += "-"
        append(date.month, width: 2)
        self += "-"
        append(date.day, width: 2)
        self += "T"
        append(random.below(24), width: 2)
        self += ":"
        append(random.below(60), width: 2)
        self += ":"
        append(random.below(60), width: 2)
        self += "."
        append(random.below(1000), width: 3)
        self += #"Z","age":"#
        append(2026 - date.year - (date.month == 1 && date.day == 1 ? 0 : 1))
        self += "}"
    }
}
