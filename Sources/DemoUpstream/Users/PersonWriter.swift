import NIOCore

/// Writes people as randomuser.me 1.4 does: its members, their order and their types.
///
/// The texts of ``Nationality`` are written as they are: none holds anything that JSON wants escaped.
struct PersonWriter {
    /// The members to write, in order.
    let fields: [UserField]
    /// Whether some records are as trying as the real ones, see ``Hardship``.
    let hard: Bool
    /// Where the portraits are: `http://127.0.0.1:8080`.
    let base: String

    init(fields: Set<UserField>, hard: Bool, base: String) {
        self.fields = UserField.allCases.filter(fields.contains)
        self.hard = hard
        self.base = base
    }

    func write(_ person: Person, to out: inout ByteBuffer) {
        let hardship = hard ? Hardship(record: person.record) : nil
        out.writeStaticString("{")
        var isFirst = true
        for field in fields where !isMissing(field, hardship) {
            if !isFirst { out.writeStaticString(",") }
            isFirst = false
            write(field, of: person, hardship, to: &out)
        }
        out.writeStaticString("}")
    }

    private func isMissing(_ field: UserField, _ hardship: Hardship?) -> Bool {
        switch (field, hardship) {
        case (.id, .noID), (.cell, .noCell), (.picture, .noPicture): true
        default: false
        }
    }

