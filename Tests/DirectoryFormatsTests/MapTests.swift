import Foundation
import HTTP
import Model
import Testing

@testable import Upstream

@Suite("Records in objects and nested lists")
struct MapTests {
    private static let keyed =
        "records: /data/users/*\nfields: {id: /@key, username: /login, display_name: /name}"

    @Test("Records can be the values of an object, whose names can be the ids")
    func map() async throws {
        let format = try DirectoryFormat.configured("json", Self.keyed)
        let users = try await page(
            #"{"data": {"users": {"ann": {"name": "Ann Lee"}, "b\u00f6": {"login": "boe", "name": ""}}}}"#,
            format
        ).records
        #expect(users.map(\.id) == ["ann", "bö"])
        #expect(users.map(\.name.last) == ["Ann Lee", "boe"])
        let whole = try DirectoryFormat.configured(
            "json", "records: /*\nfields: {id: [/nr, /@key], email: /mail, job_title: /@key}")
        let mixed = try await page(#"{"x": {"nr": 7, "mail": "a@x"}, "y": {"mail": "b@x"}}"#, whole).records
        #expect(mixed.map(\.id) == ["7", "y"])
        #expect(mixed.map(\.jobTitle) == ["x", "y"])
    }

    @Test("Records can be a list in place of an object, and an empty one means that there are none")
    func lists() async throws {
        let format = try DirectoryFormat.configured(
            "json", "records: /users/*\nfields: {id: /id, username: /login}")
        #expect(try await page(#"{"users": [{"id": 1, "login": "a"}]}"#, format).records.map(\.id) == ["1"])
        for none in [#"[], "message": "OK""#, #"{}, "message": "OK""#, "null"] {
            let page = try await page(#"{"users": \#(none)}"#, format)
            #expect(page.records == [] && page.leftOut == [])
        }
    }

    @Test(
        "An error in place of the records is reported",
        arguments: [
            ("/data/users/*", #"{"data": {"users": {"error": {"code": 403, "message": "not for you"}}}}"#),
            ("/data/users/*", #"{"error": "not for you", "data": {"users": {"meta": {"code": 403}}}}"#),
            ("/*", #"{"error": {"code": 403, "message": "not for you"}}"#),
            ("/*", #"{"errors": [{"id": "7", "detail": "not for you"}]}"#),
            ("", #"{"id": "7", "message": "not for you"}"#),
            ("/data", #"{"data": {"id": "7", "message": "not for you"}}"#),
        ])
    func errors(records: String, body: String) async throws {
        for fields in ["id: /@key, username: /@key, email: /mail", "id: /id, username: /login"] {
            let format = try DirectoryFormat.configured(
                "json", "records: \"\(records)\"\nfields: {\(fields)}")
            #expect(try await failure(body, format)?.message.contains("not for you") == true, "\(fields)")
        }
    }

    @Test(
        "An object in the place of the list fails, and the failure names a list within it",
        arguments: [
            ("''", #"{"items": [{"id": 1}], "count": 1}"#, "there is a list at /items; see users.records"),
            ("/data", #"{"data": {"a": {"items": [{"id": 1}]}}}"#, "at /data/a/items; see users.records"),
            ("/people", #"{"data": {"items": [{"id": 1}]}}"#, "at /data/items; see users.records"),
            ("/people", #"{"message": "Found", "a": [{"id": 1}]}"#, "at /a; see users.records"),
        ])
    func lists(records: String, body: String, ending: String) async throws {
        let format = try DirectoryFormat.configured(
            "json", "records: \(records)\nfields: {id: /id, username: /login}")
        let failure = try await failure(body, format)
        #expect(failure?.kind == .decode && failure?.message.hasSuffix(ending) == true, "\(failure as Any)")
    }

    @Test("A value that is not a record fails, with a hint if it may be a map")
    func mistakes() async throws {
        let format = try DirectoryFormat.configured(
            "json", "records: /users\nfields: {id: /id, username: /login}")
        #expect(
            try await failure(#"{"users": {"a": {"id": 1, "login": "a"}}}"#, format)?.message
                == """
                cannot read page 1 of https://idp.example/users: /users: expected a list, found an object; if its values are \
                the records, write /users/*
                """)
        let all = try DirectoryFormat.configured(
            "json", "records: /users/*\nfields: {id: /id, username: /login}")
        #expect(
            try await failure(#"{"users": {"count": 2}}"#, all)?.message
                == "cannot read page 1 of https://idp.example/users: record 1: expected an object, found a number"
        )
        #expect(
            try await failure(#"{"users": "none"}"#, all)?.message.contains("expected a list, found a string")
                == true)
        #expect(
            try await failure(#"{"people": {}}"#, all)?.message.contains("no list at \"/users/*\"") == true)
    }

    @Test("Records can be members of each element of a list, or of each value of an object")
    func branches() async throws {
        let format = try DirectoryFormat.configured(
            "json", "records: /teams/*/members\nfields: {id: /id, username: /login}")
        let page1 = try await page(
            #"""
            {"teams": [{"members": [{"id": 1, "login": "a"}, {"id": 2, "login": "b"}]}, {"members": []}, {"name": "x"},
            {"Members": [{"id": 3, "login": "c"}]}]}
            """#, format)
        #expect(page1.records.map(\.id) == ["1", "2", "3"])
        #expect(try await page(#"{"teams": []}"#, format).records == [])
        #expect(
            try await failure(#"{"data": 1, "teams": [{"people": [{"id": 1}]}]}"#, format)?.message.contains(
                "no list at")
                == true)
        // As Zoho People writes them: a list of objects with one member, whose name is the id.
        let nested = try DirectoryFormat.configured(
            "json", "records: /response/result/*/*\nfields: {id: /@key, given: /FirstName, email: /EmailID}")
        let body =
            #"{"response": {"message": "fetched", "result": [{"41": [{"FirstName": "A"}]}, {"42": [{"EmailID": "b@x"}]}]}}"#
        #expect(try await page(body, nested).records.map(\.id) == ["41", "42"])
    }

    @Test("A single record can replace a list of one")
    func one() async throws {
        for (records, body) in [("/users", #"{"users": \#(Self.ann)}"#), ("\"\"", Self.ann)] {
            let format = try DirectoryFormat.configured(
                "json", "records: \(records)\nfields: {id: /id, username: /login, job_title: /title}")
            #expect(try await page(body, format).records.map(\.jobTitle) == ["Head of Sales"])
        }
        let scim = #"{"totalResults": 1, "Resources": {"id": "1", "userName": "ann"}}"#
        #expect(try await page(scim, .configured("scim")).records.map(\.username) == ["ann"])
    }

    private static let ann = #"{"id": 1, "login": "ann", "title": "Head of Sales"}"#

    @Test("Records in objects are recorded in their form, without members that are not read")
    func recordings() throws {
        for (records, body, kept) in [
            (
                "/users/*", #"{"users": {"ann": {"login": "a", "pin": 1}}, "x": 1}"#,
                #"{"users":{"ann":{"login":"a"}}}"#
            ),
            ("/users", #"{"users": {"login": "a", "pin": 1}}"#, #"{"users":{"login":"a"}}"#),
            (
                "/teams/*/people", #"{"teams": [{"people": [{"login": "a", "pin": 1}], "pin": 2}]}"#,
                #"{"teams":[{"people":[{"login":"a"}]}]}"#
            ),
        ] {
            let format = try DirectoryFormat.configured(
                "json", "records: \(records)\nfields: {id: /@key, username: /login}")
            #expect(try recorded(body, format) == kept)
        }
    }
}
