import Foundation
import HTTP
import HTTPClient
import Model
import Synchronization
import TestSupport
import Testing
import Upstream

@Suite("Passwords that an upstream has not accepted", .timeLimit(.hang))
struct LoginTests {
    private static let password = Data("ann:wrong".utf8).base64EncodedString()
    private static let one = #"{"totalResults": 1, "Resources": [{"id": "1", "userName": "ann"}]}"#

    /// A SCIM directory behind a login with a password, which the test's transport counts.
    private func users(
        _ transport: HTTPTransport, _ logins: Logins, url: URL = URL(string: "https://idp.test/v2/Users")!
    ) throws -> UsersService {
        let format = try #require(try DirectoryFormat.named("scim"))
        let settings = UpstreamSettings(url: url, query: "", pageSize: 2, pages: nil)
        let pages = PageReader.users(format, settings, now: { now })
        var authorization = Authorization.token(scheme: "Basic") { Self.password }
        authorization.login = {
            Login(logins, "a", password: $0, version: "1", interval: .seconds(900))
        }
        authorization.personAsks = { logins.forget("a") }
        return .live(
            pages, probe: ServiceProviderConfig(of: pages), transport: transport,
            authorization: authorization, now: { now })
    }

    @Test(
        "It is sent once: a refusal, a failing server and silence are not asked again, until a person asks",
        arguments: [401, 403, 500, 503, 429, nil])
    func once(status: Int?) async throws {
        let stub = Stub { request in
            guard let status else { throw UpstreamError(.timeout, "no answer") }
            return HTTPResponse(status: status, body: Array("{}".utf8))
        }
        let time = Mutex(now)
        let logins = Logins(now: { time.withLock { $0 } })
        let users = try users(stub.transport, logins)
        _ = try await thrown { try await users.fetchPage(.first, nil) }
        for _ in 0..<3 {
            let failure = try await thrown { try await users.fetchPage(.first, nil) }.failure
            #expect(failure.kind == .credentials && !failure.retryable, "\(failure)")
            #expect(failure.message.contains("`userctl retry users`"), "\(failure)")
        }
        #expect(stub.addresses.count == 1, "\(stub.addresses)")
        #expect(stub.addresses[0].contains("/v2/Users?"))
        users.onManualSync()
        _ = try await thrown { try await users.fetchPage(.first, nil) }
        #expect(stub.addresses.count == 2)
        time.withLock { $0 = $0 + .seconds(900) }
        _ = try await thrown { try await users.fetchPage(.first, nil) }
        #expect(stub.addresses.count == (status == 401 ? 2 : 3))
    }

    @Test("A request that never left this machine is no login")
    func unsent() async throws {
        let stub = Stub { _ in
            var error = UpstreamError(.offline, "no network")
            error.isUnsent = true
            throw error
        }
        let users = try users(stub.transport, Logins(now: { now }))
        for _ in 0..<4 {
            #expect(try await thrown { try await users.fetchPage(.first, nil) }.failure.kind == .offline)
        }
        #expect(stub.addresses.count == 4)
    }

    @Test("Real connections: a refused one is no login, one that is closed without an answer is")
    func real() async throws {
        let silent = try RawServer { $0.readHead() }
        try await withHTTP { http in
            let port = try freePort()
            let closed = URL(string: "http://127.0.0.1:\(port)/v2/Users")!
            for (url, kinds) in [
                (closed, [Failure.Kind.offline, .offline]),
                (silent.url("/v2/Users"), [.offline, .credentials]),
            ] {
                let users = try users(http, Logins(now: { now }), url: url)
                for kind in kinds {
                    #expect(try await thrown { try await users.fetchPage(.first, nil) }.failure.kind == kind)
                }
            }
        }
        #expect(silent.requests.count == 1)
    }

    @Test(
        "What a SCIM server announces is asked for after the list's first page; a 401 there refuses no password",
        arguments: [false, true])
    func announcement(isRefused: Bool) async throws {
        let stub = Stub { request in
            let address = request.url.absoluteString
            guard address.hasSuffix("/ServiceProviderConfig") else {
                return HTTPResponse(status: 200, body: Array(Self.one.utf8))
            }
            let config = #"{"pagination": {"cursor": true, "index": false}}"#
            return HTTPResponse(status: isRefused ? 401 : 200, body: Array(config.utf8))
        }
        let users = try users(stub.transport, Logins(now: { now }))
        #expect(try await users.fetchPage(.first).records.count == 1)
        let paths = stub.asked.map { $0.url.lastPathComponent }
        #expect(paths == ["Users", "ServiceProviderConfig"] + (isRefused ? [] : ["Users"]))
        #expect(try await users.fetchPage(.first).records.count == 1)
    }

    @Test(
        "After a login that was accepted, silence is an ordinary failure three times an interval; answers do not count"
    )
    func accepted() async throws {
        let status = Mutex<Int?>(200)
        let stub = Stub { request in
            guard let status = status.withLock({ $0 }) else { throw UpstreamError(.timeout, "no answer") }
            return HTTPResponse(status: status, body: Array(Self.one.utf8))
        }
        let users = try users(stub.transport, Logins(now: { now }))
        _ = try await users.fetchPage(.first)
        status.withLock { $0 = 503 }
        for _ in 0..<5 {
            #expect(try await thrown { try await users.fetchPage(.first, nil) }.failure.kind == .http)
        }
        status.withLock { $0 = nil }
        let before = stub.addresses.count
        for _ in 0..<3 {
            #expect(try await thrown { try await users.fetchPage(.first, nil) }.failure.kind == .timeout)
        }
        #expect(try await thrown { try await users.fetchPage(.first, nil) }.failure.kind == .credentials)
        #expect(stub.addresses.count == before + 3)
    }

    @Test(
        "What was tried before it was written counts for a file that is written within two minutes",
        arguments: [
            (LoginRecord.Outcome.accepted, 60, true), (.refused, 60, false), (.sent, 60, true),
            (.accepted, -5, false),
            (.refused, 600, false),
        ])
    func trial(outcome: LoginRecord.Outcome, seconds: Int64, counts: Bool) throws {
        let records = Mutex<[String: LoginRecord]>([:])
        func logins(at time: Timestamp) -> Logins {
            Logins(
                stored: { records.withLock { $0 } },
                store: { account, record in records.withLock { $0[account] = record } }, now: { time })
        }
        func login(_ logins: Logins, _ password: String, _ version: String?) -> Login {
            Login(logins, "https://a ann", password: password, version: version, interval: .seconds(900))
        }
        // The password of the file so far was refused, and stays so.
        let old = login(logins(at: now), "old", "/p 7.1")
        old.refused("no")
        let trial = login(logins(at: now), "new", Login.trial)
        try trial.send()
        if outcome == .accepted { trial.accepted() }
        if outcome == .refused { trial.refused("a answered 401") }
        #expect(login(logins(at: now), "old", "/p 7.1").rest != nil)
        // Another process may try another password.
        #expect(login(logins(at: now), "newer", Login.trial).rest == nil)

        let written = "/p \(now.milliseconds / 1000 + seconds).5"
        let later = logins(at: now + .seconds(seconds + 1))
        let file = login(later, "new", written)
        #expect(file.isAccepted == (counts && outcome == .accepted))
        #expect((file.rest != nil) == (counts && outcome != .accepted))
        guard counts else { return }
        // A person asks, and then the file has a record of its own.
        later.forget("https://a ann")
        #expect(file.rest == nil)
        file.refused("no")
        #expect(!file.isAccepted && login(later, "new", written).rest != nil)
    }
}
