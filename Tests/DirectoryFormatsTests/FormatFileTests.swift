import Foundation
import Model
import StrictJSON
import Testing
import YAML

@testable import Upstream

@Suite("Files of formats")
struct FormatFileTests {
    private static let names = UserField.all.map(\.name)

    private func format(_ yaml: String) throws -> DirectoryFormat {
        try DirectoryFormat(name: "test", yaml: Array(yaml.utf8), fields: Self.names)
    }

    @Test("Each format that comes with userd is listed and can be read", arguments: DirectoryFormat.names)
    func builtIn(name: String) throws {
        let format = try #require(try DirectoryFormat.named(name))
        #expect(format.name == name)
        if name != "json" {
            #expect(format.fields["id"] != nil)
            #expect(format.fields["given"] ?? format.fields["display_name"] != nil)
        }
        let text = try #require(DirectoryFormat.text(of: name))
        let again = try DirectoryFormat(name: name, yaml: Array(text.utf8), fields: Self.names)
        #expect(again.fields == format.fields)
    }

    @Test("Each format's file is listed, and each listed format has a file")
    func complete() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let folder = root.appending(path: "Sources/Upstream/Upstream/DirectoryFormats/Formats")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(Set(files) == Set((DirectoryFormat.names + DirectoryFormat.defaults).map { "\($0).yaml" }))
    }

    @Test(
        "A mistake in a format is reported with its key and line",
        arguments: [
            (
                "records: Resources\n", "records", 1,
                #""Resources" is not a pointer: it has to begin with /, as in /Resources"#
            ),
            (
                "fields:\n  id: /id\n  emial: /mail\n", "fields.emial", 3,
                "is not a field; did you mean email?"
            ),
            ("fields:\n  id: [/a, {b: c}]\n", "fields.id", 2, "expected a single value, found a mapping"),
            (
                "fields:\n  id: {work: /a}\n", "fields.id", 2,
                "expected a pointer or a list of pointers, found a mapping"
            ),
            (
                "paging: {style: pages}\n", "paging.style", 1,
                "expected one of none, number, offset, cursor, url, link"
            ),
            (
                "paging:\n  style: cursor\n  param: a\n", "paging", 2,
                "the style cursor needs from, the pointer to the next one"
            ),
            (
                "paging:\n  style: number\n", "paging", 2,
                "the style number needs param, the name of a query parameter"
            ),
            (
                "paging:\n  style: offset\n  param: a\n  first: x\n", "paging", 2,
                #"first is "x"; the style offset needs a number"#
            ),
            (
                "paging: {more: /a}\n", "paging", 1,
                "more has no meaning with the style none, which requests one page"
            ),
            (
                "paging: {style: link, base: /a}\n", "paging", 1,
                "base has a meaning only with the style url"
            ),
            (
                "paging: {style: link, step: size}\n", "paging", 1,
                "step has a meaning only with the styles number and offset"
            ),
            (
                "paging: {style: number, param: a, step: page}\n", "paging.step", 1,
                "expected one of records, size"
            ),
            (
                "paging: {style: link, mroe: /a}\n", "paging.mroe", 1,
                "is not a key of paging; did you mean more?"
            ),
            ("recrods: /a\n", "recrods", 1, "is not a key of a format; did you mean records?"),
            ("page_size: many\n", "page_size", 1, "expected a number"),
            ("fields:\n  id: /a\n  id: /b\n", nil, 3, #"has "id" twice, first on line 2"#),
            ("skip: [/a]\n", "skip", 1, "expected a mapping, found a list"),
        ] as [(String, String?, Int, String)])
    func mistakes(yaml: String, key: String?, line: Int, reason: String) throws {
        #expect(throws: FormatMistake(reason, key: key, line: line)) { try format(yaml) }
    }

    @Test("A client id that comes with a format is Microsoft's alone, and no key of the configuration")
    func clientID() throws {
        let issuer = "https://login.microsoftonline.com/0f0f/v2.0"
        var format = try format("client_id: 0a0b\nfields: {id: /id}\n")
        #expect(format.clientID(at: issuer) == "0a0b")
        for other in [nil, "https://login.microsoftonline.com.evil.test/", "https://idp.test"] {
            #expect(format.clientID(at: other) == nil)
        }
        #expect(try self.format("client_id:\n").clientID(at: issuer) == nil)
        let key = try YAMLNode.document(Array("client_id: b".utf8))
        let mistakes = format.override(with: [("client_id", key)], fields: Self.names)
        #expect(mistakes.map(\.reason) == ["is not a key of a format"])
    }

    @Test("Keys of the configuration replace those of the format, each field separately")
    func overriding() throws {
        var format = try format("fields: {id: /id, phone: /phone, email: /mail}\nskip: {/active: false}\n")
        let keys = "fields: {phone: null, email: [/a, /b]}\nskip:\nrecords: /users\n"
        let node = try #require(try YAMLNode.document(Array(keys.utf8)))
        guard case .mapping(let members) = node.content else { return }
        for member in members {
            try format.override(member.name, with: member.value, fields: Self.names)
        }
        #expect(format.records.description == "/users")
        #expect(Set(format.fields.keys) == ["id", "email"])
        #expect(format.fields["email"]?.places.map(\.pointer.description) == ["/a", "/b"])
        #expect(format.skip == [])
    }
}
