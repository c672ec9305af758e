import Foundation
import HTTP
import Model
import StrictJSON
import Testing
import Upstream

@Suite("Headers and bodies of requests")
struct RequestTests {
    private func users(
        _ stub: Stub, url: URL = api, headers: HTTPHeaders = [:], body: String? = nil,
        authorization: Authorization = .none, redactor: SecretRedactor = SecretRedactor(),
        recorder: Recorder? = nil
    ) -> UsersService {
        var authorization = authorization
        authorization.headers = { headers }
        return .live(
            randomuser(
                UpstreamSettings(
                    url: url, pageSize: 2, pages: 1, body: body.map(RequestBody.init(text:)))),
            transport: stub.transport.recorded(by: recorder).followingRedirects(),
            authorization: authorization, redactor: redactor, recorder: recorder, now: { now })
    }

    @Test("Requests have the headers of the settings, which may replace userd's own")
    func headers() async throws {
        let stub = Stub(twoUsers)
        _ = try await users(stub, headers: ["X-Api-Key": "k3y", "accept": "a/b", "User-Agent": "c"])
            .fetchPage(.first)
        let sent = try #require(stub.asked.first)
        #expect(sent.method == "GET")
        #expect(sent.headers["x-api-key"] == "k3y")
        #expect(sent.headers.fields.filter { $0.isNamed("Accept") }.map(\.value) == ["a/b"])
    }

    @Test(
        "Requests with headers or a body go unencrypted only to this machine",
        arguments: [
            ("http://users.example/", false), ("http://[::1]:1/", true), ("https://users.example/", true),
        ])
    func plain(address: String, isSent: Bool) async throws {
        for (headers, body) in [(["X-Api-Key": "k3y"], nil), ([:], "{}")] as [(HTTPHeaders, String?)] {
            let stub = Stub(twoUsers)
            let users = users(stub, url: try #require(URL(string: address)), headers: headers, body: body)
            guard !isSent else {
                #expect(try await users.fetchPage(.first).records.count == 2)
                continue
            }
            let failure = try await thrown { try await users.fetchPage(.first) }.failure
            #expect(failure.kind == .credentials && stub.asked.isEmpty)
            let what = body == nil ? "the header X-Api-Key" : "users.body"
            #expect(
                failure.message.hasPrefix("\(what) is not sent to http://users.example/"),
                "\(failure.message)")
        }
    }

    @Test("Tokens and passwords are not sent unencrypted, and messages call each by its name")
    func credentials() async throws {
        for (scheme, name) in [("Bearer", "token"), ("Basic", "password")] {
            let stub = Stub(twoUsers)
            let url = try #require(URL(string: "http://users.example/"))
            let sent = users(stub, url: url, authorization: .token(scheme: scheme) { "k3y" })
            let unread = users(
                stub, url: url, authorization: .token(scheme: scheme) { throw CancellationError() })
            let refused = try await thrown { try await sent.fetchPage(.first) }.failure
            let missing = try await thrown { try await unread.fetchPage(.first) }.failure
            #expect(refused.message.hasPrefix("the \(name) is not sent to http://users.example/"))
            #expect(missing.message.hasPrefix("there is no \(name) for users.url: "))
            #expect(stub.asked.isEmpty)
        }
    }

    @Test(
        "The settings' headers are dropped on redirects to another origin, and kept within one"
    )
    func redirects() async throws {
        for (target, isKept) in [("https://other.example/", false), ("/elsewhere", true)] {
            let stub = Stub { request in
                request.url.path() == "/api/"
                    ? HTTPResponse(status: 307, headers: ["Location": target])
                    : HTTPResponse(status: 200, body: Array(twoUsers.utf8))
            }
            _ = try await users(stub, headers: ["X-Api-Key": "k3y", "Cooky": "c"]).fetchPage(.first)
            #expect(stub.asked.count == 2)
            #expect(stub.asked.last?.headers["X-Api-Key"] == (isKept ? "k3y" : nil))
            #expect(stub.asked.last?.headers["Cooky"] == (isKept ? "c" : nil))
        }
    }

    @Test("A request with a body is not redirected", arguments: [301, 302, 303, 307, 308])
    func redirectedBody(status: Int) async throws {
        let stub = Stub("", status: status, headers: ["Location": "/elsewhere"])
        let failure = try await thrown { try await users(stub, body: "a=b").fetchPage(.first) }.failure
        #expect(failure.kind == .redirect && stub.asked.count == 1)
    }

