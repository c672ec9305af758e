import Foundation
import HTTP
import Model
import Testing

@testable import DirectoryFormats
@testable import LDAP

/// A record of the format `json`, as it would be cached.
func jsonUser(_ record: String, _ fields: String) async throws -> User {
    let format = try DirectoryFormat.configured(
        "json", "records: \"\"\nfields: {id: /id, username: /id, \(fields)}")
    return try #require(try await page("[\(record)]", format).records.first)
}

@Suite("Values of records")
struct ValueTests {
    @Test(
        "Numbers and addresses lose the scheme of their URI, and numbers all parameters but the extension",
        arguments: [
            // RFC 7643, section 4.1.2, and the example of section 8.2.
            ("tel:+1-201-555-0123", "+1-201-555-0123"),
            // RFC 3966, section 6.
            ("tel:7042;phone-context=example.com", "7042"),
            ("tel:863-1234;phone-context=+1-914-555", "863-1234"),
            // RFC 3966, sections 3 and 5.3; a subaddress is for ISDN.
            ("tel:+41443330000;ext=4711", "+41443330000 x4711"),
            ("TEL:+41-44-333-00-00;isub=12;EXT=4711;phone-context=x", "+41-44-333-00-00 x4711"),
            // Blanks are not allowed in a URI, but servers send them, encoded or not.
            ("tel: +41 44 333", "+41 44 333"), ("tel:+41%2044%20333", "+41 44 333"),
            // RFC 6068, sections 2 and 6.1.
            ("mailto:ann@example.org", "ann@example.org"),
            ("MailTo:ann@example.org?subject=hi", "ann@example.org"),
            ("mailto:gorby%25kremvax@example.com", "gorby%kremvax@example.com"),
            // No URI of these schemes.
            ("tel:", "tel:"), ("telephone: 5", "telephone: 5"), ("sip:ann@example.org", "sip:ann@example.org"),
            ("1:2;ext=3", "1:2;ext=3"), ("+41 44 333 x12", "+41 44 333 x12"),
        ])
    func schemes(written: String, expected: String) async throws {
        let fields = "phone: /a, cell: /a, phones: /all, emails: /all"
        let ann = try await jsonUser(
            #"{"id": 1, "a": "\#(written)", "all": ["\#(written)", {"value": "\#(written)", "type": "x"}, "b"]}"#, fields)
        #expect([ann.phone, ann.cell] == [expected, expected])
        #expect(ann.phones?.map(\.value) == [expected, "b"] && ann.emails?.map(\.value) == [expected, "b"])
        let address = try await jsonUser(#"{"id": 1, "a": "\#(written)"}"#, "email: /a, phones: [[/none, /a]]")
        #expect(address.email == expected && address.phone == expected)
        let entry = DirectoryEntry(
            dn: "uid=a",
            attributes: ["uid", "entryuuid", "mail", "telephonenumber", "homephone"].map {
                DirectoryEntry.Attribute(name: $0, [Array(written.utf8)])
            })
        guard case .user(let user, _) = try EntryReader(.configured("ldap"), now: { now }).read(entry) else {
            return #expect(Bool(false), "left out")
        }
        #expect(user.email == expected && user.phone == expected && user.username == written)
    }

    @Test("A boolean is no text: a missing value of Odoo is false")
    func booleans() async throws {
        let fields = """
            phone: [/phone, /other], department: /unit, title: [[/unit, /word]], emails: /mails, phones: {work: /phone}
            """
        let ann = try await jsonUser(
            #"{"id": 1, "phone": false, "other": "5", "unit": false, "word": "Dr", "mails": [false, true, {"value": false}]}"#,
            fields)
        #expect([ann.phone, ann.department, ann.name.title, ann.email] == ["5", nil, "Dr", nil])
        #expect(ann.emails == nil && ann.phones == nil)
        let primary = try await jsonUser(
            #"{"id": 1, "mails": [{"value": "a@x"}, {"value": "b@x", "primary": true}]}"#, "emails: /mails")
        #expect(primary.email == "b@x")
        let survey = try #require(
            FormatSurvey(
                try .configured("json", "fields: {id: /id, phone: /phone, department: /unit}"),
                of: Array(#"[{"id": 1, "phone": false, "unit": true}]"#.utf8)))
        #expect(survey.places.map(\.found) == [1, 0, 0] && survey.places.map(\.unreadable) == [0, 0, 1])
    }

    @Test(
        "The boolean false counts as absent, a text or a number does not",
        arguments: [
            ("/left: present", ["2", "3", "4", "5"]), ("/left: absent", ["1", "6", "7"]),
            ("/left: [absent, \"0\"]", ["1", "4", "6", "7"]), ("/left: false", ["1", "3"]),
            ("/left: no", ["1", "3"]), ("/all/*/left: present", ["7"]),
        ])
    func absent(skip: String, expected: [String]) async throws {
        let records = #"""
            {"id": 1, "left": false}, {"id": 2, "left": true}, {"id": 3, "left": "False"}, {"id": 4, "left": 0},
            {"id": 5, "left": "2026-01-01"}, {"id": 6}, {"id": 7, "left": null, "all": [{"left": false}, {"left": 1}]}
            """#
        let format = try DirectoryFormat.configured("json", "skip: {\(skip)}\nfields: {id: /id, username: /id}")
        #expect(try await page("[\(records)]", format).leftOut == expected)
    }
}
