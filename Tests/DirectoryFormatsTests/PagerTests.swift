import Foundation
import HTTP
import Model
import Synchronization
import Testing

@testable import Upstream

@Suite("Styles of paging")
struct PagerTests {
    private func pager(_ style: DirectoryFormat.Paging.Style, first: String? = nil) -> Pager {
        var paging = DirectoryFormat.Paging()
        (paging.style, paging.param, paging.size, paging.first) = (style, "p", "n", first)
        return Pager(paging: paging)
    }

    private let settings = UpstreamSettings(
        url: URL(string: "https://idp.example/users?a=b")!, query: "c=d", pageSize: 10)

    private func query(_ pager: Pager, _ page: PageRequest) throws -> String? {
        try pager.request(settings, page).url.query(percentEncoded: true)
    }

    @Test("Pages can follow each other by number")
    func numbers() throws {
        let pager = pager(.number, first: "0")
        #expect(try query(pager, .first) == "n=10&p=0&c=d&a=b")
        let next = try #require(pager.next(after: .first, .init(records: 3, next: nil, total: nil), settings))
        #expect(try query(pager, next) == "n=10&p=1&c=d&a=b")
        #expect(pager.next(after: next, .init(records: 0, next: nil, total: nil), settings) == nil)
    }

    @Test(
        "Pages can follow each other by offset, which counts the received records; a short page ends nothing")
    func offsets() throws {
        let pager = pager(.offset, first: "1")
        #expect(try query(pager, .first) == "n=10&p=1&c=d&a=b")
        let second = try #require(
            pager.next(after: .first, .init(records: 10, next: nil, total: 15), settings))
        #expect(try query(pager, second) == "n=10&p=11&c=d&a=b")
        let third = try #require(pager.next(after: second, .init(records: 4, next: nil, total: 15), settings))
        #expect(try query(pager, third) == "n=10&p=15&c=d&a=b")
        #expect(pager.next(after: third, .init(records: 1, next: nil, total: 15), settings) == nil)
    }

    @Test("Pages continue until an empty one if the total counts only the first page")
    func ownTotal() throws {
        let pager = pager(.offset)
        let second = try #require(
            pager.next(after: .first, .init(records: 10, next: nil, total: 10), settings))
        let third = try #require(
            pager.next(after: second, .init(records: 10, next: nil, total: 10), settings))
        #expect(third.offset == 20)
    }

    @Test("Pages can follow each other by a cursor, which may be empty for the first")
    func cursors() throws {
        let pager = pager(.cursor, first: "")
        #expect(try query(pager, .first) == "n=10&p=&c=d&a=b")
        #expect(try query(self.pager(.cursor), .first) == "n=10&c=d&a=b")
        let next = try #require(
            pager.next(after: .first, .init(records: 0, next: "x/y", total: nil), settings))
        #expect(try query(pager, next) == "n=10&p=x%2Fy&c=d&a=b")
        #expect(pager.next(after: next, .init(records: 10, next: nil, total: 100), settings) == nil)
    }

    @Test("Addresses of next pages are used unchanged, and have to stay on the server")
    func addresses() throws {
        let pager = pager(.url)
        let address = "https://idp.example/other?$skiptoken=a%2c%27&$top=2"
        let next = try #require(
            pager.next(after: .first, .init(records: 1, next: address, total: nil), settings))
        #expect(try pager.request(settings, next).url.absoluteString == address)
        for (given, resolved) in [("?p=2", "https://idp.example/users?p=2"), ("/x", "https://idp.example/x")]
        {
            #expect(
                try pager.request(settings, PageRequest(number: 2, token: given)).url.absoluteString
                    == resolved)
        }
        for other in [
            "http://idp.example:81/", "https://idp.example:444/", "https://evil.example/", "file:///etc",
        ] {
            let error = #expect(throws: UpstreamError.self) {
                try pager.request(settings, PageRequest(number: 2, token: other))
            }
            #expect(error?.failure.kind == .redirect)
        }
    }

    /// Requests the page after a first one of two users; the server answers 404.
    private func second(_ paging: String, total: Int, _ extra: String = "") async throws -> Page<User> {
        let format = try DirectoryFormat(
            name: "people",
            yaml: Array(
                "records: /list\nfields: {id: /id, family: /id}\npaging: {\(paging), total: /total}".utf8),
            fields: UserField.all.map(\.name))
        let isFirst = Atomic(true)
        let service = UsersService.live(
            .users(format, UpstreamSettings(url: settings.url, pageSize: 2), now: { now }),
            transport: HTTPTransport { request in
                guard isFirst.exchange(false, ordering: .relaxed) else {
                    return HTTPResponse(status: 404, body: Array(#"{"detail": "Invalid page."}"#.utf8))
                }
                let list = #"[{"id": "1"}, {"id": "2"}]"#
                return HTTPResponse(
                    status: 200, body: Array(#"{"total": \#(total), "list": \#(list)\#(extra)}"#.utf8))
            }, now: { now })
        let first = try await service.fetchPage(.first, nil)
        return try await service.fetchPage(try #require(first.next), nil)
    }

    @Test(
        "A missing page ends the list if all records have come",
        arguments: ["style: number, param: page", "style: offset, param: start"])
    func notThere(paging: String) async throws {
        #expect(try await second(paging, total: 2) == Page(records: [], end: .notThere(404)))
        let error = await #expect(throws: UpstreamError.self) { try await second(paging, total: 3) }
        #expect(error?.failure.httpStatus == 404)
    }

    @Test("A missing page that a cursor names is a failure, whatever the total")
    func cursorNotThere() async throws {
        let error = await #expect(throws: UpstreamError.self) {
            try await second("style: cursor, param: c, from: /next", total: 2, #", "next": "x""#)
        }
        #expect(error?.failure.message.hasSuffix("answered 404: Invalid page.") == true)
    }

    @Test(
        "Addresses that a TLS proxy changed to http:// are requested as in the settings",
        arguments: [
            ("https://idp.example/users", "http://idp.example/users?p=2", "https://idp.example/users?p=2"),
            ("https://idp.example:8443/", "http://idp.example:8443/x", "https://idp.example:8443/x"),
        ])
    func scheme(url: String, given: String, asked: String) throws {
        let settings = UpstreamSettings(url: try #require(URL(string: url)), pageSize: 10)
        #expect(
            try pager(.link).request(settings, PageRequest(number: 2, token: given)).url.absoluteString
                == asked)
    }

    @Test("A next page on another server is refused, and the message says what to set")
    func otherServer() throws {
        let error = #expect(throws: UpstreamError.self) {
            try pager(.link).request(
                settings, PageRequest(number: 2, token: "https://org.okta.example/x?after=1"))
        }
        #expect(
            error?.failure.message.hasSuffix(
                "; if that is right, set users.url to an address on https://org.okta.example") == true,
            "\(error?.failure.message ?? "")")
    }

    @Test(
        "Addresses of next pages are kept without the settings' own query, which each request adds again",
        arguments: [false, true])
    func ownQuery(isLink: Bool) async throws {
        let format = try DirectoryFormat.configured(
            "json",
            "records: /d\nfields: {id: /id, username: /id}\npaging: {style: \(isLink ? "link" : "url, from: /next"), size: n}"
        )
        let next = "/users?api_key=s%33cret+a&team=b&after=x&n=2"
        let asked = Mutex<[String]>([])
        let service = UsersService.live(
            .users(
                format,
                UpstreamSettings(
                    url: URL(string: "https://idp.example/users?team=a")!, query: "api_key=s3cret%20a",
                    pageSize: 2), now: { now }),
            transport: HTTPTransport { request in
                asked.withLock { $0.append(request.url.absoluteString) }
                return HTTPResponse(
                    status: 200, headers: isLink ? ["Link": "<\(next)>; rel=next"] : [:],
                    body: Array(#"{"d": [{"id": "1"}], "next": "\#(next)"}"#.utf8))
            },
            now: { now })
        let second = try #require(try await service.fetchPage(.first, nil).next)
        #expect(second.token?.contains("cret") == false)
        _ = try await service.fetchPage(second, nil)
        #expect(
            asked.withLock { $0.last } == "https://idp.example/users?api_key=s3cret%20a&team=b&after=x&n=2")
    }

    @Test(
        "Pages can follow each other by the Link header",
        arguments: [
            (["<https://a/?x=1,2>; rel=\"next\""], "https://a/?x=1,2"),
            (["<https://a/1>; rel=\"self\"", "<https://a/2>; rel=\"next\""], "https://a/2"),
            (
                ["<https://a/1>; rel=self, <https://a/2>; title=\"b, rel=last; c\"; rel=\"prev next\""],
                "https://a/2"
            ),
            (["<https://a/1>; rel=\"next\"; results=\"false\"; cursor=\"0:1:0\""], nil),
            (["<https://a/1>; rel=\"next\"; results=\"true\""], "https://a/1"),
            (["<https://a/1>; rel='next'"], "https://a/1"),
            (["<a>; title='b; c, <d>'; rel='prev next'"], "a"),
            (["<a>; title=it's; rel=next"], "a"), (["<a>; title=\"b\\\"; rel=last\"; rel=next"], "a"),
            (["<a>;REL = Next"], "a"), (["<a>; rel=last; rel=next, <b>; x=y; rel=\"next\""], "b"),
            (["<a>, rel=next"], "a"), (["<a> rel=last <b>; rel=next"], "b"), (["<a>; rel=\"next"], "a"),
            (["<a"], nil), (["<a>"], nil), (["<a>; rel"], nil), (["<>; rel=next"], ""),
            ([String(repeating: "<", count: 80_000)], nil),
            (["<https://a/1>; rel=\"self\""], nil), (["nonsense; rel=next"], nil), ([], nil),
        ] as [([String], String?)])
    func links(values: [String], expected: String?) {
        let headers = HTTPHeaders(fields: values.map { .init(name: "link", value: $0) })
        #expect(headers.nextLink == expected)
    }
}