    @Test(
        "A request's Content-Type matches its body",
        arguments: [
            (#" {"a": [1]} "#, "application/json"), ("[]", "application/json"),
            ("a=b%20c&d", "application/x-www-form-urlencoded"),
            ("role[]=a", "application/x-www-form-urlencoded"),
            ("{ users(first: 1) }", "text/plain; charset=utf-8"), ("a = b", "text/plain; charset=utf-8"),
            (#"{"a": }"#, "text/plain; charset=utf-8"),
        ])
    func contentType(body: String, type: String) async throws {
        let stub = Stub(twoUsers)
        _ = try await users(stub, body: body).fetchPage(.first)
        let asked = try #require(stub.asked.first)
        #expect(asked.method == "POST")
        #expect(asked.headers["Content-Type"] == type)
        _ = try await users(stub, headers: ["Content-Type": "application/graphql"], body: body).fetchPage(
            .first)
        #expect(stub.asked.last?.headers["Content-Type"] == "application/graphql")
    }

    @Test(
        "A page's parameters are put where a pointer leads in the body",
        arguments: [
            (#"{"a": 1, "b": "x"}"#, "/a", "2", false, #"{"a":2,"b":"x"}"#),
            (#"{"a": "1"}"#, "/a", "2", false, #"{"a":"2"}"#),
            (#"{"a": null}"#, "/a/b", "2", false, #"{"a":{"b":2}}"#),
            ("{}", "/a/b", "2", true, #"{"a":{"b":"2"}}"#), (#"{"a": 1}"#, "/a", "2", true, #"{"a":2}"#),
            (#"{"a": 1}"#, "/a", "x", true, #"{"a":"x"}"#),
            (#"{"a": [0, {"b": 1}]}"#, "/a/1/b", "2", false, #"{"a":[0,{"b":2}]}"#),
            ("[1, 2]", "/1", "3", false, "[1,3]"), ("a=1&b=x", "/a", "2", false, "a=2&b=x"),
            ("b=x", "/role[]", "y z", false, "role%5B%5D=y%20z&b=x"),
        ])
    func put(body: String, pointer: String, value: String, isCursor: Bool, changed: String) async throws {
        var request = RequestBody(text: body)
        let isPut = request.put(
            value, isCursor: isCursor, at: Pointer(path: pointer.split(separator: "/").map(String.init)))
        #expect(isPut)
        let stub = Stub(twoUsers)
        let settings = UpstreamSettings(url: api, pageSize: 2, pages: 1, body: request)
        _ = try await UsersService.live(
            randomuser(settings), transport: stub.transport, now: { now }
        )
        .fetchPage(.first)
        #expect(stub.asked.first?.body.map { String(decoding: $0, as: UTF8.self) } == changed)
    }

    @Test(
        "A pointer to an impossible place puts no parameter into the body",
        arguments: [
            (#"{"a": 1}"#, "/a/b"), ("[1]", "/1"), ("[1]", "/a"), ("a=b", "/a/b"), ("some text", "/a"),
        ])
    func misplaced(body: String, pointer: String) {
        var request = RequestBody(text: body)
        let isPut = request.put("1", at: Pointer(path: pointer.split(separator: "/").map(String.init)))
        #expect(!isPut)
    }

    @Test(
        "A request with a body is unconditional; the same answer is not read again, unless the body differs"
    )
    func conditions() async throws {
        let stub = Stub(twoUsers, headers: ["ETag": "\"1\"", "Date": "Fri, 02 Jan 2026 03:04:05 GMT"])
        let known = try await users(stub, body: "a=1").fetchPage(.first).known
        #expect(known?.validators.etag == nil)
        #expect(try await users(stub, body: "a=1").fetchPage(.first, known).isUnchanged)
        #expect(try await !users(stub, body: "a=2").fetchPage(.first, known).isUnchanged)
        #expect(stub.asked.allSatisfy { $0.headers["If-None-Match"] == nil })
    }

    @Test("A request is recorded without its body, and replayed")
    func recorded() async throws {
        let redactor = SecretRedactor()
        let recorder = Recorder(
            session: .init(version: "1"), redactor: redactor, now: { now }, monotonic: { .zero })
        let more = #"{"results": [{"name": {"last": "C"}}]}"#
        let stub = Stub { request in
            let isFirst = request.body == Array("canary=1".utf8)
            return HTTPResponse(status: 200, body: Array((isFirst ? twoUsers : more).utf8))
        }
        for body in ["canary=1", "canary=2"] {
            _ = try await users(
                stub, headers: ["X-Api-Key": "canary-k3y"], body: body, redactor: redactor, recorder: recorder
            )
            .fetchPage(.first)
        }
        let har = recorder.har().joined()
        #expect(!String(decoding: har, as: UTF8.self).contains("canary"))
        let replay = Replay(try Recording(har: Array(har)))
        #expect(replay.holds(api) && replay.left(of: [api]).count == 2)
        let transport = replay.transport(maxResponseBytes: 1 << 20)
        let settings = UpstreamSettings(
            url: api, pageSize: 2, pages: 1, body: RequestBody(text: "REDACTED=REDACTED"))
        let users = UsersService.live(randomuser(settings), transport: transport, now: { now })
        #expect(try await users.fetchPage(.first).records.count == 2)
        #expect(try await users.fetchPage(.first).records.count == 1)
        #expect(replay.left(of: [api]).count == 0)
        var asked = settings
        asked.body = nil
        let plain = UsersService.live(randomuser(asked), transport: transport, now: { now })
        #expect(try await thrown { try await plain.fetchPage(.first) }.failure.kind == .replay)
    }

    @Test("Messages have no words of a body that an upstream quotes")
    func quoted() async throws {
        let stub = Stub(#"{"error": "what is canary-w0rd, and \"canary-w0rd\"?"}"#, status: 400)
        let failure = try await thrown {
            try await users(stub, body: #"{"a": [{"password": "canary-w0rd"}]}"#).fetchPage(.first)
        }.failure
        #expect(failure.message.contains("what is REDACTED") && !failure.message.contains("canary"))
    }
}
