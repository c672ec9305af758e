import Foundation
import HTTP
import Model
import Testing
import Upstream

@Suite("Unusable HTTP answers")
struct AnswersTests {
    private func failed(_ body: String, _ status: Int = 200, _ headers: HTTPHeaders = [:]) async throws
        -> UpstreamError
    {
        let stub = Stub(body, status: status, headers: headers)
        return try await thrown { try await UsersService.stubbed(stub).fetchPage(.first) }
    }

    @Test(
        "Error statuses are http failures, and those that may pass are retried",
        arguments: [
            (301, false), (305, false), (400, false), (401, false), (404, false), (408, true), (425, true),
            (500, true),
            (502, true), (503, true), (599, true),
        ])
    func statuses(status: Int, retryable: Bool) async throws {
        let error = try await failed("<html>", status, ["Retry-After": "x"])
        #expect(
            error
                == UpstreamError(
                    Failure(
                        kind: .http, message: "https://users.example/api/ answered \(status)",
                        retryable: retryable,
                        httpStatus: status)))
    }

    @Test("429 is a rate limit, and so is 503 with Retry-After")
    func rateLimits() async throws {
        let bare = try await failed("", 429)
        #expect((bare.failure.kind, bare.retryAfter) == (.rateLimited, nil))
        let later = try await failed("", 503, ["retry-AFTER": "7"])
        #expect((later.failure.kind, later.retryAfter) == (.rateLimited, .seconds(7)))
        #expect(later.failure.retryable)
        #expect(later.failure.httpStatus == 503)
    }

    @Test(
        "Retry-After gives a wait between zero and a day",
        arguments: [
            ("0", 0), (" 120 ", 120), ("86400", 86_400), ("1000000000", 86_400),
            ("99999999999999999999999", 86_400),
            ("-5", 0), ("Fri, 02 Jan 2026 03:05:05 GMT", 60), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Sat, 03 Jan 2099 03:04:05 GMT", 86_400), ("Fri, 30 Feb 2026 03:05:05 GMT", nil), ("soon", nil),
            ("", nil),
            ("-", nil), ("1.5", 2), ("2.128", 3), ("9223372036854775807.5", 86_400), ("86400.5", 86_400),
            ("9223372036854775808.5", 86_400), ("0.0", 1), ("2.", nil), ("2.x", nil),
            ("Fri, 02 Foo 2026 03:05:05 GMT", nil),
            ("Fri, 02 Jan 2026 03:05:05 CET", nil),
        ] as [(String, Int64?)])
    func retryAfter(header: String, seconds: Int64?) async throws {
        #expect(try await failed("", 429, ["Retry-After": header]).retryAfter == seconds.map { .seconds($0) })
    }

    @Test(
        "The rate limit headers of Okta and GitHub give the wait, by upstream's own clock",
        arguments: [
            (["X-Rate-Limit-Reset": "1767323105", "Date": "Fri, 02 Jan 2026 03:04:05 GMT"], 60),
            (["X-Rate-Limit-Reset": "1767323105", "Date": "Fri, 02 Jan 2026 03:05:00 GMT"], 5),
            (["X-RateLimit-Reset": "1767323055"], 10), (["X-Rate-Limit-Reset": "1767323000"], 0),
            (["X-Rate-Limit-Reset": "1767323055", "Retry-After": "7"], 7),
            (["X-Rate-Limit-Reset": "soon"], nil),
            (["X-Rate-Limit-Reset": "-1"], nil),
        ] as [(HTTPHeaders, Int64?)])
    func rateLimitReset(headers: HTTPHeaders, seconds: Int64?) async throws {
        #expect(try await failed("", 429, headers).retryAfter == seconds.map { .seconds($0) })
        // It is ignored if the answer is not a rate limit.
        var other = headers
        other["Retry-After"] = nil
        #expect(try await failed("", 500, other).retryAfter == nil)
    }

    @Test(
        "A server that is away waits for the end of a rate limit only if the limit is reached",
        arguments: [
            // GitHub, Okta and Auth0 send them with every answer.
            (["X-RateLimit-Limit": "5000", "X-RateLimit-Remaining": "4999"], nil),
            (["X-Rate-Limit-Remaining": "599"], nil), ([:], nil), (["X-RateLimit-Remaining": "0"], 10),
            (["X-Rate-Limit-Remaining": "0"], 10), (["X-RateLimit-Remaining": "9", "Retry-After": "7"], 7),
        ] as [(HTTPHeaders, Int64?)])
    func away(headers: HTTPHeaders, seconds: Int64?) async throws {
        var headers = headers
        headers["X-RateLimit-Reset"] = "1767323055"
        let error = try await failed("", 503, headers)
        #expect(error.retryAfter == seconds.map { .seconds($0) })
        #expect(error.failure.kind == (seconds == nil ? .http : .rateLimited) && error.failure.retryable)
        #expect(try await failed("", 429, headers).retryAfter == .seconds(seconds ?? 10))
    }

    @Test("Error texts are recognised, also in successful answers")
    func complaints() async throws {
        let limit =
            #"{"error":"Whoa, ease up there cowboy. You've requested 20340 users in the last minute."}"#
        for status in [200, 429, 503] {
            let error = try await failed(limit, status)
            #expect(error.failure.kind == .rateLimited)
            #expect(error.failure.httpStatus == status)
            #expect(error.failure.message.contains("answered \(status): Whoa, ease up"))
        }
        let wrong = try await failed(#"{"error": "Uh oh, something has gone wrong."}"#)
        #expect((wrong.failure.kind, wrong.failure.httpStatus, wrong.failure.retryable) == (.http, 200, true))
        #expect(
            wrong.failure.message
                == "https://users.example/api/ answered 200: Uh oh, something has gone wrong.")
    }

    @Test("Quoted error texts are shortened and escaped")
    func quotes() async throws {
        let text = #"\u001b[31m\u202e"# + String(repeating: "x", count: 300)
        let message = try await failed(#"{"error": "\#(text)"}"#).failure.message
        #expect(message.hasSuffix(#": \u{1b}[31m\u{202e}"# + String(repeating: "x", count: 194) + "…"))
    }

    @Test(
        "catfact's missing fact is recognised by its error text",
        arguments: [(404, 404), (200, 404)])
    func factNotFound(status: Int, expected: Int) async throws {
        let stub = Stub(#"{"message": "Not Found", "code": 404}"#, status: status)
        let facts = FactsService.stubbed(stub)
        for error in [
            try await thrown { try await facts.fetchPage(.first) },
            try await thrown { try await facts.fetchOne() },
        ] {
            #expect((error.failure.kind, error.failure.httpStatus) == (.http, expected))
            #expect(error.failure.message.hasSuffix("answered \(status): Not Found"))
            #expect(!error.failure.retryable)
        }
    }

    @Test(
        "Invalid JSON is a decode failure",
        arguments: [
            ("<?xml version='1.0'?>", #"; it begins with '<?xml version='1.0'?>'"#),
            ("", "not JSON"), ("   ", "not JSON"),
            (#"{"results": [],}"#, "not JSON: line 1, column 15: trailing comma"),
            (#"{ error: "x" }"#, "not JSON"),
            (#"{"results": [1e400]}"#, "not JSON"), (#"{"results": ["#, "not JSON"),
            (String(repeating: "[", count: 100_000), "nested deeper than 512"),
        ])
    func notJSON(body: String, part: String) async throws {
        let error = try await failed(body)
        #expect(error.failure.kind == .decode)
        #expect(
            error.failure.message.hasPrefix("cannot read page 1 of https://users.example/api/: not JSON: "))
        #expect(error.failure.message.contains(part))
    }

    @Test(
        "A web page in place of JSON is called HTML",
        arguments: ["<!DOCTYPE html><title>\u{1B}Sorry", "\n <HTML><body>Sign in", "<html lang=de>"])
    func html(body: String) async throws {
        let failure = try await failed(body).failure
        #expect(failure.kind == .decode && failure.retryable)
        #expect(
            failure.message.hasPrefix(
                "cannot read page 1 of https://users.example/api/: not JSON but HTML, "
                    + "perhaps from a proxy or a network's sign-in page; it begins with '<"))
        #expect(!failure.message.contains("\u{1B}"))
    }

    @Test("Messages quote no parts of answers or addresses that may be secret")
    func noSecrets() async throws {
        let url = URL(string: "https://me:pa55@users.example/api/?key=s3cret#frag")!
        let stub = Stub(#"{"results": [{"name": {"last": "A"}, "login": {"password": "racers" }},]}"#)
        let users = UsersService.stubbed(stub, url: url, authorization: .token { "t0ken" })
        let message = try await thrown { try await users.fetchPage(.first) }.failure.message
        #expect(
            message.hasPrefix("cannot read page 1 of https://users.example/api/: not JSON: /results: line 1"))
        for secret in ["pa55", "s3cret", "racers", "t0ken"] { #expect(!message.contains(secret)) }
    }

    @Test("Other success statuses are accepted")
    func otherSuccess() async throws {
        let page = try await UsersService.stubbed(Stub("[]", status: 203)).fetchPage(.first)
        #expect(page.records.isEmpty)
    }
}
