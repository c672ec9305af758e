import HTTP
import Model
import Testing

@testable import Upstream

@Suite("What decides whether a list is whole")
struct WholeListTests {
    private static let fields = "records: /d\nfields: {id: /id, username: /name}\n"

    private func format(_ paging: String) throws -> DirectoryFormat {
        try .configured("json", Self.fields + "paging: {\(paging)}")
    }

    private func list(_ members: String) -> String { #"{"d": [{"id": "1", "name": "ann"}]\#(members)}"# }

    @Test(
        "A value that names no page ends the list",
        arguments: [
            ("style: url, from: /next", "false"), ("style: url, from: /next", "\"\""),
            ("style: url, from: /next", "null"), ("style: cursor, param: c, from: /next", "0"),
            ("style: cursor, param: c, from: /next", "\"0\""),
            ("style: cursor, param: c, from: /next", "false"),
            ("style: number, param: p, from: /next", "false"),
        ])
    func noNext(paging: String, value: String) async throws {
        let page = try await page(list(#", "next": \#(value)"#), format(paging))
        #expect(page.next == nil && page.end == .noNext)
    }

    @Test("A value that says that there is more leads to the next number")
    func moreByValue() async throws {
        let page = try await page(list(#", "next": true"#), format("style: number, param: p, from: /next"))
        #expect(page.next?.number == 2)
    }

    private static let later = PageRequest(number: 2, offset: 1, firstPageRecords: 1, token: "x")

    @Test(
        "After page 1, a missing list is an empty page if the answer says so, or has nothing else",
        arguments: [
            ("{}", true), (#"{"next": null}"#, true), (#"{"next": "y"}"#, true), (#"{"next": ""}"#, true),
            (#"{"etag": "1", "kind": "users"}"#, true), (#"{"next": null, "status": "ok"}"#, true),
            (#"{"status": "degraded"}"#, false), (#"{"next": "y", "status": "degraded"}"#, false),
            (#"{"d": null, "status": "ok"}"#, true), (#"{"items": [{"id": "2"}]}"#, false),
            (#"{"next": null, "items": [{"id": "2"}]}"#, false), ("[]", false), ("7", false),
        ])
    func missingList(answer: String, isEmpty: Bool) async throws {
        let cursor = try format("style: cursor, param: c, from: /next")
        if isEmpty {
            #expect(try await page(answer, cursor, Self.later).records == [])
        } else {
            await #expect(throws: UpstreamError.self) { try await page(answer, cursor, Self.later) }
        }
    }

    @Test(
        "On page 1, a missing list is empty only if the total says so, or as Google sends it",
        arguments: [
            ("{}", false), (#"{"next": null}"#, false), (#"{"total": 0}"#, true), (#"{"total": 5}"#, false),
            (#"{"kind": "admin#directory#users", "etag": "1"}"#, true), (#"{"d": null}"#, true),
            (#"{"kind": "Error", "message": "x"}"#, false),
        ])
    func missingFirst(answer: String, isEmpty: Bool) async throws {
        let cursor = try format("style: cursor, param: c, from: /next, total: /total")
        if isEmpty {
            #expect(try await page(answer, cursor).records == [])
        } else {
            await #expect(throws: UpstreamError.self) { try await page(answer, cursor) }
        }
    }

    @Test("A record without an id, a null and another odd one are left out and counted, unless all are odd")
    func odd() async throws {
        let format = try format("style: none")
        let good = #"{"id": "1", "name": "ann"}"#
        let pending = #"{"name": "pending invitation"}"#
        for odd in [pending, "null", "7", #"{"id": "\#(String(repeating: "x", count: 1025))", "name": "b"}"#]
        {
            let found = try await page(#"{"d": [\#(good), \#(odd)]}"#, format)
            #expect(found.records.map(\.id) == ["1"] && found.leftOut == [])
            #expect(found.unread.unidentified == 1)
            #expect(found.unread.reason?.hasPrefix("record 2: ") == true)
            #expect(try await failure(#"{"d": [\#(odd)]}"#, format)?.message.contains("record 1: ") == true)
        }
        let nameless = try await page(#"{"d": [\#(good), {"id": "2"}]}"#, format)
        #expect(
            nameless.unread == UnreadRecords(nameless: 1) && nameless.leftOut == ["2"].map(Digest.leftOut))
    }

    @Test("Records that are lists are read, as in spreadsheets, and so is an answer behind a guard line")
    func spreadsheet() async throws {
        let format = try DirectoryFormat.configured(
            "json", "records: /values\nfields: {id: /0, given: /1, email: /2}")
        let body = #"{"values": [["1", "Ann", "ann@a.example"], ["2", "Ben"]]}"#
        for answer in [body, ")]}'\n" + body] {
            let found = try await page(answer, format)
            #expect(found.records.map(\.id) == ["1", "2"] && found.records[0].email == "ann@a.example")
        }
    }

    @Test("More than 100,000 records in one answer are read")
    func large() async throws {
        let records = (1...100_001).map { #"{"id":\#($0),"name":"n"}"# }.joined(separator: ",")
        #expect(try await page(#"{"d":[\#(records)]}"#, format("style: none")).records.count == 100_001)
    }

    @Test(
        "Pages that are counted are told from those that a cursor names",
        arguments: [
            ("style: number, param: p", "", "", true), ("style: offset, param: p", "", "", true),
            ("style: cursor, param: c, from: /next", #", "next": "abc""#, "", false),
            ("style: cursor, param: c, from: /next", #", "next": 2"#, "", true),
            ("style: cursor, param: c, from: /next", #", "next": 90210"#, "", false),
            ("style: url, from: /next", #", "next": "?page=2""#, "", true),
            ("style: url, from: /next", #", "next": "?$skip=1""#, "", true),
            ("style: url, from: /next", #", "next": "?$skiptoken=1x""#, "", false),
            ("style: url, from: /next", #", "next": "?after=1""#, "", false),
            ("style: link, size: per_page", "", "?per_page=1&page=2", true),
            ("style: link, size: per_page", "", "?pagination=keyset&per_page=1&id_before=90210", false),
            ("style: link, size: limit", "", "?limit=1&page_token=k2", false),
        ])
    func counted(paging: String, members: String, link: String, isCounted: Bool) async throws {
        let headers: HTTPHeaders = link.isEmpty ? [:] : ["Link": "<\(link)>; rel=\"next\""]
        let page = try await page(list(members), format(paging), headers: headers)
        #expect((page.next?.isCounted == true) == isCounted)
    }

    @Test("A cursor can be in a header, which an unchanged body may come with anew")
    func headerCursor() async throws {
        let format = try format("style: cursor, param: continuationToken, from: header X-Continuation")
        let first = try await page(list(""), format, headers: ["x-continuation": "abc"])
        #expect(first.next?.token == "abc")
        let other = try await page(list(""), format, headers: ["x-continuation": "def"])
        #expect(first.known != nil && first.known?.digest != other.known?.digest)
        let last = try await page(list(""), format)
        #expect(last.next == nil && last.end == .noNext)
        for mistake in ["style: url, from: header X", "style: cursor, param: c, from: \"header \""] {
            #expect(throws: FormatMistake.self) { try self.format(mistake) }
        }
    }

    @Test("An empty page ends every style once the total is reached")
    func emptyAtTotal() async throws {
        for paging in ["style: url", "style: cursor, param: c"] {
            let format = try format("\(paging), from: /next, total: /total")
            let answer = #"{"d": [], "next": "?x=3", "total": 20}"#
            let before = PageRequest(number: 2, offset: 10, firstPageRecords: 10, token: "x")
            #expect(try await page(answer, format, before).next != nil)
            let after = PageRequest(number: 3, offset: 20, firstPageRecords: 10, token: "x")
            #expect(try await page(answer, format, after).end == .total)
        }
    }
}
