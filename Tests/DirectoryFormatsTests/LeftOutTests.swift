import Foundation
import LDAP
import Model
import Testing

@testable import Upstream

/// An entry in LDIF, as it would be cached.
private func ldap(_ ldif: String, _ yaml: String = "") throws -> EntryReader.Result {
    try EntryReader(.configured("ldap", yaml), now: { now }).read(#require(EntryTests.entries(ldif).first))
}

@Suite("Values that are too long")
struct LongValueTests {
    @Test("A text of more than 64 KiB is left out and counted, with its record, and the next place counts")
    func left() async throws {
        let (long, longest) = (String(repeating: "x", count: 65_537), String(repeating: "y", count: 65_536))
        let format = try DirectoryFormat.configured(
            "json",
            "fields: {id: /id, family: /name, department: [/unit, /other], email: /mail, emails: /mails, phones: /tel}"
        )
        let body = #"""
            [{"id": 1, "name": "A"}, {"id": 2, "name": "B", "unit": "\#(long)", "other": "IT", "mail": "\#(long)",
            "mails": [{"value": "b@x"}, "\#(long)"]}, {"id": 3, "name": "\#(longest)", "tel": "\#(long)"},
            {"id": "\#(long)", "name": "C"}]
            """#
        let found = try await page(body, format)
        #expect(found.records.map(\.id) == ["1", "2", "3"] && found.records[2].name.last == longest)
        #expect(found.records[1].department == "IT" && found.records[1].email == "b@x")
        #expect(found.records[1].emails == nil && found.records[2].phone == nil)
        #expect(
            Set(found.unread.tooLong) == [
                "email of record 2", "emails of record 2", "department of record 2", "phones of record 3",
            ])
        #expect(found.unread.tooLong.count == 4 && found.unread.unidentified == 1 && found.leftOut.isEmpty)
        #expect((found.unread + found.unread).tooLong.count == 8)
    }

    @Test("An attribute that is too long is left out of its entry")
    func tooLong() throws {
        let long = String(repeating: "x", count: 65_537)
        guard
            case .user(let user, _, let fields) = try ldap(
                EntryTests.plain + "\ntitle: \(long)\nmail: \(long)\nsn: L")
        else { return #expect(Bool(false), "left out") }
        #expect(user.jobTitle == nil && user.email == nil && user.emails == nil && user.name.last == "L")
        #expect(Set(fields) == [.jobTitle, .emails] && fields.count == 2)
    }
}

@Suite("Dates that have passed")
struct PastTests {
    private static let skip = "skip: {/end: past}\nfields: {id: /id, username: /id}"

    @Test("Records whose date has passed are left out, and a text may also be the word")
    func past() async throws {
        let records = #"""
            [{"id": 1, "end": "2026-01-02T03:04:04Z"}, {"id": 2, "end": "2026-01-02T03:04:06Z"}, {"id": 3, "end": null},
            {"id": 4, "end": "9999-12-31"}, {"id": 5, "end": "Past"}, {"id": 6, "end": 0}, {"id": 7, "end": "2026-01-02"},
            {"id": 8, "end": false}, {"id": 9, "end": {"at": "2020-01-01"}}, {"id": 10, "end": 1767323044}]
            """#
        #expect(
            try await page(records, .configured("json", Self.skip)).leftOut
                == ["1", "5", "7", "10"].map(Digest.leftOut))
    }

    @Test("An answer whose records may pass is read again on another day")
    func tomorrow() throws {
        #expect(try DirectoryFormat.configured("json", Self.skip).agesDependOnToday)
        #expect(try !DirectoryFormat.configured("json", "skip: {/end: present}").agesDependOnToday)
    }

    @Test(
        "An account of Active Directory that has expired is left out, unless `skip` says otherwise",
        arguments: [
            // [MS-ADA1], section 2.1: 0 and 2^63-1 mean that it never expires.
            ("0", "", false), ("9223372036854775807", "", false),
            // 2026-01-02T03:04:04Z and a second after now, in tenths of microseconds since 1601.
            ("134117966440000000", "", true), ("134117966460000000", "", false),
            ("134117966440000000", "skip: {}", false),
            ("132223104000000000", "skip: {description: past}", false),
            ("132223104000000000", "skip: {accountExpires: [past, \"0\"]}", true),
            ("0", "skip: {accountExpires: [past, \"0\"]}", true), ("soon", "", false),
        ])
    func expired(value: String, skip: String, isLeftOut: Bool) throws {
        let entry = EntryTests.controller + "\naccountExpires: \(value)"
        #expect((try ldap(entry, skip) == .leftOut(id: "33221100-5544-7766-8899-aabbccddeeff")) == isLeftOut)
        #expect(try EntryReader(.configured("ldap"), now: { now }).attributes.contains("accountExpires"))
        let manager = try EntryReader(.configured("ldap", skip), now: { now }).manager(
            try #require(EntryTests.entries(entry).first))
        #expect((manager?.id == nil) == isLeftOut && manager?.name == "Ann Lee (Sales)")
    }
}
