import Foundation
import HTTP
import Model
import Synchronization
import Testing
import Upstream

@Suite("OAuth client credentials")
struct ClientCredentialsTests {
    private static let endpoint = URL(string: "https://idp.example/oauth2/token")!

    /// An endpoint that numbers its tokens, and an upstream that accepts one of them.
    private final class Provider: Sendable {
        let time = Mutex(now)
        let redactor = SecretRedactor()
        let stub: Stub

        /// - Parameters:
        ///   - accepted: the token that upstream takes; nil for all.
        ///   - endpoint: answers the requests, numbered from 1.
        init(accepted: String? = nil, _ endpoint: @escaping @Sendable (Int) -> HTTPResponse) {
            let state = State(accepted)
            self.state = state
            stub = Stub { request in
                if request.url == ClientCredentialsTests.endpoint {
                    return endpoint(state.granted.add(1, ordering: .relaxed).newValue)
                }
                let sent = request.headers["Authorization"] ?? ""
                let isAccepted = state.accepted.withLock { $0 == nil || sent == "Bearer \($0 ?? "")" }
                return HTTPResponse(status: isAccepted ? 200 : 401, body: Array(twoUsers.utf8))
            }
        }

        convenience init(accepted: String? = nil, more: String = #","token_type":"bearer""#) {
            self.init(accepted: accepted) { number in
                let body = #"{"access_token":"t0ken-\#(number)"\#(more)}"#
                return HTTPResponse(status: 200, body: Array(body.utf8))
            }
        }

        private final class State: Sendable {
            let granted = Atomic(0)
            let accepted: Mutex<String?>
            init(_ accepted: String?) { self.accepted = Mutex(accepted) }
        }

        private let state: State

        func accept(_ token: String) { state.accepted.withLock { $0 = token } }

        func users(
            scope: String? = nil, method: ClientIdentity.Method = .basic, scheme: String? = nil,
            recorder: Recorder? = nil, secret: @escaping @Sendable () throws -> String = { "s3cret+/ & more" }
        ) -> UsersService {
            let transport = stub.transport.recorded(by: recorder).followingRedirects()
            return .live(
                randomuser(UpstreamSettings(url: api, pageSize: 2, pages: 1)), transport: transport,
                authorization: .clientCredentials(
                    OAuthClient(
                        issuer: nil,
                        identity: ClientIdentity(id: "userd:1", secret: secret, method: method),
                        scope: scope, endpoints: [.token: ClientCredentialsTests.endpoint], scheme: scheme,
                        resource: api),
                    transport: transport, redactor: redactor, now: { self.time.withLock { $0 } }),
                redactor: redactor, recorder: recorder, now: { now })
        }

        /// The tokens of requests for users, in order.
        var tokens: [String] {
            stub.asked.filter { $0.url != ClientCredentialsTests.endpoint }
                .map { String(($0.headers["Authorization"] ?? "").dropFirst("Bearer ".count)) }
        }

        var form: String? { stub.asked.first?.body.map { String(decoding: $0, as: UTF8.self) } }
    }

    @Test("A client sends id and secret by HTTP Basic, encoded as in a form (RFC 6749, section 2.3.1)")
    func basic() async throws {
        let provider = Provider()
        _ = try await provider.users(scope: "users.read all").fetchPage(.first)
        let pair = Data("userd%3A1:s3cret%2B%2F+%26+more".utf8).base64EncodedString()
        let asked = try #require(provider.stub.asked.first)
        #expect(asked.headers["Authorization"] == "Basic \(pair)")
        #expect(asked.headers["Content-Type"] == "application/x-www-form-urlencoded")
        #expect(provider.form == "grant_type=client_credentials&scope=users.read+all")
        #expect(provider.tokens == ["t0ken-1"])
    }

