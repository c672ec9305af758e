/// Writes people like randomuser.me 1.4: its members, their order and types.
///
/// Texts of ``Nationality`` are written unescaped, because they contain nothing that JSON must escape.
struct PersonWriter {
    /// Members to write, in order.
    let fields: [UserField]
    /// Base URL of the portraits: `http://127.0.0.1:8080`.
    let base: String

    func text(of person: Person) -> String {
        var out = "{"
        var isFirst = true
        for field in fields where !isMissing(field, person.hardship) {
            if !isFirst { out += "," }
            isFirst = false
            write(field, of: person, to: &out)
        }
        return out + "}"
    }

    private func isMissing(_ field: UserField, _ hardship: Hardship?) -> Bool {
        switch (field, hardship) {
        case (.id, .noID), (.cell, .noCell), (.picture, .noPicture): true
        default: false
        }
    }

    private func write(_ field: UserField, of person: Person, to out: inout String) {
        var random = person.random(for: field)
        switch field {
        case .gender:
            out.appendMember("gender", person.gender.rawValue)
        case .name:
            out.add(#""name":{"title":""#, person.title, #"","first":""#, person.first.text)
            out.add(#"","last":""#, person.last.text, #""}"#)
        case .location:
            writeLocation(of: person, &random, to: &out)
        case .email:
            out.appendMember("email", person.email)
        case .login:
            writeLogin(&random, to: &out)
        case .dob:
            out.appendDate("dob", person.born)
        case .registered:
            out.appendDate("registered", person.registered)
        case .phone:
            out.add(#""phone":"#, person.phone?.jsonQuoted ?? "null")
        case .cell:
            out.add(#""cell":"#, person.cell?.jsonQuoted ?? "null")
        case .id:
            writeIdentity(of: person, &random, to: &out)
        case .picture:
            writePicture(of: person, to: &out)
        case .nat:
            out.appendMember("nat", person.nationality.code)
        }
    }

    private func writeLocation(of person: Person, _ random: inout SplitMix64, to out: inout String) {
        let place = Place(of: person, &random)
        out.add(#""location":{"street":{"number":"#, String(place.number), #","name":""#, place.street)
        out.add(#""},"city":""#, place.city, #"","state":""#, place.state)
        out.add(#"","country":""#, person.nationality.country, "\",")
        switch person.nationality.postcode {
        case .number: out.add(#""postcode":"#, place.postcode)
        case .text: out.appendMember("postcode", place.postcode)
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
        let login = Login(&random)
        out.add(#""login":{"uuid":""#, login.uuid, #"","username":""#, login.username)
        out.add(#"","password":""#, login.password, #"","salt":""#, random.text(like: "@#@@##@#"))
        out.add(
            #"","md5":""#, random.hex(32), #"","sha1":""#, random.hex(40),
            #"","sha256":""#, random.hex(64), #""}"#)
    }

    private func writeIdentity(of person: Person, _ random: inout SplitMix64, to out: inout String) {
        let identity = person.nationality.identity
        out.add(#""id":{"name":""#, identity.name, "\",")
        if person.hardship == .undefinedInID {
            out.appendMember("value", "NaNundefined")
        } else if let shape = identity.shape {
            out.appendMember("value", random.text(like: shape))
        } else {
            out += #""value":null"#
        }
        out += "}"
    }

    private func writePicture(of person: Person, to out: inout String) {
        let members = Portrait.Size.allCases.map { size in
            #""\#(size.rawValue)":"\#(base)\#(person.portrait(size) ?? "")""#
        }
        out.add(#""picture":{"#, members.joined(separator: ","), "}")
    }
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
    fileprivate mutating func appendDate(_ name: String, _ moment: Moment) {
        let date = moment.date
        let age = 2026 - date.year - (date.month == 1 && date.day == 1 ? 0 : 1)
        add("\"", name, #"":{"date":""#, moment.text, #"","age":"#, String(age), "}")
    }
}
