import Foundation
import HTTP
import Model
import Testing

@testable import LDAP
@testable import Upstream

@Suite("Damaged answers of upstreams")
struct LenientTests {
    private func page(_ body: [UInt8], type: String = "application/json") async throws -> Page<User> {
        let service = UsersService.live(
            try .users(
                .configured("scim"),
                UpstreamSettings(url: URL(string: "https://idp.example/users")!, pageSize: 10), now: { now }),
            transport: HTTPTransport { _ in
                HTTPResponse(status: 200, headers: ["Content-Type": type], body: body)
            })
        return try await service.fetchPage(.first, nil)
    }

    @Test("A remark beside a list of null is no error", arguments: ["msg", "info", "reason"])
    func remarks(name: String) async throws {
        let body = #"{"\#(name)": "no results", "Resources": null}"#
        #expect(try await page(Array(body.utf8)).records.isEmpty)
    }

    @Test("Damaged text is read with U+FFFD, and other users are unaffected")
    func texts() async throws {
        let head = #"{"Resources": [{"id": "1", "id": "2", "userName": "a\ud83d", "displayName": "M"#
        let body =
            [0xEF, 0xBB, 0xBF] + Array(head.utf8) + [0xFC]
            + Array(#"ller"}, {"id": "3", "userName": "b"}]}"#.utf8)
        let users = try await page(body).records
        #expect(users.map(\.id) == ["2", "3"])
        #expect(users[0].username == "a\u{FFFD}")
        #expect(users[0].displayName == "M\u{FFFD}ller")
    }

    @Test(
        "Latin-1 is read if the answer names it and is not UTF-8",
        arguments: [
            ("application/json; charset=ISO-8859-1", [0xFC], "ü"),
            ("text/json;charset=\"latin1\"", [0xFC], "ü"),
            ("application/json; Charset='ISO-8859-1'", [0xE9, 0xDF], "éß"),
            // The header is wrong.
            ("application/json; charset=ISO-8859-1", [0xC3, 0xBC], "ü"),
            ("application/json", [0xFC], "\u{FFFD}"), ("application/json; charset=utf-8", [0xFC], "\u{FFFD}"),
        ] as [(String, [UInt8], String)])
    func latin1(type: String, bytes: [UInt8], text: String) async throws {
        let body =
            Array(#"{"Resources": [{"id": "1", "userName": "a", "title": "M"#.utf8) + bytes
            + Array(#"ller"}]}"#.utf8)
        #expect(try await page(body, type: type).records.map(\.jobTitle) == ["M\(text)ller"])
    }

    @Test("NaN, Infinity and members that are nested deeply stand beside what is read")
    func oddities() async throws {
        let deep = String(repeating: "[", count: 500) + String(repeating: "]", count: 500)
        let body = #"""
            {"Resources": [{"id": "1", "userName": "a", "title": NaN, "x": [Infinity, -Infinity, {"y":NaN}],
            "name": {"familyName": NaN, "givenName": Infinity}, "active": NaN, "deep": \#(deep)},
            {"id": NaN, "userName": "b"}, {"id": "2", "userName": "c", "title": "NaN"}]}
            """#
        let page = try await page(Array(body.utf8))
        #expect(page.records.map(\.id) == ["1", "2"] && page.records.map(\.jobTitle) == [nil, "NaN"])
        #expect(page.records.map(\.name.last) == ["a", "c"] && page.unread.unidentified == 1)
        for word in ["NaNa", "Inf", "-NaN", "nan", "N"] {
            await #expect(throws: UpstreamError.self, "\(word)") {
                try await self.page(Array("{\"Resources\": [], \"x\": \(word)}".utf8))
            }
        }
    }

    @Test("A record that `skip` names needs no id, and is counted once")
    func skipped() async throws {
        let format = try DirectoryFormat.configured(
            "json", "records: /d\nskip: {/state: invited}\nfields: {id: /id, username: /name}")
        let body = #"""
            {"d": [{"name": "a", "state": "invited"}, {"name": "b", "state": "invited"}, {"id": "3", "name": "c"},
            {"name": "d"}, {"id": "\#(String(repeating: "x", count: 1025))", "state": "invited"}]}
            """#
        let found = try await DirectoryFormatsTests.page(body, format)
        #expect(found.records.map(\.id) == ["3"] && Set(found.leftOut).count == 3)
        #expect(found.unread.unidentified == 1)
        let invited = #"{"d": [{"name": "a", "state": "invited"}]}"#
        #expect(try await DirectoryFormatsTests.page(invited, format).leftOut.count == 1)
        let computer = try #require(DirectoryEntry.Attribute("objectClass", [Array("computer".utf8)]))
        let entry = DirectoryEntry(dn: "cn=a", attributes: [computer])
        #expect(try EntryReader(.configured("ldap"), now: { now }).read(entry) == .leftOut(id: "cn=a"))
    }

    @Test(
        "The message about invalid JSON names the record and the member",
        arguments: [
            (
                #"{"Resources": [{"id": "1"}, {"id": "2", "emails": [{"value": "a",}]}]}"#,
                "not JSON: record 2: /emails/0: line 1, column 65: trailing comma before }"
            ),
            (
                #"{"schemas": [1,], "Resources": []}"#,
                "not JSON: /schemas: line 1, column 15: trailing comma before ]"
            ),
            (
                #"{"resources": [{"id": 01}]}"#,
                "not JSON: record 1: /id: line 1, column 23: a number with a leading zero"
            ),
        ])
    func places(body: String, message: String) async throws {
        let failure = try await failure(body, .configured("scim"))
        #expect(failure?.message == "cannot read page 1 of https://idp.example/users: " + message)
    }
}
