import Foundation
import HTTP
import Model
import StrictJSON
import Testing
import YAML

@testable import LDAP
@testable import Upstream

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
            ("tel:", "tel:"), ("telephone: 5", "telephone: 5"),
            ("sip:ann@example.org", "sip:ann@example.org"),
            ("1:2;ext=3", "1:2;ext=3"), ("+41 44 333 x12", "+41 44 333 x12"),
        ])
    func schemes(written: String, expected: String) async throws {
        let fields = "phone: /a, cell: /a, phones: /all, emails: /all"
        let ann = try await jsonUser(
            #"{"id": 1, "a": "\#(written)", "all": ["\#(written)", {"value": "\#(written)", "type": "x"}, "b"]}"#,
            fields)
        #expect([ann.phone, ann.cell] == [expected, expected])
        #expect(ann.phones?.map(\.value) == [expected, "b"] && ann.emails?.map(\.value) == [expected, "b"])
        let address = try await jsonUser(
            #"{"id": 1, "a": "\#(written)"}"#, "email: /a, phones: [[/none, /a]]")
        #expect(address.email == expected && address.phone == expected)
        let entry = DirectoryEntry(
            dn: "uid=a",
            attributes: ["uid", "entryuuid", "mail", "telephonenumber", "homephone"].compactMap {
                DirectoryEntry.Attribute($0, [Array(written.utf8)])
            })
        guard case .user(let user, _, _) = try EntryReader(.configured("ldap"), now: { now }).read(entry)
        else {
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
        let format = try DirectoryFormat.configured(
            "json", "skip: {\(skip)}\nfields: {id: /id, username: /id}")
        #expect(try await page("[\(records)]", format).leftOut == expected.map(Digest.leftOut))
    }
}

@Suite("Places of values")
struct PlaceTests {
    @Test(
        "A picture's address without a host belongs to the host of the list",
        arguments: [
            ("/media/a.png", "https://idp.example/media/a.png"),
            ("media/a.png", "https://idp.example/media/a.png"),
            ("//cdn.example/a.png?s=1", "https://cdn.example/a.png?s=1"),
            ("?id=/1", "https://idp.example/users?id=/1"),
            ("/a:b/c.png", "https://idp.example/a:b/c.png"),
            ("https://cdn.example/a.png", "https://cdn.example/a.png"),
            ("HTTP://cdn.example/a.png", "HTTP://cdn.example/a.png"),
            ("data:image/png;base64,iVBOR/w0KGgo=", "data:image/png;base64,iVBOR/w0KGgo="), ("none", "none"),
            ("//:99999/a", "//:99999/a"),
        ])
    func pictures(written: String, expected: String) async throws {
        let ann = try await jsonUser(
            #"{"id": 1, "p": "\#(written)"}"#,
            "picture_large: /p, picture_thumbnail: [/none, /p], department: /p")
        #expect([ann.picture?.large, ann.picture?.thumbnail] == [expected, expected])
        #expect(ann.picture?.medium == nil && ann.department == written)
    }

    @Test(
        "An element is chosen by a value with slashes, by a member of a member, or by what the record refers to",
        arguments: [
            ("/all/[rel=http://x.example/#work]/v", "1"), ("/all/[rel=http:~1~1x.example~1#work]/v", "1"),
            ("/all/[meta/main=true]/v", "2"), ("/all/[meta/by/id=7]/v", "2"), ("/all/[a~1b=c]/v", "3"),
            ("/all/[id=@/main_id]/v", "2"), ("/all/[id=@/main/id]/v", "3"),
            ("/all/[meta/by/id=@/main/by]/v", "2"),
            ("/all/[id=@/none]/v", nil), ("/all/[id=@/all]/v", nil), ("/all/[code=@/code]/v", "3"),
            ("/[odd/name", "4"), ("/[odd]x/v", "5"),
        ] as [(String, String?)])
    func pointers(pointer: String, expected: String?) async throws {
        // The value that a reference names may come after the list.
        let record = #"""
            {"id": 1, "all": [{"id": 5, "v": 1, "rel": "http://x.example/#work"},
            {"id": "6", "v": 2, "meta": {"main": true, "by": {"id": 7}}}, {"id": 8, "v": 3, "a/b": "c", "code": "X"}],
            "main_id": 6, "main": {"id": 8, "by": "7"}, "code": "x", "[odd": {"name": 4}, "[odd]x": {"v": 5}}
            """#
        let ann = try await jsonUser(
            record, #"department: "\#(pointer)", job_title: ["/none", "\#(pointer)"]"#)
        #expect([ann.department, ann.jobTitle] == [expected, expected])
    }

    @Test("The address of today is the one that the record refers to, also in a recording")
    func current() async throws {
        let format = try DirectoryFormat.configured(
            "json",
            """
            records: /users
            fields:
              id: /id
              email: ["/mails/[id=@/mail_id]/value", /mails/0/value]
              city: "/places/[id=@/work/place]/city"
            skip: {"/states/[id=@/state_id]/name": left}
            """)
        let body = #"""
            {"users": [{"id": 1, "mails": [{"id": 1, "value": "old@x"}, {"id": 2, "value": "new@x", "pin": 1}], "mail_id": 2,
            "places": [{"id": 1, "city": "Rome"}, {"id": 2, "city": "Bern"}], "work": {"place": 2, "pin": 1}},
            {"id": 2, "mails": [{"id": 3, "value": "b@x"}], "states": [{"id": 1, "name": "left"}], "state_id": 1}],
            "mail_id": "secret"}
            """#
        let users = try await page(body, format)
        #expect(users.records.map(\.email) == ["new@x"] && users.records.map(\.address.city) == ["Bern"])
        #expect(users.leftOut == ["2"].map(Digest.leftOut))
        let kept = try recorded(body, format)
        #expect(!kept.contains("pin") && !kept.contains("secret"))
        #expect(try await page(kept, format).records == users.records)
        // The list itself may be chosen so.
        let chosen = try DirectoryFormat.configured(
            "json", "records: \"/lists/[id=@/main]/users\"\nfields: {id: /id, username: /id}")
        let lists = #"{"lists": [{"id": 1, "users": []}, {"id": 2, "users": [{"id": "a"}]}], "main": 2}"#
        #expect(try await page(lists, chosen).records.map(\.id) == ["a"])
        _ = try recorded(lists, chosen)
        #expect(throws: FormatMistake.self) { try Pointer("/a/*/b/[id=@/c]/d") }
    }

    @Test(
        "The kind of a number is its type, kind, label or name; the name beside an address is a person's",
        arguments: [
            (#"{"number": "5", "type": "mobile", "label": "x"}"#, "mobile"),
            (#"{"number": "5", "kind": "mobile", "name": "x"}"#, "mobile"),
            // Pipedrive, GET /v1/persons.
            (#"{"value": "5", "label": "mobile", "primary": true}"#, "mobile"),
            // Freshservice and others.
            (#"{"number": "5", "name": "Mobile"}"#, "Mobile"),
            // Microsoft Graph, emailAddress.
            (#"{"address": "a@x", "name": "Ann Lee"}"#, nil),
            (#"{"address": "a@x", "label": "home"}"#, "home"),
            (#"{"number": "5", "name": false}"#, nil),
        ] as [(String, String?)])
    func kinds(contact: String, kind: String?) async throws {
        let ann = try await jsonUser(
            #"{"id": 1, "all": [\#(contact), {"value": "z", "type": "fax"}]}"#, "phones: /all, emails: /all")
        #expect(ann.phones?.map(\.kind) == [kind, "fax"] && ann.emails?.map(\.kind) == [kind, "fax"])
        #expect((ann.cell == "5") == (kind?.lowercased() == "mobile"))
    }

    @Test("A contact is recorded with all members that its kind may be in")
    func recordedKinds() async throws {
        let format = try DirectoryFormat.configured(
            "json", "records: /d\nfields: {id: /id, phones: /all, username: /id}")
        let body = #"""
            {"d": [{"id": "1", "all": [{"number": "5", "label": "mobile", "pin": 1}, {"number": "6", "name": "home"},
            {"number": "7", "kind": "fax"}]}]}
            """#
        let kept = try recorded(body, format)
        #expect(!kept.contains("pin"))
        #expect(try await page(kept, format).records == page(body, format).records)
    }

    @Test(
        "A number is no gender, and 0 no employee's number",
        arguments: [
            ("1", "0", nil, nil), ("\"2\"", "\"0\"", nil, nil), ("\"Female\"", "17", "female", "17"),
            ("\"m\"", "\"007\"", "m", "007"), ("0", "10", nil, "10"),
        ] as [(String, String, String?, String?)])
    func codes(gender: String, number: String, expected: String?, employee: String?) async throws {
        let ann = try await jsonUser(
            #"{"id": 1, "g": \#(gender), "n": \#(number)}"#, "gender: /g, employee_number: /n")
        #expect(ann.gender == expected && ann.employeeNumber == employee)
    }

    @Test(
        "A query is sent encoded; what is encoded stays",
        arguments: [
            ("filter=name sw \"Ä\"", "filter=name%20sw%20%22%C3%84%22"), ("a=%41%zz", "a=%41%25zz"),
            ("role[]=b&c={d}", "role%5B%5D=b&c=%7Bd%7D"), ("q=#1", "q=%231"), ("a=b+c%2B", "a=b+c%2B"),
        ])
    func query(written: String, sent: String) {
        let settings = UpstreamSettings(
            url: URL(string: "https://idp.example/u")!, query: written, pageSize: 1)
        #expect(settings.url(with: QueryParameters("")).absoluteString == "https://idp.example/u?\(sent)")
    }

    @Test(
        "A number in the body at the place of the page's size is that size",
        arguments: [
            ("/variables/first", "{variables: {first: 50}}", 50),
            ("/variables/first", "{variables: {first: '50'}}", nil),
            ("/variables/first", "{variables: {first: null}}", nil),
            ("/first", "{variables: {first: 50}}", nil),
            ("/n", "a=b&n=7", nil), ("n", "{n: 7}", nil), ("/n", "some text", nil), ("/n", "{n: -1}", nil),
            ("/n", "{n: 9223372036854775807}", nil),
        ] as [(String, String, Int?)])
    func sizes(place: String, body: String, size: Int?) throws {
        let format = try DirectoryFormat.configured(
            "json", "paging: {style: number, param: p, size: \(place)}")
        let node = try #require(try YAMLNode.document(Array(body.utf8)))
        #expect(format.paging.size(in: RequestBody(node)) == size)
        #expect(format.paging.size(in: nil) == nil)
    }
}
