import Foundation
import HTTP
import Model
import Synchronization
import Testing

@testable import Upstream

@Suite("The end of a list")
struct ListEndTests {
    private let settings = UpstreamSettings(url: URL(string: "https://idp.example/users")!, pageSize: 10)

    private func pager(_ yaml: String) throws -> Pager {
        Pager(paging: try DirectoryFormat.configured("json", "paging: {\(yaml)}").paging)
    }

    @Test(
        "If paging.more names a member, the page says whether the list ends",
        arguments: [
            ("style: number, param: p", 10, nil, true, nil),
            ("style: number, param: p", 10, nil, false, .noMore),
            // The page's statement takes precedence over its total and its length.
            ("style: number, param: p", 10, 5, true, nil), ("style: number, param: p", 0, nil, true, nil),
            ("style: offset, param: p, step: size", 0, nil, true, nil),
            // The next request would get the same page.
            ("style: offset, param: p", 0, nil, true, .empty),
            ("style: cursor, param: p, from: /n", 10, nil, false, .noMore),
            ("style: url, from: /n", 10, nil, true, nil), ("style: link", 10, nil, false, .noMore),
        ] as [(String, Int, Int?, Bool, ListEnd?)])
    func more(paging: String, records: Int, total: Int?, more: Bool, end: ListEnd?) throws {
        let told = PageFacts(records: records, next: "x", total: total, more: more)
        let pager = try pager("\(paging), more: /more")
        #expect(pager.end(after: .first, told, settings) == end)
        #expect((pager.next(after: .first, told, settings) == nil) == (end != nil))
    }

    @Test(
        "paging.more reads a flag, a text or a number; if it is missing, it says nothing",
        arguments: [
            ("true", false), ("false", true), ("\"False\"", true), ("\"\"", true), ("0", true), ("3", false),
            ("null", true), ("\"x\"", false), ("{}", false),
        ])
    func flags(more: String, isLast: Bool) async throws {
        let format = try DirectoryFormat.configured(
            "json",
            "records: /d\nfields: {id: /id, username: /id}\npaging: {style: number, param: p, more: /info/more}"
        )
        let body = #"{"d": [{"id": "1"}], "info": {"more": \#(more)}}"#
        #expect((try await page(body, format).next == nil) == isLast)
        #expect(try await page(#"{"d": [{"id": "1"}]}"#, format).next != nil)
    }

    @Test(
        "With steps of pages, the list ends at the total, even if pages are incomplete or empty")
    func steps() throws {
        let pager = try pager("style: offset, param: p, step: size, total: /t")
        var page = PageRequest.first
        for (records, end) in [(9, nil), (0, nil), (3, ListEnd.total)] {
            let told = PageFacts(records: records, total: 25)
            #expect(pager.end(after: page, told, settings) == end)
            guard let next = pager.next(after: page, told, settings) else { break }
            page = next
            #expect(page.offset == (page.number - 1) * 10)
        }
        #expect(page.number == 3)
        #expect(pager.end(after: page, .init(records: 0), settings) == .empty)
    }

    @Test("With steps of pages, fewer records than the total are no error")
    func stepsAndTotal() async throws {
        let format = try DirectoryFormat.configured(
            "json",
            "records: /d\nfields: {id: /id, username: /id}\npaging: {style: offset, param: p, step: size, total: /t}"
        )
        #expect(try await page(#"{"t": 3, "d": [{"id": "1"}]}"#, format).total == nil)
    }

    @Test(
        "A page is past the total if all records have come, unless the total counts something else",
        arguments: [(10, 10, true), (10, 25, false), (10, 9, nil), (10, nil, nil)] as [(Int, Int?, Bool?)])
    func pastTotal(records: Int, total: Int?, isPast: Bool?) throws {
        let told = PageFacts(records: records, next: "x", total: total)
        let numbers = try pager("style: number, param: p").next(after: .first, told, settings)
        #expect(numbers?.isPastTotal == isPast)
        let cursors = try pager("style: cursor, param: p, from: /n").next(after: .first, told, settings)
        #expect(cursors?.isPastTotal == nil)
    }

    /// The page that this answer makes.
    private func answer(
        _ status: Int, _ body: String = "", to request: PageRequest, _ name: String = "json"
    ) async throws -> Page<User> {
        let format = try DirectoryFormat.configured(
            name, name == "json" ? "fields: {id: /id, username: /id}" : "")
        return try await page(body, format, status: status, request)
    }

    @Test("A list ends at a page without content")
    func nothing() async throws {
        let second = PageRequest(number: 2, token: "a")
        for request in [PageRequest.first, PageRequest(number: 2)] {
            #expect(try await answer(204, to: request) == Page(records: [], end: .empty))
        }
        // Upstream named this page, so the list may be cut off.
        #expect(try await answer(204, to: second) == Page(records: [], end: .notThere(204)))
        #expect(try await answer(200, " \r\n", to: second) == Page(records: [], end: .notThere(200)))
        await #expect(throws: UpstreamError.self) { try await answer(200, " ", to: .first) }
    }

    @Test(
        "A list ends at a missing page if the total is reached, or if there is none",
        arguments: [
            (404, true, true), (416, true, true), (400, true, true), (404, nil, true), (416, nil, true),
            (400, nil, false), (404, false, false), (416, false, false), (400, false, false),
            (403, true, false), (500, true, false),
        ] as [(Int, Bool?, Bool)])
    func notThere(status: Int, isPastTotal: Bool?, isEnd: Bool) async throws {
        let request = PageRequest(number: 2, offset: 10, isPastTotal: isPastTotal)
        if isEnd {
            #expect(
                try await answer(status, "no", to: request)
                    == Page(records: [], end: .notThere(status)))
        } else {
            await #expect(throws: UpstreamError.self) { try await answer(status, "no", to: request) }
        }
        // For a page that upstream named, and for the first, this is a failure.
        if isPastTotal == nil {
            for other in [PageRequest(number: 2, token: "x"), .first] {
                await #expect(throws: UpstreamError.self) { try await answer(status, "no", to: other) }
            }
        }
    }

    @Test(
        "The address of the next page can be relative to a base in the answer",
        arguments: [
            (
                "/rest/users?start=2", #""https://idp.example/wiki""#,
                "https://idp.example/wiki/rest/users?start=2"
            ),
            ("rest?a", #""https://idp.example/wiki/""#, "https://idp.example/wiki/rest?a"),
            ("/rest", #""/wiki/""#, "https://idp.example/wiki/rest"),
            ("?start=2", #""https://idp.example/wiki""#, "https://idp.example/wiki?start=2"),
            ("https://idp.example/x", #""https://other.example""#, "https://idp.example/x"),
            (
                "/rest?to=https://a", #""https://idp.example/wiki""#,
                "https://idp.example/wiki/rest?to=https://a"
            ),
            ("/rest", "null", "https://idp.example/rest"),
            // The address stays on the server.
            ("/rest", #""https://other.example/wiki""#, nil), ("//other.example/rest", #""/wiki""#, nil),
        ] as [(String, String, String?)])
    func base(next: String, base: String, asked: String?) async throws {
        let format = try DirectoryFormat.configured(
            "json",
            "records: /d\nfields: {id: /id, username: /id}\npaging: {style: url, from: /_links/next, base: /_links/base}"
        )
        let body = #"{"d": [{"id": "1"}], "_links": {"next": "\#(next)", "base": \#(base)}}"#
        let request = try #require(try await page(body, format).next)
        let url = try? Pager(paging: format.paging).request(settings, request).url
        #expect(url?.absoluteString == asked)
    }
}
