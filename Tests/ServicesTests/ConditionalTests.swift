import Foundation
import HTTP
import Model
import Testing
import Upstream

@Suite("Conditional requests for pages")
struct ConditionalTests {
    private static let body = #"{"results": [{"name": {"last": "N"}}, {"name": {"last": "M"}}]}"#
    private static let date = "Thu, 01 Jan 2026 12:00:00 GMT"
    private static let sent = "Thu, 01 Jan 2026 12:00:01 GMT"

    /// Answers 304 to conditional requests, and a page with these headers to others.
    private func site(_ headers: HTTPHeaders) -> Stub {
        Stub { request in
            let isConditional =
                request.headers["If-None-Match"] != nil || request.headers["If-Modified-Since"] != nil
            return isConditional
                ? HTTPResponse(status: 304)
                : HTTPResponse(status: 200, headers: headers, body: Array(Self.body.utf8))
        }
    }

    private func known(_ headers: HTTPHeaders) async throws -> KnownPage? {
        try await UsersService.stubbed(site(headers)).fetchPage(.first).known
    }

    @Test(
        "A request sends back the validators of the cached page unchanged",
        arguments: [
            (["ETag": #""a b's""#], nil), (["etag": #""abc""#], #""abc""#),
            (["ETag": #"W/"0/x""#], #"W/"0/x""#),
            (["ETag": #""""#], #""""#),
        ] as [(HTTPHeaders, String?)])
    func etags(headers: HTTPHeaders, expected: String?) async throws {
        let stub = site(headers)
        let users = UsersService.stubbed(stub)
        let page = try await users.fetchPage(.first)
        let known = try #require(page.known)
        #expect(known.validators == Validators(etag: expected))
        #expect(try await users.fetchPage(.first, known) == .unchanged(known))
        #expect(stub.asked.last?.headers["If-None-Match"] == expected)
        #expect(stub.asked.last?.headers["If-Modified-Since"] == nil)
    }

    @Test("A request sends both the tag and the date if both are known")
    func both() async throws {
        let stub = site(["ETag": #""e""#, "Last-Modified": Self.date, "Date": Self.sent])
        let users = UsersService.stubbed(stub)
        let page = try await users.fetchPage(.first)
        #expect(page.known?.validators == Validators(etag: #""e""#, lastModified: Self.date))
        #expect(try await users.fetchPage(.first, page.known).isUnchanged)
        #expect(stub.asked.last?.headers["If-None-Match"] == #""e""#)
        #expect(stub.asked.last?.headers["If-Modified-Since"] == Self.date)
        #expect(stub.asked.last?.headers["Accept"] == "application/json")
    }

    @Test(
        "A tag that could mean something else in a request is dropped",
        arguments: [
            "*", "", "abc", #"abc""#, #""abc"#, #"""#, #"w/"abc""#, #"W/"#, #"W/abc"#, #""a", "b""#,
            #""a"b""#,
            "\"a\u{1}\"", "\"a\r\nx: y\"", "\"a\u{7F}\"", #""é""#,
            "\"" + String(repeating: "x", count: 1023) + "\"",
        ])
    func badTags(tag: String) async throws {
        #expect(try await known(["ETag": tag])?.validators == Validators())
    }

    @Test("A tag may have up to a kilobyte")
    func longTag() async throws {
        let tag = "\"" + String(repeating: "x", count: 1022) + "\""
        #expect(try await known(["ETag": tag])?.validators == Validators(etag: tag))
    }

    @Test(
        "A date is kept only if no later version can have the same",
        arguments: [
            (date, sent, true), (date, "Fri, 02 Jan 2026 00:00:00 GMT", true), (date, date, false),
            (sent, date, false), (date, nil, false), (date, "now", false), ("yesterday", sent, false),
            ("Thu\u{1}, 01 Jan 2026 12:00:00 GMT", sent, false),
            (String(repeating: "x", count: 1024) + ", 01 Jan 2026 12:00:00 GMT", sent, false),
        ] as [(String, String?, Bool)])
    func dates(modified: String, sent: String?, isKept: Bool) async throws {
        var headers: HTTPHeaders = ["Last-Modified": modified]
        headers["Date"] = sent
        #expect(
            try await known(headers)?.validators == Validators(lastModified: isKept ? modified : nil))
    }

    @Test("Answers other than 200 have no validators")
    func otherStatus() async throws {
        let stub = Stub(Self.body, status: 203, headers: ["ETag": #""e""#])
        #expect(try await UsersService.stubbed(stub).fetchPage(.first).known == nil)
    }

    @Test("A page is requested without conditions if anything else about it has changed")
    func otherKey() async throws {
        let headers: HTTPHeaders = ["ETag": #""e""#]
        let known = try #require(try await known(headers))
        let others: [(Stub) -> UsersService] = [
            { .stubbed($0, url: URL(string: "https://users.example/v2/")!) },
            { .stubbed($0, query: "seed=1") },
            { .stubbed($0, pageSize: 3) }, { .stubbed($0, pages: 2) }, { .stubbed($0, pages: nil) },
        ]
        var keys: Set = [known.key]
        for other in others {
            let stub = site(headers)
            let page = try await other(stub).fetchPage(.first, known).whole
            #expect(stub.asked.map { $0.headers["If-None-Match"] } == [nil])
            keys.insert(try #require(page.known?.key))
        }
        let stub = site(headers)
        for number in [2, 3] {
            keys.insert(
                try #require(
                    try await UsersService.stubbed(stub, pages: 1)
                        .fetchPage(PageRequest(number: number), known).whole.known?.key))
        }
        keys.insert(
            try #require(
                try await UsersService.stubbed(stub).fetchPage(PageRequest(number: 1, token: "s"), known)
                    .whole.known?.key))
        #expect(keys.count == 9)
    }

    @Test("A page's key is a digest that reveals nothing of its address")
    func key() async throws {
        let stub = site(["ETag": #""e""#])
        let users = UsersService.stubbed(stub, query: "key=s3cret")
        let key = try #require(try await users.fetchPage(.first).known?.key)
        #expect(key.utf8.count == 32 && key.allSatisfy(\.isHexDigit))
        #expect(try await users.fetchPage(.first).known?.key == key)
    }

    @Test("After a 304 a page is unchanged, whatever else the answer has")
    func location() async throws {
        let stub = Stub { request in
            request.headers["If-None-Match"] == nil
                ? HTTPResponse(status: 200, headers: ["ETag": #""e""#], body: Array(Self.body.utf8))
                : HTTPResponse(
                    status: 304, headers: ["Location": "https://elsewhere.example/", "ETag": #""f""#],
                    body: Array("<html>".utf8))
        }
        let users = UsersService.live(
            randomuser(UpstreamSettings(url: api, pageSize: 2, pages: 1)),
            transport: stub.transport.followingRedirects())
        let known = try #require(try await users.fetchPage(.first).known)
        #expect(try await users.fetchPage(.first, known) == .unchanged(known))
        #expect(stub.asked.count == 2)
    }

    @Test("After a 200 with another body a page is new, even with the same tag")
    func sameTag() async throws {
        let users = UsersService.stubbed(Stub(Self.body, headers: ["ETag": #""e""#]))
        let known = try await users.fetchPage(.first).known
        let others = UsersService.stubbed(Stub(Self.body + " ", headers: ["ETag": #""e""#]))
        #expect(try await others.fetchPage(.first, known).whole.records.count == 2)
    }

    @Test("After an unexpected 304 a page is requested once more, past all caches")
    func unasked() async throws {
        let stub = Stub { request in
            request.headers["Cache-Control"] == nil
                ? HTTPResponse(status: 304, headers: ["ETag": #""e""#])
                : HTTPResponse(status: 200, body: Array(Self.body.utf8))
        }
        let users = UsersService.stubbed(stub, authorization: .token { "t" })
        #expect(try await users.fetchPage(.first).records.count == 2)
        // Conditions of another page count as none.
        let other = KnownPage(key: "other", validators: Validators(etag: #""e""#))
        #expect(try await users.fetchPage(.first, other).whole.records.count == 2)
        #expect(stub.asked.map { $0.headers["Cache-Control"] } == [nil, "no-cache", nil, "no-cache"])
        #expect(
            stub.asked.allSatisfy {
                $0.headers["If-None-Match"] == nil && $0.headers["Authorization"] == "Bearer t"
            })
    }

    @Test("A page fails if upstream answers nothing but 304")
    func always304() async throws {
        let stub = Stub("", status: 304)
        let error = try await thrown { try await UsersService.stubbed(stub).fetchPage(.first) }
        #expect(
            error.failure
                == Failure(
                    kind: .http,
                    message:
                        "https://users.example/api/ answered 304 (not modified), "
                        + "although the request had no condition",
                    retryable: false, httpStatus: 304))
        #expect(stub.asked.count == 2)
    }

    @Test("Facts are requested conditionally, too")
    func facts() async throws {
        let stub = Stub { request in
            request.headers["If-None-Match"] == nil
                ? HTTPResponse(
                    status: 200, headers: ["ETag": #""e""#], body: Array(#"{"data": [{"fact": "A"}]}"#.utf8))
                : HTTPResponse(status: 304)
        }
        let facts = FactsService.stubbed(stub)
        let known = try await facts.fetchPage(.first).known
        #expect(try await facts.fetchPage(.first, known).isUnchanged)
        #expect(try await !facts.fetchPage(PageRequest(number: 2), known).isUnchanged)
    }
}
