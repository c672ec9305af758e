import Model
import StrictJSON
import TerminalViews
import Testing
import UserdAPI

@testable import UserctlCommands

@Suite struct VCardTests {
    /// The vCard with LF instead of CRLF.
    private func card(_ user: User, photo: FetchedPicture? = nil) throws -> String {
        let text = String(decoding: VCard.text(user, version: .v4, photo: photo), as: UTF8.self)
        try #require(!text.replacing("\r\n", with: "").contains { $0 == "\r" || $0 == "\n" })
        return text.replacing("\r\n", with: "\n")
    }

    /// The line of a property.
    private func property(_ name: String, of user: User) throws -> String? {
        try card(user).replacing("\n ", with: "").split(separator: "\n")
            .first { $0.hasPrefix(name + ":") || $0.hasPrefix(name + ";") }.map(String.init)
    }

    private func user(
        first: String = "A", last: String = "B", gender: String? = nil, address: User.Address = .init()
    ) -> User {
        User(id: "1", name: .init(first: first, last: last)) {
            $0.gender = gender
            $0.address = address
        }
    }

    @Test func `a vCard has every member with a property`() throws {
        #expect(
            try card(anna) == """
                BEGIN:VCARD
                VERSION:4.0
                UID;VALUE=text:id-anna
                FN:Dr Anna Bergström
                N:Bergström;Anna;;Dr;
                NICKNAME:lazyduck1
                EMAIL:anna@example.com
                TEL;TYPE=voice:011-962-7516
                TEL;TYPE=cell:081-454-0666
                ADR:;;8 Storgatan;Malmö;Skåne;00217;Sweden
                BDAY:19900720
                GENDER:F
                GEO:geo:55.6,-13.0
                TZ;VALUE=utc-offset:+0100
                END:VCARD

                """)
    }

    @Test func `addresses and telephones have their types, a department its company`() throws {
        let lines = try card(User.samples[0]).replacing("\n ", with: "").split(separator: "\n")
        #expect(lines.contains("FN:Jennie Nichols (Editing)"))
        let wanted = ["EMAIL", "TEL", "ORG", "TITLE", "REV"]
        #expect(
            lines.filter { line in wanted.contains { line.hasPrefix($0) } } == [
                "EMAIL;TYPE=work:jennie.nichols@example.com", "EMAIL;TYPE=home:bigswan571@example.org",
                "TEL;TYPE=work,voice:(272) 790-0888", "TEL;TYPE=cell:(489) 330-2385",
                "TEL;TYPE=fax:+1 272 790 0889", "TEL;TYPE=voice:(406) 555-0142",
                "ORG:Example News;Editing", "TITLE:Editor in Chief", "REV:20260102T000000Z",
            ])
    }

    @Test(arguments: [
        ("A;B", nil, #"ORG:A\;B"#), (nil, "D,E", #"ORG:;D\,E"#), ("A", "D", "ORG:A;D"), (nil, nil, nil),
    ])
    func `an organisation is the company, then the department`(
        company: String?, department: String?, line: String?
    ) throws {
        var user = user()
        (user.company, user.department) = (company, department)
        #expect(try property("ORG", of: user) == line)
    }

    @Test(arguments: [
        ("WORK", "work,voice"), ("Home Fax", "home,fax"), ("businessMobile", "work,cell"), ("pager", "pager"),
        ("x;y:z", "voice"),
    ])
    func `a telephone's kind becomes types of vCards, and nothing else gets into them`(
        kind: String, types: String
    ) throws {
        var user = user()
        user.phones = [.init(value: "1", kind: kind)]
        #expect(try property("TEL", of: user) == "TEL;TYPE=\(types):1")
    }

    @Test func `the same number for several uses is written once, with all of them`() throws {
        var user = user()
        (user.phone, user.cell) = ("1", "1")
        user.phones = [
            .init(value: "1", kind: "work"), .init(value: "1", kind: "mobile"),
            .init(value: "2", kind: "home"), .init(value: "2", kind: "home"), .init(value: "2", kind: "work"),
        ]
        user.emails = [.init(value: "a@b", kind: "work"), .init(value: "a@b", kind: "other")]
        #expect(
            try card(user).split(separator: "\n").filter { $0.hasPrefix("TEL") || $0.hasPrefix("EMAIL") } == [
                "EMAIL;TYPE=work:a@b", "TEL;TYPE=work,cell:1", "TEL;TYPE=work,home,voice:2",
            ])
        let shown = render(UserCard(user: user), width: 60, colour: false)
        #expect(
            shown
                == "A B\n  Email  a@b (work, other)\n  Cell   1 (work, mobile)\n  Phone  2 (home, work)\n  ID     1\n"
        )
    }

    @Test(arguments: [
        ("work", "fax", "work,voice"), ("fax", "mobile", "work,cell"), (nil, "pager", "work,voice"),
    ])
    func `the number that is called first is no fax or pager, whatever other kinds it has`(
        kind: String?, other: String, types: String
    ) throws {
        var user = user()
        user.phones = [.init(value: "1", kind: kind), .init(value: "1", kind: "work \(other)")]
        if other == "mobile" { user.cell = "1" } else { user.phone = "1" }
        #expect(try property("TEL", of: user) == "TEL;TYPE=\(types):1")
    }

    @Test func `the manager is written as each program reads it`() throws {
        var user = user()
        user.manager = .init(id: "m", name: "Eve, O")
        #expect(try property("X-EVOLUTION-MANAGER", of: user) == #"X-EVOLUTION-MANAGER:Eve\, O"#)
        #expect(try property("RELATED", of: user) == #"RELATED;VALUE=text;TYPE=x-manager:Eve\, O"#)
        let card3 = String(decoding: VCard.text(user, version: .v3, photo: nil), as: UTF8.self)
        #expect(card3.contains(#"X-EVOLUTION-MANAGER:Eve\, O"#) && !card3.contains("RELATED"))
    }

    @Test func `a change in the text of cards comes with a new revision`() {
        let photo = FetchedPicture(content: Array("photo".utf8), contentType: "image/jpeg")
        var digest: UInt64 = 0xcbf2_9ce4_8422_2325
        for user in User.samples + [anna] {
            for version in [VCard.Version.v3, .v4] {
                for byte in VCard.text(user, version: version, photo: photo) {
                    digest = (digest ^ UInt64(byte)) &* 0x100_0000_01b3
                }
            }
        }
        // If this fails, raise VCard.formatRevision, and write both numbers here: clients compare versions of cards.
        #expect([UInt64(VCard.formatRevision), digest] == [5, 3_959_211_979_656_336_311])
    }

    @Test func `missing members are left out, except the name`() throws {
        #expect(
            try card(User(id: "x", name: .init(first: "", last: ""))) == """
                BEGIN:VCARD
                VERSION:4.0
                UID;VALUE=text:x
                FN:x
                N:;;;;
                END:VCARD

                """)
    }

    @Test func `separators are escaped`() throws {
        let user = user(
            first: #"a\b"#, last: "c,d;e",
            address: .init { ($0.street, $0.city, $0.country) = ("1; Main, \\", "x\ny", "z\r\nw") })
        #expect(try property("FN", of: user) == #"FN:a\\b c\,d\;e"#)
        #expect(try property("N", of: user) == #"N:c\,d\;e;a\\b;;;"#)
        #expect(try property("ADR", of: user) == #"ADR:;;1\; Main\, \\;x\ny;;;z\nw"#)
    }

    @Test(arguments: ["\n", "\r", "\r\n", "\u{85}", "\u{2028}", "\u{2029}"])
    func `no end of a line in a name begins a property`(end: String) throws {
        #expect(try property("FN", of: user(first: "A\(end)NOTE:x", last: "")) == #"FN:A\nNOTE:x"#)
    }

    @Test func `control characters except tabs are replaced`() throws {
        #expect(
            try property("FN", of: user(first: "\u{0}\u{1B}[31m\t\u{7F}\u{9B}\u{202E}", last: ""))
                == "FN:\u{FFFD}\u{FFFD}[31m\t\u{FFFD}\u{FFFD}\u{202E}")
    }

    @Test(arguments: ["a", "é", "王", "🐈", "e\u{301}", "👩‍👩‍👧"])
    func `lines have at most 75 octets and split no character`(letter: String) throws {
        for shift in 0..<6 {
            let name = String(repeating: "x", count: shift) + String(repeating: letter, count: 80)
            let bytes = VCard.text(user(first: name, last: ""), version: .v4, photo: nil)
            let lines = bytes.split(separator: 0x0A)
            #expect(lines.allSatisfy { $0.count <= 76 && $0.last == 0x0D })
            #expect(lines.contains { $0.count > 72 })
            #expect(lines.allSatisfy { String(validating: $0, as: UTF8.self) != nil })
            let unfolded = bytes.replacing([0x0D, 0x0A, 0x20], with: [])
            #expect(unfolded.contains(Array("\r\nFN:\(name)\r\n".utf8)))
        }
    }

    @Test func `a line of 75 octets is not folded, and one of 76 is`() throws {
        #expect(
            try card(user(first: String(repeating: "x", count: 72), last: "")).contains(
                "FN:" + String(repeating: "x", count: 72) + "\n"))
        #expect(try card(user(first: String(repeating: "x", count: 73), last: "")).contains("x\n x\n"))
    }

    @Test(arguments: [
        ("male", "GENDER:M"), ("female", "GENDER:F"), ("non-binary, a", #"GENDER:;non-binary\, a"#),
    ])
    func `a gender is a letter or text`(gender: String, line: String) throws {
        #expect(try property("GENDER", of: user(gender: gender)) == line)
    }

    @Test(arguments: [
        ("+9:30", "TZ;VALUE=utc-offset:+0930"), ("-11:00", "TZ;VALUE=utc-offset:-1100"),
        ("0:00", "TZ;VALUE=utc-offset:+0000"), ("+25:00", "TZ:+25:00"), ("+1:60", "TZ:+1:60"),
        ("+1:2", "TZ:+1:2"), ("+1", "TZ:+1"), ("", "TZ:"),
        ("+1:00;x", #"TZ:+1:00\;x"#), ("++:00", "TZ:++:00"), ("+-1:00", "TZ:+-1:00"),
    ])
    func `an offset is one as vCards write it, or else a text`(offset: String, line: String) throws {
        #expect(try property("TZ", of: user(address: .init { $0.utcOffset = offset })) == line)
    }

    @Test(arguments: [
        (1.5, -0.25, "geo:1.5,-0.25"), (0.00001, -0.0000125, "geo:0.00001,-0.0000125"),
        (-90, 180, "geo:-90.0,180.0"),
    ])
    func `coordinates are a geo URI, without exponents`(latitude: Double, longitude: Double, uri: String)
        throws
    {
        let address = User.Address { ($0.latitude, $0.longitude) = (latitude, longitude) }
        #expect(try property("GEO", of: user(address: address)) == "GEO:" + uri)
    }

    private func card(of json: String) throws -> String? {
        let users = StoredUserReader.standard
        let record = users.members.read(try JSONValue(validating: Array(json.utf8), maximumDepth: 8))
        return users.user(record).map {
            String(decoding: VCard.text($0, version: .v4, photo: nil), as: UTF8.self)
        }
    }

    @Test func `escapes of JSON are read before those of vCards are written`() throws {
        let card = try card(
            of: #"{"id":"\u0061,","name":{"first":"\\\"","last":"\n"},"phones":[{"value":"\u0031;"}]}"#)
        #expect(card?.contains("UID;VALUE=text:a\\,\r\nFN:\\\\\" \\n\r\nN:\\n;\\\\\";;;\r\n") == true)
        #expect(card?.contains("TEL;TYPE=voice:1\\;\r\n") == true)
    }

    @Test(arguments: [
        #"{"id":1}"#, #"{"id":"1","name":{"first":"A"}}"#, "[]",
        #"{"id":"1","name":{"first":"A","last":"B"},"email":2}"#,
        #"{"id":"1","name":{"first":"A","last":"B"},"born_at":"soon"}"#,
        #"{"id":"1","name":{"first":"A","last":"B"},"address":{"latitude":"1"}}"#,
        #"{"id":"1","name":{"first":"A","last":"B"},"emails":[{"kind":"home"}]}"#,
    ])
    func `what is no user is left to decoding`(json: String) throws {
        #expect(try card(of: json) == nil)
    }

    @Test func `a single coordinate is left out`() throws {
        #expect(try property("GEO", of: user(address: .init { $0.latitude = 1 })) == nil)
        #expect(
            try property("GEO", of: user(address: .init { ($0.latitude, $0.longitude) = (1e300, 1) })) == nil)
        #expect(
            try property("GEO", of: user(address: .init { ($0.latitude, $0.longitude) = (1, -181) })) == nil)
    }

    @Test func `a picture is embedded`() throws {
        let picture = FetchedPicture(content: Array("picture".utf8), contentType: "image/png")
        #expect(try card(wei, photo: picture).contains("\nPHOTO:data:image/png;base64,cGljdHVyZQ==\n"))
        let large = FetchedPicture(content: [UInt8](repeating: 0, count: 300), contentType: "image/svg+xml")
        let lines = try card(wei, photo: large).split(separator: "\n")
        #expect(lines.allSatisfy { $0.utf8.count <= 75 })
        #expect(
            lines.drop { !$0.hasPrefix("PHOTO:") }.dropLast().joined().replacing(" ", with: "")
                == "PHOTO:data:image/svg+xml;base64," + String(repeating: "A", count: 400))
    }

    @Test func `a picture with a malformed type is left out`() throws {
        let picture = FetchedPicture(content: [1], contentType: "image/png,\r\nNOTE:x")
        #expect(try !card(wei, photo: picture).contains("PHOTO"))
    }

    @Test func `a terminal gets LF and no controls`() {
        let text = String(
            decoding: VCard.text(
                user(first: "\u{202E}A\u{1B}", last: ""), version: .v4, photo: nil, isForTerminal: true),
            as: UTF8.self)
        #expect(text.contains("\nFN:\\u{202E}A\u{FFFD}\n"))
        #expect(!text.contains("\r"))
    }
}