    @Test("A client can send id and secret in the body")
    func post() async throws {
        let provider = Provider()
        _ = try await provider.users(method: .post).fetchPage(.first)
        #expect(provider.stub.asked.first?.headers["Authorization"] == nil)
        #expect(
            provider.form
                == "grant_type=client_credentials&client_id=userd%3A1&client_secret=s3cret%2B%2F+%26+more")
    }

    @Test(
        "A token is kept until a minute before it expires", arguments: [#"3600"#, #""3600""#])
    func expiry(seconds: String) async throws {
        let provider = Provider(more: #","expires_in":\#(seconds)"#)
        let users = provider.users()
        for later in [0, 3539, 3541] {
            provider.time.withLock { $0 = now + .seconds(later) }
            _ = try await users.fetchPage(.first)
        }
        #expect(provider.tokens == ["t0ken-1", "t0ken-1", "t0ken-2"])
    }

    @Test("A token that lives for less than four minutes is kept for three quarters of that")
    func shortLife() async throws {
        let provider = Provider(more: #","expires_in":60"#)
        let users = provider.users()
        for later in [0, 44, 46] {
            provider.time.withLock { $0 = now + .seconds(later) }
            _ = try await users.fetchPage(.first)
        }
        #expect(provider.tokens == ["t0ken-1", "t0ken-1", "t0ken-2"])
    }

    @Test("The client's secret is sent unencrypted only to this machine")
    func plain() async throws {
        for (endpoint, isSent) in [("http://idp.example/token", false), ("http://127.0.0.1:81/token", true)] {
            let stub = Stub(#"{"access_token":"t0ken"}"#)
            let authorization = Authorization.clientCredentials(
                OAuthClient(
                    issuer: nil, identity: ClientIdentity(id: "userd", secret: { "s3cret" }),
                    endpoints: [.token: try #require(URL(string: endpoint))], resource: api),
                transport: stub.transport, redactor: SecretRedactor(), now: { now })
            if isSent {
                #expect(try await authorization.token(nil) == "t0ken")
            } else {
                let error = try await thrown { try await authorization.token(nil) }
                #expect(error.failure.kind == .credentials && !error.failure.retryable)
                #expect(
                    error.failure.reason
                        == "userd sends no secret to \(endpoint), which is not an https:// address")
                #expect(error.failure.advice == Advice(.nameEndpoint, about: "token"))
            }
            #expect(stub.asked.isEmpty == !isSent)
        }
    }

    @Test(
        "A token without an expiry that is a number is kept until it is refused",
        arguments: ["", #","expires_in":"nan""#, #","expires_in":"soon""#])
    func refused(more: String) async throws {
        let provider = Provider(more: more)
        let users = provider.users()
        _ = try await users.fetchPage(.first)
        provider.time.withLock { $0 = now + .seconds(864_000) }
        _ = try await users.fetchPage(.first)
        provider.accept("t0ken-2")
        _ = try await users.fetchPage(.first)
        #expect(provider.tokens == ["t0ken-1", "t0ken-1", "t0ken-1", "t0ken-2"])
    }

    @Test("After a 401 the client requests one more token, and not a third")
    func refusedTwice() async throws {
        let provider = Provider()
        provider.accept("never")
        let users = provider.users()
        let failure = try await thrown { try await users.fetchPage(.first) }.failure
        #expect(failure.httpStatus == 401 && failure.kind == .http)
        #expect(provider.tokens == ["t0ken-1", "t0ken-2"])
    }

    @Test(
        "A refusal is reported in the endpoint's words, with advice that needs no person, and not retried early",
        arguments: [
            (
                401, #"{"error":"invalid_client","error_description":"no client userd"}"#,
                "the client is unknown, or its secret is wrong (invalid_client: no client userd)",
                .checkClientSecret
            ),
            (
                401, #"{"error":"invalid_client","error_description":"AADSTS7000222: Expired"}"#,
                "the client's secret has expired (invalid_client: AADSTS7000222: Expired)", .checkClientSecret
            ),
            (
                400, #"{"error":"invalid_scope"}"#, "the provider does not give this scope (invalid_scope)",
                .checkScope
            ),
            // A person would be told to sign in by another way.
            (200, #"{"error":"unauthorized_client"}"#, "unauthorized_client", .checkClientSecret),
            (400, #"{"error":"unsupported_grant_type"}"#, "unsupported_grant_type", .checkClientSecret),
            (400, "<html>", "it answered 400", .checkClientSecret),
        ] as [(Int, String, String, Advice.Kind)])
    func refusals(status: Int, body: String, words: String, advice: Advice.Kind) async throws {
        let provider = Provider { _ in HTTPResponse(status: status, body: Array(body.utf8)) }
        let error = try await thrown { try await provider.users().fetchPage(.first) }
        #expect(error.failure.kind == .credentials && !error.failure.retryable)
        #expect(error.failure.reason == "userd gets no token at idp.example: \(words)")
        #expect(error.failure.advice?.kind == advice)
        #expect(provider.tokens.isEmpty)
    }

    @Test("Tokens of the type that the settings name are taken, and others are refused")
    func types() async throws {
        for (scheme, isTaken) in [("MAC", true), ("Bearer", false)] {
            let provider = Provider(more: #","token_type":"mac""#)
            let users = provider.users(scheme: scheme)
            if isTaken {
                _ = try await users.fetchPage(.first)
                #expect(provider.stub.asked.last?.headers["Authorization"] == "MAC t0ken-1")
            } else {
                let error = try await thrown { try await users.fetchPage(.first) }
                #expect(error.failure.kind == .credentials)
                #expect(error.failure.advice?.kind == .changeTokenScheme)
                #expect(error.failure.message.contains("tokens of the type mac"))
            }
        }
    }

    @Test(
        "A broken endpoint is asked again later",
        arguments: [
            (503, "{}", Failure.Kind.http), (429, "{}", .rateLimited),
            (429, #"{"error":"too_many"}"#, .rateLimited), (403, #"{"error":"rate_limit"}"#, .rateLimited),
            (200, "rubbish t0ken", .decode),
            (200, #"{"token":"t0ken"}"#, .decode), (200, #"{"access_token":"t0 ken\n"}"#, .decode),
        ])
    func broken(status: Int, body: String, kind: Failure.Kind) async throws {
        let provider = Provider { _ in HTTPResponse(status: status, body: Array(body.utf8)) }
        let failure = try await thrown { try await provider.users().fetchPage(.first) }.failure
        #expect(failure.kind == kind && failure.retryable)
        #expect(!failure.message.contains("t0"), "\(failure.message)")
    }

    @Test("A client without a secret sends no request")
    func secretless() async throws {
        struct Unreadable: Error {}
        let provider = Provider()
        let users = provider.users(secret: { throw Unreadable() })
        let failure = try await thrown { try await users.fetchPage(.first) }.failure
        #expect(failure.kind == .credentials && !failure.retryable)
        #expect(failure.message == "can't ask https://idp.example/oauth2/token: Unreadable()")
        #expect(provider.stub.asked.isEmpty)
    }

    @Test("The secret does not follow redirects of the endpoint", arguments: [302, 307])
    func redirects(status: Int) async throws {
        for place in ["https://other.example/", "/elsewhere"] {
            let provider = Provider { _ in
                HTTPResponse(status: status, headers: ["Location": place], body: [])
            }
            let failure = try await thrown { try await provider.users().fetchPage(.first) }.failure
            #expect(failure.kind == .redirect)
            #expect(provider.stub.asked.count == 1)
        }
    }

    @Test(
        "No recording has requests for tokens, and no message has the secret or a token",
        arguments: [false, true])
    func recorded(isRaw: Bool) async throws {
        let provider = Provider()
        provider.accept("t0ken-2")
        var session = Recording.Session(version: "1")
        session.isRaw = isRaw
        let recorder = Recorder(
            session: session, redactor: provider.redactor, now: { now }, monotonic: { .zero })
        _ = try await provider.users(recorder: recorder).fetchPage(.first)
        let har = Array(recorder.har().joined())
        let recording = try Recording(har: har)
        #expect(recording.exchanges.map(\.url.host) == ["users.example"])
        let text = String(decoding: har, as: UTF8.self)
        for secret in ["t0ken", "s3cret", "idp.example"] { #expect(!text.contains(secret)) }
        #expect(try await replayed(recording).users.fetchPage(.first).records.count == 2)

        let echo = Provider { _ in
            let body = #"{"error":"s3cret+/ & more, s3cret%2B%2F+%26+more"}"#
            return HTTPResponse(status: 400, body: Array(body.utf8))
        }
        let failure = try await thrown { try await echo.users().fetchPage(.first) }.failure
        #expect(failure.message.contains("REDACTED, REDACTED"), "\(failure.message)")
    }
}
