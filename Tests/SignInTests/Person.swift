import Foundation
import HTTP
import HTTPClient
import Model
import Platform
import Synchronization
import TestSupport
import Testing
import Upstream

/// A person at a machine of their own, with a folder for tokens, a provider and a clock.
final class Person: Sendable {
    let provider: OAuthServer
    let folder: TemporaryDirectory
    let redactor = SecretRedactor()
    let time = TestTime()
    let client: OAuthClient
    let http: LiveHTTP

    var tokens: String { folder.file("userd-tokens") }
    var file: String { tokens + "/users.json" }

    init(
        _ provider: OAuthServer, folder: TemporaryDirectory? = nil,
        _ change: (inout OAuthClient) -> Void = { _ in }
    ) throws {
        self.provider = provider
        self.folder = try folder ?? TemporaryDirectory()
        var client = OAuthClient(
            issuer: provider.issuer, identity: ClientIdentity(id: "userd-client"),
            scope: "openid users.read",
            resource: URL(string: "https://users.example/scim/v2/Users"))
        change(&client)
        self.client = client
        http = LiveHTTP(
            limits: HTTPLimits(
                connectTimeout: .seconds(5), deadline: .seconds(20), maxResponseBytes: 1 << 20),
            userAgent: "userd/1.2")
    }

    var store: TokenStore { .file(in: tokens) }

    /// A userd that starts, or reads its settings again, if it has the unsaved tokens of another.
    func userd(
        _ store: TokenStore? = nil, unsaved: UnsavedTokens = UnsavedTokens(), connectionLimit: Duration? = nil
    ) -> SignInService {
        var environment = SignInEnvironment(
            now: { self.time.now }, monotonic: { self.time.monotonic },
            sleep: { try await self.time.sleep($0) })
        if let connectionLimit { environment.connectionLimit = connectionLimit }
        return .live(
            client, transport: http.transport, store: store ?? self.store, unsaved: unsaved,
            redactor: redactor, environment: environment)
    }

    /// Signs in by the browser, at once.
    @discardableResult
    func signIn(_ userd: SignInService) async throws -> Account {
        try await userd.signIn(.browser) { prompt in
            let redirect = self.provider.approve(prompt.address)
            Task { try await self.visit(redirect) }
        }
    }

    /// Signs in by the browser, at once. Returns the fields that the browser was sent to the provider with.
    func requestOfSignIn() async throws -> [String: String] {
        let address = Mutex("")
        _ = try await userd().signIn(.browser) { prompt in
            address.withLock { $0 = prompt.address }
            let redirect = self.provider.approve(prompt.address)
            Task { try await self.visit(redirect) }
        }
        return fields(URLComponents(string: address.withLock { $0 })?.percentEncodedQuery ?? "")
    }

    @discardableResult
    func visit(_ address: String) async throws -> HTTPResponse {
        try await http.transport.send(HTTPRequest(url: try #require(URL(string: address))))
    }

    /// The file of tokens; empty if there is none.
    var saved: String { (try? String(contentsOfFile: file, encoding: .utf8)) ?? "" }
}

/// Runs the work with a person, whose HTTP client is shut down afterwards.
func withPerson<Value>(
    _ provider: OAuthServer? = nil, folder: TemporaryDirectory? = nil,
    _ change: (inout OAuthClient) -> Void = { _ in }, _ work: (Person) async throws -> Value
) async throws -> Value {
    let person = try Person(provider ?? OAuthServer(), folder: folder, change)
    let result: Result<Value, any Error>
    do { result = .success(try await work(person)) } catch { result = .failure(error) }
    try await person.http.shutdown()
    return try result.get()
}

/// A disk that a test fills.
final class Disk: Sendable {
    /// Which tokens there is room for.
    private let hasRoom = Mutex<@Sendable (SavedTokens) -> Bool>({ _ in true })

    func fill(except fits: @escaping @Sendable (SavedTokens) -> Bool = { _ in false }) {
        hasRoom.withLock { $0 = fits }
    }

    func free() { hasRoom.withLock { $0 = { _ in true } } }

    func store(_ real: TokenStore) -> TokenStore {
        var store = real
        store.write = { tokens in
            if !self.hasRoom.withLock({ $0 })(tokens) { try replaceDurably("/nowhere/users.json", with: []) }
            try real.write(tokens)
        }
        return store
    }
}

extension TokenStore {
    /// The same store, which tells of each attempt to take its lock, before it is made.
    func telling(_ attempts: Channel<Void>) -> TokenStore {
        var store = self
        store.lock = {
            attempts.send(())
            return try self.lock()
        }
        return store
    }
}

/// A clock that a test moves. Short sleeps take real time, so that work goes on meanwhile; long ones end when
/// the test has moved it that far, or at once if it skips.
final class TestTime: Sendable {
    private let contents = Mutex((elapsed: Duration.zero, skips: false, slept: [Duration]()))
    private static let start = Timestamp(rfc3339: "2026-01-02T03:04:05Z") ?? Timestamp(milliseconds: 0)

    var now: Timestamp { Self.start + monotonic }
    var monotonic: Duration { contents.withLock { $0.elapsed } }
    /// Sleeps of a second or more.
    var slept: [Duration] { contents.withLock { $0.slept } }

    func advance(by duration: Duration) { contents.withLock { $0.elapsed += duration } }

    /// From now on, who sleeps moves the clock.
    func skip() { contents.withLock { $0.skips = true } }

    func sleep(_ duration: Duration) async throws {
        guard duration >= .seconds(1) else { return try await Task.sleep(for: .milliseconds(5)) }
        let (end, skips) = contents.withLock { contents in
            contents.slept.append(duration)
            if contents.skips { contents.elapsed += duration }
            return (contents.elapsed + (contents.skips ? .zero : duration), contents.skips)
        }
        if skips { return try Task.checkCancellation() }
        while monotonic < end { try await Task.sleep(for: .milliseconds(5)) }
    }
}

/// The error that the work throws.
func thrown<Value>(_ work: () async throws -> Value) async throws -> UpstreamError {
    try #require(await #expect(throws: UpstreamError.self) { _ = try await work() })
}

/// Whether something listens at the port.
func isListening(_ port: Int, at host: String = "127.0.0.1") async throws -> Bool {
    let tried = try await run(
        "/bin/bash", ["-c", "exec 3<>/dev/tcp/\(host)/\(port)"], environment: [:])
    return tried.code == 0
}
