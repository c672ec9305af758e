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
            writeName(of: person, hardship, to: &out)
        case .location:
            writeLocation(of: person, hardship, &random, to: &out)
        case .email:
            let suffix = person.changes > 0 ? String(person.changes + 1) : ""
            out.add(#""email":""#, person.first.ascii, ".", person.last.ascii, suffix, #"@example.com""#)
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
                out.appendMember("phone", random.text(like: person.nationality.phone))
            }
        case .cell:
            out.appendMember("cell", random.text(like: person.nationality.cell))
        case .id:
            writeIdentity(of: person, hardship, &random, to: &out)
        case .picture:
            writePicture(of: person, &random, to: &out)
        case .nat:
            out.appendMember("nat", person.nationality.code)
        }
    }

    private func writeName(of person: Person, _ hardship: Hardship?, to out: inout String) {
        var (first, last) = (person.first.text, person.last.text)
        if hardship == .zeroWidthName { first = "\(first.prefix(2))\u{200B}\(first.dropFirst(2))" }
        if hardship == .longName { last = Self.stretched(last) }
        out.add(
            #""name":{"title":""#, person.title, #"","first":""#, first, #"","last":""#, last, #""}"#)
    }

    private func writeLocation(
        of person: Person, _ hardship: Hardship?, _ random: inout SplitMix64, to out: inout String
    ) {
        let nationality = person.nationality
        out.add(
            #""location":{"street":{"number":"#, String(random.within(1...9999)),
            #","name":""#, random.one(of: nationality.streets), #""},"city":""#)
        if hardship == .bidiCity { out += "\u{202E}" }
        out += random.one(of: nationality.cities)
        if hardship == .trailingBlanks { out += "  " }
        out.add(
            #"","state":""#, random.one(of: nationality.states),
            #"","country":""#, nationality.country, "\",")
        switch nationality.postcode {
        case .number(let range): out.add(#""postcode":"#, String(random.within(range)))
        case .text(let shape): out.appendMember("postcode", random.text(like: shape))
        }
        out.add(
            #","coordinates":{"latitude":""#, degrees(random.within(-900_000...900_000)),
            #"","longitude":""#, degrees(random.within(-1_800_000...1_800_000)))
        let timezone = random.one(of: Vocabulary.timezones)
        out.add(
            #""},"timezone":{"offset":""#, timezone.offset,
            #"","description":""#, timezone.description, #""}}"#)
    }

    private func writeLogin(_ random: inout SplitMix64, to out: inout String) {
        out.add(
            #""login":{"uuid":""#, random.hex(8), "-", random.hex(4), "-4", random.hex(3), "-",
            random.one(of: ["8", "9", "a", "b"]), random.hex(3), "-", random.hex(12))
        out.add(
            #"","username":""#, random.one(of: Vocabulary.adjectives), random.one(of: Vocabulary.animals),
            String(random.within(100...999)), #"","password":""#, random.one(of: Vocabulary.passwords),
            #"","salt":""#, random.text(like: "@#@@##@#"))
        out.add(
            #"","md5":""#, random.hex(32), #"","sha1":""#, random.hex(40),
            #"","sha256":""#, random.hex(64), #""}"#)
    }

    private func writeIdentity(
        of person: Person, _ hardship: Hardship?, _ random: inout SplitMix64, to out: inout String
    ) {
        let identity = person.nationality.identity
        out.add(#""id":{"name":""#, identity.name, "\",")
        if hardship == .undefinedInID {
            out.appendMember("value", "NaNundefined")
        } else if let shape = identity.shape {
            out.appendMember("value", random.text(like: shape))
        } else {
            out += #""value":null"#
        }
        out += "}"
    }

    private func writePicture(of person: Person, _ random: inout SplitMix64, to out: inout String) {
        let group = person.gender == .female ? "women" : "men"
        let number = random.below(Portrait.count)
        let members = Portrait.Size.allCases.map { size in
            #""\#(size.rawValue)":"\#(base)\#(size.folder)\#(group)/\#(number).png""#
        }
        out.add(#""picture":{"#, members.joined(separator: ","), "}")
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

/// Takes ten-thousandths of a degree; writes `-14.6792`.
private func degrees(_ value: Int) -> String {
    "\(value < 0 ? "-" : "")\(abs(value) / 10_000).\(padded(abs(value) % 10_000, 4))"
}

extension String {
    /// Appends `"name":"value"`; the value is not escaped.
    fileprivate mutating func appendMember(_ name: String, _ value: String) {
        add("\"", name, #"":""#, value, "\"")
    }

    /// `"name":{"date":"1966-06-26T11:50:25.558Z","age":59}`, with the age on 2026-01-01, so that answers don't
    /// depend on the day.
    fileprivate mutating func appendDate(_ name: String, days: Int, _ random: inout SplitMix64) {
        let date = CivilDate(days: days)
        func two(_ number: Int) -> String { padded(number, 2) }
        let age = 2026 - date.year - (date.month == 1 && date.day == 1 ? 0 : 1)
        add("\"", name, #"":{"date":""#, String(date.year), "-", two(date.month), "-", two(date.day), "T")
        add(two(random.below(24)), ":", two(random.below(60)), ":", two(random.below(60)))
        add(".", padded(random.below(1000), 3), #"Z","age":"#, String(age), "}")
    }
}
