import Foundation
import HTTP
import Model
import Testing

@testable import Upstream

@Suite("Records of other APIs")
struct WildRecordTests {
    private func user(_ record: String, _ fields: String) async throws -> User {
        let format = try DirectoryFormat.configured(
            "json", "records: \"\"\nfields: {id: /id, username: /id, \(fields)}")
        return try #require(try await page("[\(record)]", format).records.first)
    }

    private func leftOut(_ records: String, _ skip: String, _ format: String = "json") async throws
        -> [String]
    {
        let keys =
            "records: \"\"\nskip: {\(skip)}\n" + (format == "json" ? "fields: {id: /id, username: /id}" : "")
        return try await page("[\(records)]", .configured(format, keys)).leftOut
    }

    @Test("A field can be read from each element of a list")
    func branches() async throws {
        let ann = try await user(
            #"""
            {"id": 1, "contact": [{"kind": "fax"}, {"EmailAddress": "a@x"}, {"EmailAddress": ["b@x", "a@x"]}],
            "jobs": {"old": {"unit": " "}, "new": {"unit": "Sales"}, "next": {"unit": "IT"}}, "tel": [["1"], ["2", "3"]]}
            """#, "emails: /contact/*/EmailAddress, department: /jobs/*/unit, phones: {work: /tel/*/*}")
        #expect(ann.emails?.map(\.value) == ["a@x", "b@x"])
        #expect(ann.email == "a@x")
        #expect(ann.department == "Sales")
        #expect(ann.phones?.map(\.value) == ["1", "2", "3"])
        #expect(ann.phones?.map(\.kind) == ["work", "work", "work"])
        let none = try await user(
            #"{"id": 1, "contact": [], "jobs": 7}"#,
            "emails: /contact/*/EmailAddress, department: /jobs/*/unit")
        #expect(none.emails == nil && none.department == nil)
    }

    @Test("Numbers, names and streets can be joined of several parts, with a blank between them")
    func parts() async throws {
        let fields = """
            phone: [[/tel/country, /tel/area, /tel/number], /other], given: [[/first, /middle]], street: [[/road, /house]], \
            registered_at: [[/day, /time]]
            """
        let all = try await user(
            #"""
            {"id": 1, "tel": {"country": 1, "area": "800", "number": "675-5400"}, "first": "Ann", "middle": "Q.",
            "road": "Elm", "house": 7, "day": "2015-01-05", "time": "10:20:30"}
            """#, fields)
        #expect(all.phone == "1 800 675-5400")
        #expect(all.name.first == "Ann Q.")
        #expect(all.address.street == "Elm 7")
        #expect(all.registeredAt?.description == "2015-01-05T10:20:30.000Z")
        let some = try await user(
            #"{"id": 1, "tel": {"country": 1, "area": " ", "number": null}, "other": "5", "middle": "Q.", "house": 7}"#,
            fields)
        #expect(some.phone == "5")
        #expect(some.name.first == "Q.")
        #expect(some.address.street == "7")
    }

    @Test("The parts of each element of a list can be joined")
    func partsOfEach() async throws {
        let ann = try await user(
            #"""
            {"id": 1, "tel": [{"c": "1", "a": "800", "n": "5400"}, {"c": "1", "n": null}, {"c": "49", "n": "30"}],
            "mobile": {"c": "1", "n": "7"}}
            """#,
            "phones: {work: [[/tel/*/c, /tel/*/a, /tel/*/n]], mobile: [[/mobile/c, /mobile/n]]}, phone: [[/tel/*/c, /tel/*/n]]"
        )
        #expect(ann.phones?.map(\.value) == ["1 800 5400", "49 30", "1 7"])
        #expect(ann.phones?.map(\.kind) == ["work", "work", "mobile"])
        #expect(ann.phone == "1 5400")
    }

    @Test(
        "Records are left out by present or missing members, and by numbers",
        arguments: [
            ("/left: present", ["1", "2", "6", "8"]), ("/left: absent", ["3", "4", "5", "7"]),
            ("/left: \"\"", ["3", "4", "5", "7"]), ("/left: \"> 0\"", ["2"]), ("/left: \"<=0\"", ["6"]),
            ("/left: [\">=1\", absent]", ["2", "3", "4", "5", "7"]), ("/left: \">5\"", ["2"]),
            ("/left: \"< 1.5\"", ["6"]),
            ("/left: <none>", []), ("/roles/*/name: [bot, ghost]", ["4"]),
            ("/roles/*/name: absent", ["1", "2", "3", "6", "7", "8"]),
        ])
    func conditions(skip: String, expected: [String]) async throws {
        let records = #"""
            {"id": 1, "left": "2020-01-01"}, {"id": 2, "left": 1407424862000}, {"id": 3, "left": null},
            {"id": 4, "left": " ", "roles": [{"name": "dev"}, {"name": "Bot"}]}, {"id": 5, "roles": [{}, {"name": "dev"}]},
            {"id": 6, "left": 0}, {"id": 7, "left": "0001-01-01T00:00:00Z"}, {"id": 8, "left": {"by": 1}}
            """#
        #expect(try await leftOut(records, skip) == expected.map(Digest.leftOut))
    }

    @Test("Records are left out by a boolean that is written as a text")
    func booleans() async throws {
        let entra =
            #"{"id": "1", "userName": "a", "active": "False"}, {"id": "2", "userName": "b", "active": "True"}"#
        #expect(
            try await page("[\(entra)]", .configured("scim", "records: \"\"")).leftOut
                == ["1"].map(Digest.leftOut))
    }

    @Test(
        "A boolean is left out by true and false, and by the words that the settings have for it",
        arguments: [
            ("no", ["1"]), ("off", ["1"]), ("false", ["1"]), ("\"No\"", ["1"]), ("yes", ["2", "3"]),
            ("on", ["2", "3"]), ("true", ["2", "3"]), ("[no, yes]", ["1", "2", "3"]), ("y", []), ("0", ["5"]),
        ])
    func words(value: String, expected: [String]) async throws {
        let records = #"""
            {"id": 1, "active": false}, {"id": 2, "active": true}, {"id": 3, "active": "TRUE"}, {"id": 4},
            {"id": 5, "active": 0}
            """#
        #expect(try await leftOut(records, "/active: \(value)") == expected.map(Digest.leftOut))
    }

    @Test("People whom a directory hides from its address lists are left out, unless `skip` says otherwise")
    func hidden() async throws {
        for (format, member) in [("graph", "showInAddressList"), ("google", "includeInGlobalAddressList")] {
            let records = #"""
                [{"id": "1", "displayName": "A", "name": {"fullName": "A"}, "\#(member)": false},
                {"id": "2", "displayName": "B", "name": {"fullName": "B"}, "\#(member)": true},
                {"id": "3", "displayName": "C", "name": {"fullName": "C"}, "\#(member)": null},
                {"id": "4", "displayName": "D", "name": {"fullName": "D"}}]
                """#
            #expect(
                try await page(records, .configured(format, "records: \"\"")).leftOut
                    == ["1"].map(Digest.leftOut), "\(format)")
            #expect(
                try await page(records, .configured(format, "records: \"\"\nskip: {}")).leftOut == [],
                "\(format)")
        }
        #expect(try DirectoryFormat.builtIn("graph").query.hasSuffix(",showInAddressList"))
    }

    @Test("The formatted address serves as the street if there is none, and a photo needs no type")
    func formatted() async throws {
        let scim = try await page(
            #"""
            [{"id": "1", "userName": "a", "addresses": [{"formatted": "1 Elm Street"}], "photos": [{"value": "https://x/a.jpg"}]},
            {"id": "2", "userName": "b", "addresses": [{"type": "work", "streetAddress": "2 Elm", "formatted": "2 Elm, Hilo"}],
            "photos": [{"value": "https://x/t.jpg", "type": "thumbnail"}, {"value": "https://x/b.jpg", "type": "photo"}]}]
            """#, .configured("scim", "records: \"\"")
        ).records
        #expect(scim.map(\.address.street) == ["1 Elm Street", "2 Elm"])
        #expect(scim.map(\.picture?.large) == ["https://x/a.jpg", "https://x/b.jpg"])
        let google = try await page(
            #"{"users": [{"id": "1", "primaryEmail": "a@x", "addresses": [{"type": "work", "formatted": "1 Elm Street"}]}]}"#,
            .configured("google"))
        #expect(google.records.map(\.address.street) == ["1 Elm Street"])
    }

    @Test(
        "Pointers and conditions without sense are refused",
        arguments: [
            (
                "paging: {style: cursor, param: c, from: /a/*}", "paging.from",
                "\"/a/*\" finds several values because of the *"
            ),
            (
                "paging: {style: number, param: p, total: /*/n}", "paging.total",
                "\"/*/n\" finds several values because of the *"
            ),
            (
                "skip: {/left: \"> soon\"}", "skip./left",
                "\"> soon\" has to compare with a number, as in \"> 0\""
            ),
        ])
    func mistakes(yaml: String, key: String, reason: String) throws {
        #expect(throws: FormatMistake(reason, key: key, line: 1)) {
            try DirectoryFormat.configured("json", yaml)
        }
    }
}
