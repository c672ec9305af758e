import Foundation
import HTTP
import Model
import Testing
import YAML

@testable import Upstream

@Suite("Records of directories")
struct RecordTests {
    private func user(_ record: String, _ format: String = "scim", _ yaml: String = "records: \"\"")
        async throws -> User
    {
        let page = try await page("[\(record)]", .configured(format, yaml))
        return try #require(page.records.first)
    }

    @Test("The primary email address counts, or else the first of work, or else the first")
    func emails() async throws {
        let primary = try await user(
            #"""
            {"id": "1", "emails": [{"value": "a@x", "type": "home"}, {"value": "b@x", "type": "work"},
            {"value": "c@x", "type": "other", "primary": true}, {"value": "A@x"}]}
            """#)
        #expect(primary.email == "c@x")
        #expect(primary.emails?.map(\.value) == ["c@x", "a@x", "b@x"])
        #expect(primary.emails?.map(\.kind) == ["other", "home", "work"])
        let work = try await user(
            #"{"id": 1, "emails": [{"value": "a@x"}, {"value": "b@x", "type": "work"}]}"#)
        #expect(work.email == "b@x")
        let mixed = try await user(#"{"id": 1, "emails": ["a@x", {"type": "work"}, null, 5]}"#)
        #expect(mixed.email == "a@x")
        let lone = try await user(#"{"id": "x", "emails": [{"value": "a@x"}]}"#)
        #expect(lone.emails == nil)
        #expect(lone.email == "a@x")
    }

    @Test(
        "The telephone is the primary of work, or else the first that is not mobile or fax; the first mobile counts"
    )
    func phones() async throws {
        let all = try await user(
            #"""
            {"id": "1", "userName": "a", "phoneNumbers": [{"value": "1", "type": "fax"}, {"value": "2", "type": "mobile"},
            {"value": "3", "type": "home"}, {"value": "4", "type": "work", "primary": true}]}
            """#)
        #expect([all.phone, all.cell] == ["4", "2"])
        #expect(all.phones?.map(\.value) == ["4", "1", "2", "3"])
        let lone = try await user(#"{"id": 1, "userName": "a", "phoneNumbers": [{"value": "5"}]}"#)
        #expect([lone.phone, lone.cell] == ["5", nil])
        #expect(lone.phones == nil)
        // One without any telephone, and one with the same for both.
        let none = try await user(#"{"id": 1, "userName": "a"}"#)
        #expect([none.phone, none.cell] == [nil, nil])
        let both = try await user(
            #"{"id": "1", "p": "1"}"#, "json",
            "records: \"\"\nfields: {id: /id, username: /id, phone: /p, cell: /p, phones: /p}")
        #expect([both.phone, both.cell] == ["1", "1"])
        let graph = try await user(
            #"{"id": "1", "displayName": "A", "businessPhones": ["1", "2"], "mobilePhone": "3"}"#, "graph")
        #expect([graph.phone, graph.cell] == ["1", "3"])
        #expect(graph.phones?.map(\.kind) == ["work", "work", "mobile"])
    }

    @Test("A display name alone serves as the last name, and a user without any name is left out")
    func names() async throws {
        let shown = try await user(#"{"id": "1", "displayName": "Zoë Ω"}"#)
        #expect(shown.name == User.Name(first: "", last: "Zoë Ω"))
        #expect(shown.displayName == "Zoë Ω")
        let family = try await user(#"{"id": "1", "name": {"familyName": "Ω", "givenName": null}}"#)
        #expect(family.name == User.Name(first: "", last: "Ω"))
        let page = try await page(
            #"[{"id": "1"}, {"id": "2", "userName": "b"}, {"id": "3", "userName": "c", "active": false}]"#,
            .configured("scim", "records: \"\""))
        #expect(page.records.map(\.id) == ["2"])
        #expect(page.leftOut == ["1", "3"].map(Digest.leftOut))
        // The page is cached like any other.
        #expect(page.known != nil)
    }

    @Test("The age follows from the birthday")
    func ages() async throws {
        let fields = "records: \"\"\nfields: {id: /id, username: /id, born_at: /born}"
        for (born, age) in [("1980-01-02", 46), ("1980-01-03", 45), ("2027-01-01", nil), ("1700-01-01", nil)]
        {
            #expect(try await user(#"{"id": "a", "born": "\#(born)"}"#, "json", fields).age == age)
        }
    }

    @Test("The office of Google's users is the building, floor and desk of their location")
    func googleOffice() async throws {
        let desk = #"{"type": "desk", "buildingId": "OH2", "floorName": "3", "deskCode": "17"}"#
        for (locations, office) in [
            ("[{\"type\": \"default\", \"buildingId\": \"X\"}, \(desk)]", "OH2 3 17"),
            (#"[{"type": "default", "buildingId": "Main"}]"#, "Main"),
        ] {
            let record = #"{"id": "1", "primaryEmail": "a@x.example", "locations": \#(locations)}"#
            #expect(try await user(record, "google").office == office)
        }
    }

    @Test("Addresses in Google's test domain, which each account has, are left out")
    func testAliases() async throws {
        let user = try await user(
            #"""
            {"id": "1", "primaryEmail": "a@x.example", "emails": [{"address": "a@x.example", "primary": true},
            {"address": "b@x.example"}, {"address": "a@x.example.test-google-a.com"}]}
            """#, "google")
        #expect(user.emails?.map(\.value) == ["a@x.example", "b@x.example"])
    }

    @Test(
        "A single fact may be in a member in which others write errors",
        arguments: ["title", "message", "detail"])
    func oneFact(member: String) async throws {
        var format = try #require(try DirectoryFormat.named("json"))
        let fields = try #require(try YAMLNode.document(Array("{text: /\(member)}".utf8)))
        try format.override("fields", with: fields, fields: FactField.allCases.map(\.rawValue))
        func one(_ body: String) async throws -> NewFact {
            try await FactsService.live(
                .facts(
                    format, UpstreamSettings(url: URL(string: "https://idp.example/facts")!, pageSize: 10)),
                transport: HTTPTransport { _ in HTTPResponse(status: 200, body: Array(body.utf8)) },
                one: URL(string: "https://idp.example/fact")!, now: { now }
            ).fetchOne()
        }
        #expect(try await one(#"{"\#(member)": "Cats purr."}"#).text == "Cats purr.")
        await #expect(throws: UpstreamError.self) { try await one(#"{"error": "no cats today"}"#) }
    }

    @Test("A fact with an id that is too long fails with its place")
    func longFactID() async throws {
        var format = try #require(try DirectoryFormat.named("json"))
        let fields = try #require(try YAMLNode.document(Array("{text: /text, id: /id}".utf8)))
        try format.override("fields", with: fields, fields: FactField.allCases.map(\.rawValue))
        for (length, message) in [
            (1024, nil),
            (1025, "cannot read page 1 of https://idp.example/facts: record 2: an id longer than 1024 bytes"),
        ] {
            let body =
                #"[{"id": "1", "text": "a"}, {"id": "\#(String(repeating: "x", count: length))", "text": "b"}]"#
            let service = FactsService.live(
                .facts(
                    format, UpstreamSettings(url: URL(string: "https://idp.example/facts")!, pageSize: 10)),
                transport: HTTPTransport { _ in HTTPResponse(status: 200, body: Array(body.utf8)) },
                one: URL(string: "https://idp.example/fact")!, now: { now })
            var failure: Failure?
            do {
                _ = try await service.fetchPage(.first, nil)
            } catch let error as UpstreamError { failure = error.failure }
            #expect(failure?.message == message)
        }
    }

    @Test("Records without an id fail with their place, and an error at the end of a list with its words")
    func broken() async throws {
        let format = try DirectoryFormat.configured("scim")
        let missing = try await failure(#"{"Resources": [{"userName": "a"}, {"userName": "b"}]}"#, format)
        #expect(
            missing?.message
                == "cannot read page 1 of https://idp.example/users: record 1: no id at /id; see users.fields.id"
        )
        let keycloak = try DirectoryFormat.configured("keycloak")
        let cut = try await failure(
            #"[{"id": "1", "username": "a"}, {"error": "unknown_error", "error_description": "the database went"}]"#,
            keycloak)
        #expect(cut?.message.contains("the database went") == true)
        let within = try await failure(
            #"[{"id": "1", "username": "a"}{"error":"unknown_error","error_description":"the database went"}"#,
            keycloak)
        #expect(within?.message == "https://idp.example/users answered 200: the database went")
        let damaged = try await failure(#"[{"id": "1", "username": "a"}{"error":"unknown"#, keycloak)
        #expect(damaged?.message.contains("not JSON") == true)
        let instead = try await failure(#"{"error": "HTTP 401 Unauthorized"}"#, keycloak)
        #expect(instead?.message.contains("HTTP 401 Unauthorized") == true)
    }

    @Test(
        "A list in another place is reported with that place, and a missing list can be empty"
    )
    func lists() async throws {
        let format = try DirectoryFormat.configured(
            "json", "records: /data\nfields: {id: /id, username: /id}")
        #expect(
            try await failure(#"{"items": [{"id": "1"}]}"#, format)?.message
                == """
                cannot read page 1 of https://idp.example/users: no list at "/data"; there is a list at /items; \
                see users.records
                """)
        #expect(
            try await failure(#"{"data": {"name": "1"}}"#, format)?.message.contains("/data: expected a list")
                == true)
        let scim = try DirectoryFormat.configured("scim")
        for body in [
            #"{"totalResults": 0}"#, #"{"totalResults": 0, "Resources": null}"#, #"{"Resources": []}"#,
        ] {
            #expect(try await page(body, scim).records == [])
        }
        #expect(try await failure(#"{"totalResults": 3}"#, scim)?.message.contains("no list at") == true)
        // A page after the last.
        let second = PageRequest(number: 2, offset: 3, firstPageRecords: 3)
        #expect(try await page(#"{"totalResults": 3}"#, scim, second).records == [])
        let google = try DirectoryFormat.configured("google")
        #expect(
            try await page(#"{"kind": "admin#directory#users", "etag": "e"}"#, google).records == [])
        #expect(try await page(#"{"data": null}"#, format).records == [])
    }

    @Test(
        "A missing list is an error, unless the format is one that omits it",
        arguments: [
            ("json", "{}"), ("json", #"{"ok": true}"#), ("scim", "{}"), ("graph", "{}"), ("google", "{}"),
        ])
    func absentList(name: String, body: String) async throws {
        let format = try DirectoryFormat.configured(
            name, name == "json" ? "records: /data\nfields: {id: /id, username: /id}" : "")
        #expect(try await failure(body, format)?.message.contains("no list at") == true)
    }
}
