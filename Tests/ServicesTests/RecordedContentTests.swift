import Foundation
import Model
import TestSupport
import Testing
import Upstream

@testable import HTTP

@Suite("Contents of recordings")
struct RecordedContentTests {
    private static let users = #"""
        {"results": [{"gender": "female", "name": {"title": "Ms", "first": "A\u00e4", "last": "B", "nick": "canary"},
          "login": {"uuid": "1", "username": "ann", "password": "canary", "salt": "canary", "md5": "canary",
            "sha1": "canary", "sha256": "canary", "name": "canary"},
          "location": {"street": {"number": 1, "name": "C", "password": "canary"}, "postcode": 12, "notes": ["canary"]},
          "dob": {"date": "1970-01-02T03:04:05Z", "age": 30, "seed": "canary"}, "id": {"name": "canary", "value": "7"},
          "email": "a@b.example", "token": "canary", "results": [{"email": "canary"}], "page": 1.50}],
         "info": {"seed": "s", "results": "canary", "version": "canary"}, "email": "canary", "error": null}
        """#

    private func text(_ outcome: Recording.Outcome?) throws -> String {
        guard case .answer(let answer)? = outcome else { throw CocoaError(.coderInvalidValue) }
        return String(decoding: answer.body, as: UTF8.self)
    }

    @Test("A recording has only the members of users that userd reads, at any depth")
    func users() async throws {
        let recording = try await record(Stub(Self.users)) { _ = try await $0.users.fetchPage(.first) }
        #expect(
            try text(recording.exchanges.first?.outcome) == #"""
                {"results":[{"gender":"female","name":{"title":"Ms","first":"Aä","last":"B"},\#
                "login":{"uuid":"1","username":"ann"},\#
                "location":{"street":{"number":1,"name":"C"},"postcode":12},\#
                "dob":{"date":"1970-01-02T03:04:05Z","age":30},"id":{"value":"7"},"email":"a@b.example"}],\#
                "info":{"seed":"s"}}
                """#)
        let page = try await replayed(recording).users.fetchPage(.first)
        let whole = try await UsersService.stubbed(Stub(Self.users)).fetchPage(.first)
        #expect(page.unversioned == whole.unversioned)
    }

    @Test("A replay has the advice of a failure, and the clear signs of more users")
    func advice() async throws {
        let other = Stub(#"{"@odata.context": "https://graph.example/$metadata#users", "value": []}"#)
        let failed = try await record(other) { services in
            _ = try? await services.users.fetchPage(.first)
        }
        let failure = try await thrown { try await replayed(failed).users.fetchPage(.first) }.failure
        #expect(
            failure.advice == Advice(.tryFormat, about: "graph")
                && !failure.reason.contains("set users.format"))
        #expect(failure.message.hasSuffix("; it looks like graph: set users.format to that"))

        let pages = PageReader.users(
            try .builtIn("google"), UpstreamSettings(url: api, pageSize: 2), now: { now })
        let answers = [
            #"{"users": [{"id": "1", "primaryEmail": "a"}], "meta": {"total": "7", "notes": "canary"}}"#,
            #"{"users": [{"id": "1", "primaryEmail": "a"}], "a": {"next": {"href": "/users?page=2&key=canary"}}, "canary": 1}"#,
            #"{"users": [{"id": "1", "primaryEmail": "a"}], "links": [{"rel": "next", "href": "/users?page=2", "name": "canary"}]}"#,
        ]
        for answer in answers {
            let recorder = Recorder(
                session: Recording.Session(version: "1"), redactor: SecretRedactor(), now: { now },
                monotonic: { .zero })
            func users(_ transport: HTTPTransport, _ recorder: Recorder?) -> UsersService {
                .live(
                    pages, transport: transport, recorder: recorder, now: { now })
            }
            let live = try await users(Stub(answer).transport.recorded(by: recorder), recorder).fetchPage(
                .first)
            let har = Array(recorder.har().joined())
            #expect(!String(decoding: har, as: UTF8.self).contains("canary"))
            let replay = Replay(try Recording(har: har)).transport(maxResponseBytes: 1 << 20)
            #expect(live.more != nil)
            #expect(try await users(replay, nil).fetchPage(.first).more == live.more)
        }
    }

    @Test("A replay has an empty page of Google, on which there is no list")
    func empty() async throws {
        let pages = PageReader.users(
            try .builtIn("google"), UpstreamSettings(url: api, pageSize: 2), now: { now })
        let answer = Stub(#"{"kind": "admin#directory#users", "etag": "\"a\""}"#)
        for request in [PageRequest.first, PageRequest(number: 2, token: "t")] {
            let recorder = Recorder(
                session: Recording.Session(version: "1"), redactor: SecretRedactor(), now: { now },
                monotonic: { .zero })
            func users(_ transport: HTTPTransport, _ recorder: Recorder?) -> UsersService {
                .live(
                    pages, transport: transport, recorder: recorder, now: { now })
            }
            _ = try await users(answer.transport.recorded(by: recorder), recorder).fetchPage(request)
            let replay = Replay(try Recording(har: Array(recorder.har().joined())))
            let page = try await users(replay.transport(maxResponseBytes: 1 << 20), nil).fetchPage(request)
            #expect(page.records.isEmpty && page.next == nil)
        }
    }

    @Test("A recording of facts has their texts, the address of the next page and the total")
    func facts() async throws {
        let body = #"""
            {"data": [{"fact": "Cats purr.", "length": 10, "author": "canary"}], "total": "7", "per_page": "canary",
             "next_page_url": "https:\/\/me:canary@a.example\/facts?page=2", "links": ["canary"]}
            """#
        let recording = try await record(Stub(body)) {
            _ = try await $0.facts.fetchPage(.first)
        }
        #expect(
            try text(recording.exchanges.first?.outcome)
                == #"{"data":[{"fact":"Cats purr."}],"total":"7","next_page_url":"https://a.example/facts?page=2"}"#
        )
        let page = try await replayed(recording).facts.fetchPage(.first)
        #expect(page.next?.number == 2 && page.total == 7)
    }

    @Test("A recording has the text of a single fact, and the bytes of a picture")
    func others() async throws {
        let one = try await record(Stub(#"{"fact": "a", "length": 1, "token": "canary"}"#)) {
            _ = try await $0.facts.fetchOne()
        }
        #expect(try text(one.exchanges.first?.outcome) == #"{"fact":"a"}"#)
        #expect(one.exchanges.first?.url.absoluteString == "https://facts.example/fact?max_length=90")
        let headers: HTTPHeaders = ["Content-Type": "image/png", "Set-Cookie": "canary"]
        let answer = HTTPResponse(status: 200, headers: headers, body: [0xFF, 0, 1])
        let picture = try await record(HTTPTransport { _ in answer }) {
            _ = try await $0.pictures.fetch("https://p.example/1.png?sig=canary", nil)
        }
        #expect(picture.exchanges.first?.url.absoluteString == "https://p.example/1.png?sig=REDACTED")
        #expect(
            picture.exchanges.first?.outcome
                == .answer(
                    HTTPResponse(status: 200, headers: ["Content-Type": "image/png"], body: [0xFF, 0, 1])))
        let fetched = try await replayed(picture).pictures.fetch("https://p.example/1.png?sig=canary", nil)
        guard case .picture(let found) = fetched else { throw CocoaError(.coderInvalidValue) }
        #expect(found.content == [0xFF, 0, 1])
    }

    @Test("A recording has the headers that userd reads, and values of parameters that choose records")
    func headers() async throws {
        let headers: HTTPHeaders = [
            "Set-Cookie": "canary", "X-Api-Key": "canary", "Server": "canary", "canary": "a", "etag": "\"1\"",
            "Content-Type": "application/json", "Retry-After": "3",
            "Location": "https://me:canary@a.example/x?to=canary&page=1&canary#canary",
        ]
        let recording = try await record(
            Stub("[]", headers: headers).transport, query: "nat=us&api_key=canary&x-y=canary"
        ) { _ = try await $0.users.fetchPage(.first) }
        let exchange = try #require(recording.exchanges.first)
        #expect(
            exchange.url.absoluteString
                == "https://users.example/api/?results=2&page=1&nat=us&api_key=REDACTED&x-y=REDACTED")
        guard case .answer(let answer) = exchange.outcome else { throw CocoaError(.coderInvalidValue) }
        #expect(
            answer.headers.fields.map { "\($0.name): \($0.value)" } == [
                "Content-Type: application/json", "ETag: \"1\"",
                "Location: https://a.example/x?to=REDACTED&page=1&REDACTED", "Retry-After: 3",
            ])
        let page = try await replayed(recording, query: "nat=us&api_key=other&x-y=9").users.fetchPage(.first)
        #expect(page.records.isEmpty)
    }

    @Test(
        "An unreadable answer is recorded, and replayed, as its failure, with status, headers and length",
        arguments: [
            (401, #"{"error": "no key", "token": "canary"}"#, Failure.Kind.http, "no key"),
            (429, "slow down", .rateLimited, "slow down"),
            (500, "<html>canary</html>", .http, "answered 500"),
            (200, #"{"error": "Uh oh, something has gone wrong", "code": 5}"#, .http, "Uh oh"),
            (200, #"{"results": [{"name": 5, "password": "canary"}]}"#, .decode, "record 1: no name"),
            (200, #"{"results": [{"password": "canary""#, .decode, "not JSON"),
            (200, #"{"password": "canary"}"#, .decode, "no list at"),
            (401, String(repeating: "x", count: 300), .http, "answered 401"),
        ])
    func failures(status: Int, body: String, kind: Failure.Kind, words: String) async throws {
        let headers: HTTPHeaders = ["Content-Type": "text/a", "Retry-After": "9", "X-Debug": "canary"]
        let stub = Stub(body, status: status, headers: headers)
        let failure = Mutable<UpstreamError?>(nil)
        let recording = try await record(stub) { services in
            failure.value = try await thrown { try await services.users.fetchPage(.first) }
        }
        let error = try #require(failure.value)
        #expect(error.failure.kind == kind && error.failure.message.contains(words))
        #expect(error.failure.message.count < 300)
        #expect(
            recording.exchanges.map(\.outcome) == [
                .failure(
                    error,
                    answer: .init(
                        status: status, headers: ["Content-Type": "text/a", "Retry-After": "9"],
                        length: body.utf8.count))
            ])
        #expect(!String(decoding: recording.har(), as: UTF8.self).contains("canary"))
        #expect(try await thrown { try await replayed(recording).users.fetchPage(.first) } == error)
    }

    @Test("A refused redirect, and a picture that is not one, also replay as their failures")
    func otherFailures() async throws {
        for (headers, kind) in [
            (["Location": "gopher://[?password=canary"] as HTTPHeaders, Failure.Kind.redirect),
            (["Location": "http://users.example/x"], .redirect),
            (["Content-Type": "text/html"], .http),
        ] {
            let stub = Stub("canary", status: 302, headers: headers)
            let failure = Mutable<UpstreamError?>(nil)
            let recording = try await record(stub) { services in
                failure.value = try await thrown {
                    try await services.pictures.fetch("https://users.example/p.png", nil)
                }
            }
            let error = try #require(failure.value)
            #expect(error.failure.kind == kind)
            #expect(!String(decoding: recording.har(), as: UTF8.self).contains("password"))
            #expect(
                try await thrown {
                    try await replayed(recording).pictures.fetch("https://users.example/p.png", nil)
                } == error)
        }
    }

    @Test("A raw recording has everything except the token, and replays in the same way")
    func raw() async throws {
        let headers: HTTPHeaders = ["Set-Cookie": "a=b", "X-Echo": "t0ken-of-ours", "Content-Type": "a"]
        let broken = String(Self.users.dropLast(30))
        for body in [Self.users, broken] {
            let recording = try await record(
                Stub(body, headers: headers).transport, isRaw: true, token: "t0ken-of-ours",
                query: "api_key=k"
            ) { _ = try? await $0.users.fetchPage(.first) }
            #expect(recording.session?.isRaw == true)
            let exchange = try #require(recording.exchanges.first)
            #expect(exchange.url.query() == "results=2&page=1&api_key=k")
            #expect(exchange.requestHeaders["Authorization"] == "Bearer REDACTED")
            guard case .answer(let answer) = exchange.outcome else { throw CocoaError(.coderInvalidValue) }
            #expect(answer.body == Array(body.utf8))
            #expect(answer.headers["Set-Cookie"] == "a=b" && answer.headers["X-Echo"] == "REDACTED")
            let again = await Result {
                try await replayed(recording, query: "api_key=k").users.fetchPage(.first)
            }
            if body == broken {
                #expect(try await thrown { try again.get() }.failure.kind == .decode)
            } else {
                #expect(try again.get().records.count == 1)
            }
        }
        let echo = #"{"results": [], "echo": "t0ken\u002dof\u002dours"}"#
        let recording = try await record(Stub(echo).transport, isRaw: true, token: "t0ken-of-ours") {
            _ = try? await $0.users.fetchPage(.first)
        }
        guard case .answer(let answer) = recording.exchanges.first?.outcome else {
            throw CocoaError(.coderInvalidValue)
        }
        #expect(String(decoding: answer.body, as: UTF8.self) == #"{"results": [], "echo": "REDACTED"}"#)
    }
}

/// A box for a value that a closure sets.
private final class Mutable<Value> {
    var value: Value
    init(_ value: Value) { self.value = value }
}

extension Result where Failure == any Error {
    fileprivate init(_ work: () async throws -> Success) async {
        do { self = .success(try await work()) } catch { self = .failure(error) }
    }
}