    private func write(_ field: UserField, of person: Person, _ hardship: Hardship?, to out: inout ByteBuffer)
    {
        var random = person.random(for: field)
        switch field {
        case .gender:
            out.writeMember("gender", person.gender.rawValue)
        case .name:
            out.writeMember(#"name":{"title"#, person.title)
            out.writeStaticString(",")
            let first = person.first.text
            out.writeMember(
                "first",
                hardship == .zeroWidthName ? first.prefix(2) + "\u{200B}" + first.dropFirst(2) : first)
            out.writeStaticString(",")
            out.writeMember(
                "last", hardship == .longName ? Self.stretched(person.last.text) : person.last.text)
            out.writeStaticString("}")
        case .location:
            writeLocation(of: person, hardship, &random, to: &out)
        case .email:
            writeEmail(of: person, to: &out)
        case .login:
            writeLogin(&random, to: &out)
        case .dob:
            out.writeDate("dob", days: random.within(Self.birthdays), &random)
        case .registered:
            out.writeDate("registered", days: random.within(Self.registrations), &random)
        case .phone:
            if hardship == .nullPhone {
                out.writeStaticString(#""phone":null"#)
            } else {
                random = person.random(for: field, part: person.changes)
                out.writeShape(named: "phone", person.nationality.phone, &random)
            }
        case .cell:
            out.writeShape(named: "cell", person.nationality.cell, &random)
        case .id:
            writeIdentity(of: person, hardship, &random, to: &out)
        case .picture:
            writePicture(of: person, &random, to: &out)
        case .nat:
            out.writeMember("nat", person.nationality.code)
        }
    }

    private func writeLocation(
        of person: Person, _ hardship: Hardship?, _ random: inout SplitMix64, to out: inout ByteBuffer
    ) {
        let nationality = person.nationality
        out.writeStaticString(#""location":{"street":{"number":"#)
        out.writeInteger(asText: random.within(1...9999))
        out.writeStaticString(",")
        out.writeMember("name", random.one(of: nationality.streets))
        out.writeStaticString("},")
        let city = random.one(of: nationality.cities)
        switch hardship {
        case .trailingBlanks: out.writeMember("city", city + "  ")
        case .bidiCity: out.writeMember("city", "\u{202E}" + city)
        default: out.writeMember("city", city)
        }
        out.writeStaticString(",")
        out.writeMember("state", random.one(of: nationality.states))
        out.writeStaticString(",")
        out.writeMember("country", nationality.country)
        switch nationality.postcode {
        case .number(let range):
            out.writeStaticString(#","postcode":"#)
            out.writeInteger(asText: random.within(range))
        case .text(let shape):
            out.writeStaticString(",")
            out.writeShape(named: "postcode", shape, &random)
        }
        out.writeStaticString(#","coordinates":{"latitude":""#)
        out.writeDegrees(random.within(-900_000...900_000))
        out.writeStaticString(#"","longitude":""#)
        out.writeDegrees(random.within(-1_800_000...1_800_000))
        let timezone = random.one(of: Vocabulary.timezones)
        out.writeStaticString(#""},"timezone":{"#)
        out.writeMember("offset", timezone.offset)
        out.writeStaticString(",")
        out.writeMember("description", timezone.description)
        out.writeStaticString("}}")
    }

    private func writeEmail(of person: Person, to out: inout ByteBuffer) {
        out.writeStaticString(#""email":""#)
        out.writeString(person.first.ascii)
        out.writeStaticString(".")
        out.writeString(person.last.ascii)
        if person.changes > 0 { out.writeInteger(asText: person.changes + 1) }
        out.writeStaticString(#"@example.com""#)
    }

    private func writeLogin(_ random: inout SplitMix64, to out: inout ByteBuffer) {
        out.writeStaticString(#""login":{"uuid":""#)
        out.writeHex(8, from: &random)
        out.writeStaticString("-")
        out.writeHex(4, from: &random)
        out.writeStaticString("-4")
        out.writeHex(3, from: &random)
        out.writeStaticString("-")
        out.writeInteger("89ab".utf8.dropFirst(random.below(4)).first ?? 0)
        out.writeHex(3, from: &random)
        out.writeStaticString("-")
        out.writeHex(12, from: &random)
        out.writeStaticString(#"","username":""#)
        out.writeString(random.one(of: Vocabulary.adjectives))
        out.writeString(random.one(of: Vocabulary.animals))
        out.writeInteger(asText: random.within(100...999))
        out.writeStaticString(#"","#)
        out.writeMember("password", random.one(of: Vocabulary.passwords))
        out.writeStaticString(",")
        out.writeShape(named: "salt", "@#@@##@#", &random)
        out.writeStaticString(#","md5":""#)
        out.writeHex(32, from: &random)
        out.writeStaticString(#"","sha1":""#)
        out.writeHex(40, from: &random)
        out.writeStaticString(#"","sha256":""#)
        out.writeHex(64, from: &random)
        out.writeStaticString(#""}"#)
    }

    private func writeIdentity(
        of person: Person, _ hardship: Hardship?, _ random: inout SplitMix64, to out: inout ByteBuffer
    ) {
        let identity = person.nationality.identity
        out.writeStaticString(#""id":{"#)
        out.writeMember("name", identity.name)
        out.writeStaticString(",")
        if hardship == .undefinedInID {
            out.writeMember("value", "NaNundefined")
        } else if let shape = identity.shape {
            out.writeShape(named: "value", shape, &random)
        } else {
            out.writeStaticString(#""value":null"#)
        }
        out.writeStaticString("}")
    }

    private func writePicture(of person: Person, _ random: inout SplitMix64, to out: inout ByteBuffer) {
        let group = person.gender == .female ? "women" : "men"
        let number = random.below(Portrait.count)
        var separator: StaticString = #""picture":{"#
        for size in Portrait.Size.allCases {
            out.writeStaticString(separator)
            out.writeStaticString("\"")
            out.writeString(size.member)
            out.writeStaticString(#"":""#)
            out.writeString(base)
            out.writeString(size.folder)
            out.writeString(group)
            out.writeStaticString("/")
            out.writeInteger(asText: number)
            out.writeStaticString(#".png""#)
            separator = ","
        }
        out.writeStaticString("}")
    }

    /// A last name of 300 characters, as a hyphenated one that never ends.
    private static func stretched(_ name: String) -> String {
        String(String(repeating: name + "-", count: 300 / name.count + 1).prefix(300))
    }

    /// 1944-10-01 to 2004-12-31, in days since 1970.
    private static let birthdays = -9223...12783
    /// 2002-01-01 to 2025-12-31.
    private static let registrations = 11688...20453
}

extension ByteBuffer {
    /// `"name":"value"`; the value is written as it is.
    fileprivate mutating func writeMember(_ name: StaticString, _ value: String) {
        writeStaticString("\"")
        writeStaticString(name)
        writeStaticString(#"":""#)
        writeString(value)
        writeStaticString("\"")
    }

    fileprivate mutating func writeShape(
        named name: StaticString, _ shape: String, _ random: inout SplitMix64
    ) {
        writeStaticString("\"")
        writeStaticString(name)
        writeStaticString(#"":""#)
        writeShape(shape, from: &random)
        writeStaticString("\"")
    }

    /// Ten-thousandths of a degree, as `-14.6792`.
    fileprivate mutating func writeDegrees(_ value: Int) {
        if value < 0 { writeStaticString("-") }
        writeInteger(asText: abs(value) / 10_000)
        writeStaticString(".")
        writeInteger(asText: abs(value) % 10_000, width: 4)
    }

    /// `"name":{"date":"1966-06-26T11:50:25.558Z","age":59}`, the age as of 2026-01-01, so that it is the same every day.
    fileprivate mutating func writeDate(_ name: StaticString, days: Int, _ random: inout SplitMix64) {
        let date = CivilDate(days: days)
        writeStaticString("\"")
        writeStaticString(name)
        writeStaticString(#"":{"date":""#)
        writeInteger(asText: date.year)
        writeStaticString("-")
        writeInteger(asText: date.month, width: 2)
        writeStaticString("-")
        writeInteger(asText: date.day, width: 2)
        writeStaticString("T")
        writeInteger(asText: random.below(24), width: 2)
        writeStaticString(":")
        writeInteger(asText: random.below(60), width: 2)
        writeStaticString(":")
        writeInteger(asText: random.below(60), width: 2)
        writeStaticString(".")
        writeInteger(asText: random.below(1000), width: 3)
        writeStaticString(#"Z","age":"#)
        writeInteger(asText: 2026 - date.year - (date.month == 1 && date.day == 1 ? 0 : 1))
        writeStaticString("}")
    }
}
