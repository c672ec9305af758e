import Foundation
import HTTP
import Model
import Synchronization
import Testing
import Upstream

let twoUsers = #"{"results": [{"name": {"last": "A"}}, {"name": {"last": "B"}}], "info": {"results": 2}}"#

@Suite("Tokens in requests")
struct AuthorizationTests {
    /// Answers 401 to all other tokens.
    private func upstream(accepting token: String) -> Stub {
        Stub { request in
            guard request.headers["Authorization"] == "Bearer \(token)" else {
                return HTTPResponse(status: 401, body: [])
            }
            return HTTPResponse(status: 200, body: Array(twoUsers.utf8))
        }
    }

    @Test("The token is read again for each page")
    func changes() async throws {
        let reads = Atomic(0)
        let stub = Stub(twoUsers)
        let users = UsersService.stubbed(
            stub, authorization: .token { "token\(reads.add(1, ordering: .relaxed).newValue)" })
        _ = try await users.fetchPage(.first)
        _ = try await users.fetchPage(.first)
        #expect(stub.asked.map { $0.headers["Authorization"] } == ["Bearer token1", "Bearer token2"])
    }

    @Test("If upstream refuses a token, a changed one is tried once")
    func renewed() async throws {
        let tokens = Mutex(["old", "new", "newer"])
        let stub = upstream(accepting: "new")
        let users = UsersService.stubbed(stub, authorization: .token { tokens.withLock { $0.removeFirst() } })
        #expect(try await users.fetchPage(.first).records.count == 2)
        #expect(stub.asked.map { $0.headers["Authorization"] } == ["Bearer old", "Bearer new"])
    }

    @Test("A 401 from another origin, which did not get the token, is not about it and does not renew it")
    func refusedElsewhere() async throws {
        let reads = Atomic(0)
        let stub = Stub { request in
            HTTPOrigin(request.url)?.host.text == "users.example"
                ? HTTPResponse(status: 302, headers: ["Location": "https://other.example/"])
                : HTTPResponse(status: 401)
        }
        let users = UsersService.live(
            randomuser(UpstreamSettings(url: api, pageSize: 2)),
            transport: stub.transport.followingRedirects(),
            authorization: .token { "token\(reads.add(1, ordering: .relaxed).newValue)" }, now: { now })
        let failure = try await thrown { try await users.fetchPage(.first) }.failure
        #expect(failure.kind == .redirect && failure.httpStatus == 401 && !failure.isAboutCredentials)
        #expect(failure.adviceOnAnswer(from: "users.url") == Advice(.checkAddress, about: "users.url"))
        #expect(failure.reason.hasPrefix("https://other.example/ answered 401; a redirect leads there"))
        #expect(reads.load(ordering: .relaxed) == 1 && stub.asked.count == 2)
    }

    @Test("A token that is refused twice is a failure without a third attempt")
    func refusedTwice() async throws {
        let reads = Atomic(0)
        let stub = Stub("{}", status: 401)
        let users = UsersService.stubbed(
            stub, authorization: .token { "token\(reads.add(1, ordering: .relaxed).newValue)" })
        let failure = try await thrown { try await users.fetchPage(.first) }.failure
        #expect(failure.kind == .http && failure.httpStatus == 401 && !failure.retryable)
        #expect(stub.asked.count == 2)
    }

    @Test("A refused token that has not changed is not sent again")
    func unchanged() async throws {
        let stub = Stub("{}", status: 401)
        let failure = try await thrown {
            try await UsersService.stubbed(stub, authorization: .token { "same" }).fetchPage(.first)
        }.failure
        #expect(failure.httpStatus == 401)
        #expect(stub.asked.count == 1)
    }

    @Test(
        "The token is sent unencrypted only to this machine",
        arguments: [
            ("http://users.example/api/", false), ("http://10.0.0.1/", false),
            ("http://localhost.example/", false),
            ("http://127.example/", false), ("https://users.example/", true), ("http://localhost:81/", true),
            ("http://a.localhost/", false), ("http://127.1.2.3/", true), ("http://[::1]:81/", true),
        ])
    func plain(address: String, isSent: Bool) async throws {
        let stub = Stub(twoUsers)
        let users = UsersService.stubbed(
            stub, url: try #require(URL(string: address)), authorization: .token { "t0ken" })
        guard !isSent else {
            #expect(try await users.fetchPage(.first).records.count == 2)
            return
        }
        let error = try await thrown { try await users.fetchPage(.first) }
        #expect(error.failure.kind == .credentials && !error.failure.retryable)
        #expect(error.failure.advice?.kind == .useHTTPS)
        #expect(stub.asked.isEmpty)
    }

    @Test("The token follows the scheme that the settings name")
    func scheme() async throws {
        let stub = Stub(twoUsers)
        _ = try await UsersService.stubbed(stub, authorization: .token(scheme: "SSWS") { "t" })
            .fetchPage(.first)
        #expect(stub.asked.map { $0.headers["Authorization"] } == ["SSWS t"])
    }

    @Test("A refused token leaves no trace in a recording, and the replay needs no token")
    func recorded() async throws {
        let tokens = Mutex(["0ld-token", "n3w-token"])
        let stub = upstream(accepting: "n3w-token")
        let redactor = SecretRedactor()
        let recorder = Recorder(
            session: .init(version: "1"), redactor: redactor, now: { now }, monotonic: { .zero })
        let users = UsersService.live(
            randomuser(UpstreamSettings(url: api, pageSize: 2, pages: 1)),
            transport: stub.transport.recorded(by: recorder),
            authorization: .token { tokens.withLock { $0.removeFirst() } }, redactor: redactor,
            recorder: recorder,
            now: { now })
        _ = try await users.fetchPage(.first)
        let recording = try Recording(har: Array(recorder.har().joined()))
        #expect(recording.exchanges.count == 1)
        #expect(try await replayed(recording).users.fetchPage(.first).records.count == 2)
    }
}
