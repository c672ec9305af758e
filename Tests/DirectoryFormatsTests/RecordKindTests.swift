import Foundation
import HTTP
import Model
import StrictJSON
import Testing

@testable import Upstream

@Suite("Groups, rooms and others among records of JSON")
struct RecordKindTests {
    private static let yaml = """
        fields: {id: /id, display_name: /name, kind: [/type, /sort]}
        skip: {/gone: true}
        kind_values: {List: group, 7: room}
        """

    private func format(_ kinds: Set<UserKind>, _ yaml: String = yaml) throws -> DirectoryFormat {
        var format = try DirectoryFormat.configured("json", yaml)
        format.kinds = kinds
        return format
    }

    private static let body = """
        [{"id": 1, "name": "A"}, {"id": 2, "name": "B", "type": null}, {"id": 3, "name": "C", "type": "Person"},
        {"id": 4, "name": "D", "type": "list"}, {"id": 5, "name": "E", "type": "GROUP"}, {"id": 6, "name": "F", "sort": 7},
        {"id": 7, "name": "G", "type": "robot"}, {"id": 8, "name": "H", "type": "mailbox", "gone": true},
        {"id": 9, "name": "I", "type": "contact"}]
        """

    @Test("A record's kind is one of the five words, or one that the settings translate; else a person")
    func words() async throws {
        let found = try await page(Self.body, format(Set(UserKind.allCases)))
        #expect(found.records.map(\.id) == ["1", "2", "3", "4", "5", "6", "9"])
        #expect(found.records.map(\.kind) == [nil, nil, nil, .group, .group, .room, .contact])
        #expect(found.leftOut == [Digest.leftOut("7"), Digest.leftOut("8")])
    }

    @Test("Records of kinds that are not asked for are left out and counted")
    func unwanted() async throws {
        let persons = try await page(Self.body, format([.person]))
        #expect(persons.records.map(\.id) == ["1", "2", "3"] && persons.leftOut.count == 6)
        let groups = try await page(Self.body, format([.group]))
        #expect(groups.records.map(\.id) == ["4", "5"] && groups.leftOut.count == 7)
    }

    @Test("A change that lacks the kind is of the kind that is cached")
    func changes() throws {
        var format = try DirectoryFormat.configured(
            "graph", "fields: {kind: /userType}\nkind_values: {Guest: contact, Member: person}")
        format.kinds = [.contact]
        format.isOfChanges = true
        let body = """
            {"value": [{"id": "1", "displayName": "A"}, {"id": "2", "userType": "Member"},
            {"id": "3", "userType": "Guest"}]}
            """
        let settings = UpstreamSettings(url: URL(string: "https://a.test/users")!, pageSize: 10)
        let reader = PageReader.users(format, settings, now: { now })
        let answer = try JSONValue(upstream: Array(body.utf8))
        let page = try reader.read(answer, HTTPResponse(status: 200), to: .first)
        #expect(page.records.map(\.id) == ["1", "3"] && page.gone.map(\.id) == ["2"])
        #expect(page.records.map(\.kind) == [nil, .contact])
        #expect(page.lacking[0]?.absent.contains(.kind) == true)
    }

    @Test("A published list has further kinds beside the persons, for those who ask for them")
    func published() async throws {
        let body = """
            {"users": [{"id": "1", "name": {"first": "", "last": "A"}}],
            "others": [{"id": "2", "name": {"first": "", "last": "B"}, "kind": "group"},
            {"id": "3", "name": {"first": "", "last": "C"}, "kind": "room"}]}
            """
        var format = try DirectoryFormat.configured("userd")
        #expect(try await page(body, format).records.map(\.id) == ["1"])
        #expect(try await page(body, format).leftOut == [])
        format.kinds = [.person, .room]
        let found = try await page(body, format)
        #expect(found.records.map(\.id) == ["1", "3"] && found.records.map(\.kind) == [nil, .room])
        #expect(found.leftOut == [Digest.leftOut("2")])
        let none = try await page(#"{"users": [{"id": "1", "name": {"first": "", "last": "A"}}]}"#, format)
        #expect(none.records.map(\.id) == ["1"])
        // A recording has what is read.
        #expect(try recorded(body, format).contains(#""room""#))
        #expect(try !recorded(body, .configured("userd")).contains(#""room""#))
    }

    @Test(
        "A word that stands for no kind is a mistake with its key",
        arguments: [
            ("kind_values: {list: grup}", "kind_values.list"), ("kind_values: [group]", "kind_values"),
            ("kind_values: {list: [group]}", "kind_values.list"),
        ])
    func mistakes(yaml: String, key: String) throws {
        let mistake = #expect(throws: FormatMistake.self) { try DirectoryFormat.configured("json", yaml) }
        #expect(mistake?.key == key)
    }
}
