import Foundation
import HTTP
import Model
import Testing
import Upstream

/// Error answers of servers, and the part of them that messages show.
@Suite("Error messages of upstreams")
struct ComplaintTests {
    private func failed(
        users body: String, _ status: Int = 401, _ headers: HTTPHeaders = [:], token: String? = nil
    ) async throws -> UpstreamError {
        let stub = Stub(body, status: status, headers: headers)
        return try await thrown {
            try await UsersService.stubbed(stub, authorization: Authorization { _ in token }).fetchPage(
                .first)
        }
    }

    private func failed(facts body: String, _ status: Int = 401) async throws -> UpstreamError {
        let stub = Stub(body, status: status)
        return try await thrown { try await FactsService.stubbed(stub).fetchPage(.first) }
    }

    static let bodies: [(name: String, body: String, words: String?)] = [
        (
            "Spring",
            #"{"timestamp":"2026-01-02T03:04:05.678+00:00","status":401,"error":"Unauthorized","message":"Full authentication is required to access this resource","path":"/api"}"#,
            "Full authentication is required to access this resource"
        ),
        (
            "Spring without its message",
            #"{"timestamp":"2026-01-02T03:04:05.678+00:00","status":401,"error":"Unauthorized","message":"","path":"/api"}"#,
            "Unauthorized"
        ),
        (
            "problem details",
            #"{"type":"https://a.example/expired","title":"Unauthorized","status":401,"detail":"The token expired on 1 May.","instance":"/api"}"#,
            "The token expired on 1 May."
        ),
        (
            "problem details with a title alone",
            #"{"type":"about:blank","title":"Unauthorized","status":401,"detail":null}"#,
            "Unauthorized"
        ),
        (
            "GitHub",
            #"{"message":"Bad credentials","documentation_url":"https://docs.github.com/rest","status":"401"}"#,
            "Bad credentials"
        ),
        (
            "OAuth", #"{"error":"invalid_token","error_description":"The access token expired"}"#,
            "The access token expired"
        ),
        (
            "Google",
            #"{"error":{"code":401,"message":"Request had invalid authentication credentials.","status":"UNAUTHENTICATED","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"CREDENTIALS_MISSING"}]}}"#,
            "Request had invalid authentication credentials."
        ),
        ("a list of words", #"{"errors":["No such key","Try another"]}"#, "No such key; Try another"),
        (
            "JSON:API",
            #"{"errors":[{"id":"1","status":"401","title":"Unauthorized","detail":"The key has been revoked."}]}"#,
            "The key has been revoked."
        ),
        (
            "JSON:API with a title alone", #"{"errors":[{"status":"401","title":"Unauthorized"}]}"#,
            "Unauthorized"
        ),
        (
            "GraphQL",
            #"{"errors":[{"message":"Not signed in","locations":[{"line":1,"column":2}],"path":["users"]}],"data":null}"#,
            "Not signed in"
        ),
        (
            "SCIM",
            #"{"schemas":["urn:ietf:params:scim:api:messages:2.0:Error"],"detail":"Not for this client","status":"401"}"#,
            "Not for this client"
        ),
        (
            "Salesforce", #"[{"message":"Session expired or invalid","errorCode":"INVALID_SESSION_ID"}]"#,
            "Session expired or invalid"
        ),
        ("a flag and words", #"{"error":true,"message":"Not allowed"}"#, "Not allowed"),
        ("a string", #""Unauthorized""#, "Unauthorized"),
        ("words in words", #"{"error":"Unauthorized","message":"Unauthorized"}"#, "Unauthorized"),
        ("nothing that is known", #"{"code":7,"errors":[],"message":{"id":7},"title":" "}"#, nil),
        ("an object of nothing known", #"{"error": {"code": 7}}"#, nil),
        ("an error of null", #"{"error":null}"#, nil),
        ("nested too deep", #"{"errors":[[[["Unauthorized"]]]]}"#, nil),
        ("a number", "401", nil),
        ("plain text in one line", "  Unauthorized: no key\r\n", "Unauthorized: no key"),
        ("a page of HTML", "\n<html><body>Unauthorized", nil),
        ("JSON that has been cut off", #"{"message":"Unautho"#, nil),
        ("what is no text", "\u{0}\u{1}\u{2}PNG", nil),
        ("two lines of who knows what", "a\nb", nil),
        ("a long line of who knows what", String(repeating: "x", count: 201), nil),
    ]

    @Test(
        "Each format finds the upstream's error text, which does not change the kind of failure"
    )
    func shapes() async throws {
        for (name, body, words) in Self.bodies {
            let users = try await failed(users: body)
            let told = words.map { ": " + $0 } ?? ""
            #expect(users.failure.message == "https://users.example/api/ answered 401" + told, "\(name)")
            let facts = try await failed(facts: body)
            #expect(facts.failure.message == "https://facts.example/facts answered 401" + told, "\(name)")
            for error in [users, facts] {
                let failure = error.failure
                #expect(
                    (failure.kind, failure.retryable, failure.httpStatus) == (.http, false, 401), "\(name)")
            }
        }
    }

    @Test(
        "A 403 that names a rate limit, or describes one, is a rate limit",
        arguments: [
            #"{"error":{"code":403,"message":"User Rate","errors":[{"reason":"userRateLimitExceeded"}]}}"#,
            #"{"error":{"code":403,"message":"Too fast","errors":[{"reason":"quotaExceeded"}]}}"#,
            #"{"message":"Too many requests"}"#, "Too many requests",
            #"{"detail":"API rate limit exceeded"}"#,
            #"{"error":"Refused","message":"Too many requests"}"#,
            #"{"error":{"message":"Later","reason":"rate limit"}}"#,
        ])
    func rateLimits(body: String) async throws {
        for headers in [["Retry-After": "7"], ["X-RateLimit-Reset": "1767323052"]] as [HTTPHeaders] {
            let error = try await failed(users: body, 403, headers)
            #expect((error.failure.kind, error.failure.retryable) == (.rateLimited, true))
            #expect(error.retryAfter == .seconds(7))
        }
        #expect(try await failed(facts: body, 403).failure.kind == .rateLimited)
        #expect(try await failed(facts: #"{"message":"Not for you"}"#, 403).failure.kind == .http)
    }

    @Test(
        "A list in another format leads to advice that names the format",
        arguments: [
            (
                "scim",
                #"{"schemas": ["urn:ietf:params:scim:api:messages:2.0:ListResponse"], "totalResults": 0}"#
            ),
            ("graph", #"{"@odata.context": "https://graph.example/$metadata#users", "value": []}"#),
            ("google", #"{"kind": "admin#directory#users", "users": []}"#),
            ("google-people", #"{"people": [{"resourceName": "people/1"}]}"#),
            ("userd", #"{"users": [{"id": "1", "name": {"first": "A", "last": "B"}, "address": {}}]}"#),
            ("okta", #"[{"id": "1", "status": "ACTIVE", "profile": {"login": "a"}}]"#),
            ("keycloak", #"[{"id": "1", "username": "a", "enabled": true, "name": 5}]"#),
            ("gitlab", #"[{"id": 1, "username": "a", "state": "active", "web_url": "x", "name": 5}]"#),
        ])
    func otherFormats(name: String, body: String) async throws {
        let error = try await failed(users: body, 200)
        #expect(error.failure.kind == .decode && error.failure.advice == Advice(.tryFormat, about: name))
    }

    @Test("An error text in a successful answer without a list is a failure")
    func successes() async throws {
        for body in [#"{"message":"Fine"}"#, #"{"errors":["x"]}"#] {
            #expect(try await failed(users: body, 200).failure.kind == .http, "\(body)")
        }
        #expect(try await failed(users: #""Fine""#, 200).failure.kind == .decode)
        #expect(try await failed(facts: #"{"error":"x"}"#, 200).failure.kind == .http)
        let page = try await UsersService.stubbed(Stub(#"{"results":[],"message":"Fine"}"#)).fetchPage(.first)
        #expect(page.records.isEmpty)
        #expect(
            try await failed(users: #"{"error":{"message":"No"}}"#, 200).failure.message.hasSuffix(
                "answered 200: No"))
    }

    @Test("Plain text is quoted on one line, shortened and escaped; JSON and markup are not")
    func plainText() async throws {
        let long = String(repeating: "word ", count: 100_000)
        for (body, words) in [
            ("Not for you:\r\n\r\n  no key\n", ": Not for you: no key"),
            ("\u{1B}[31mNo\u{202E}", #": \u{1b}[31mNo\u{202e}"#),
            (long, ": \(long.prefix(200))…"), (" \n", ""), (#"{"a": 1}"#, ""), ("{", ""), ("<p>No", ""),
            ("null", ""),
        ] {
            let message = try await failed(users: body, 401, ["content-type": "Text/Plain; charset=utf-8"])
                .failure.message
            #expect(message == "https://users.example/api/ answered 401" + words)
        }
    }

    @Test("A quoted error text has no token in it, even if it is cut in the middle of one")
    func token() async throws {
        let token = "t0ken-canary-31415926"
        for blanks in [0, 185, 190, 195] {
            let text = String(repeating: "x ", count: blanks / 2) + token + " is not known"
            for body in [text, #"{"detail": "\#(text)"}"#] {
                let message = try await failed(users: body, 401, ["Content-Type": "text/plain"], token: token)
                    .failure.message
                #expect(message.contains("REDA"), "\(message)")
                #expect(!message.contains(token.prefix(4)), "\(message)")
            }
        }
    }
}
