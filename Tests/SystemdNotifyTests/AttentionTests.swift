import Model
import Testing
import UserdAPI

@testable import Daemon

@Suite("The mark for a notification")
struct AttentionTests {
    private static let since = Timestamp(milliseconds: 1_770_000_000_000)
    private static let ended = Account(
        signedIn: false, name: "Anna", provider: "https://a.test", since: since)
    private static let signIn = Attention(kind: .signIn, id: "1770000000000")
    private static let secret = Attention(kind: .secret, id: "7.5 1770000000000")

    private func mark(
        _ phase: Phase, _ failure: Failure? = nil, after mark: Attention? = nil, account: Account? = nil,
        secret: String? = nil, since: Timestamp = AttentionTests.since
    ) -> Attention? {
        let users = State(
            epoch: "e", index: 1, resource: .users, phase: phase, since: since, cause: .due, count: 0,
            stale: false, failure: failure)
        return Attention.after(mark, users, account: account, secret: secret)
    }

    private static func failure(
        _ kind: Failure.Kind, _ status: Int? = nil, _ advice: Advice.Kind? = nil, retryable: Bool = false
    ) -> Failure {
        Failure(
            kind: kind, message: "said by upstream", retryable: retryable, httpStatus: status,
            advice: advice.map { Advice($0) })
    }

    @Test(
        "A sign-in that has ended is marked, and nothing else of a provider",
        arguments: [
            (failure(.credentials, nil, .signIn), ended, signIn),
            (failure(.credentials, nil, .askForOfflineAccess), ended, signIn),
            // Nobody has signed in, or somebody has signed out.
            (failure(.credentials, nil, .signIn), Account(signedIn: false, provider: "https://a.test"), nil),
            (failure(.credentials, nil, .signIn), nil, nil),
            (failure(.credentials, nil, .checkClientSecret), ended, nil),
            (failure(.credentials, nil, .getTicket), nil, nil),
            (failure(.offline, retryable: true), ended, nil), (failure(.http, 401), ended, nil),
        ] as [(Failure, Account?, Attention?)])
    func signIns(failure: Failure, account: Account?, expected: Attention?) {
        #expect(mark(.error, failure, account: account) == expected)
    }

    @Test(
        "A secret of the person's own that is refused is marked, and no other failure",
        arguments: [
            (failure(.http, 401), "7.5", secret), (failure(.ldap, nil, .checkPassword), "7.5", secret),
            (failure(.http, 401, .changeTokenScheme), "7.5", secret), (failure(.http, 401), nil, nil),
            (failure(.ldap, nil, .checkPassword), nil, nil), (failure(.credentials), "7.5", nil),
            (failure(.http, 403), "7.5", nil), (failure(.offline, retryable: true), "7.5", nil),
            (failure(.tls), "7.5", nil), (failure(.ldap, nil, .checkBase), "7.5", nil),
        ] as [(Failure, String?, Attention?)])
    func secrets(failure: Failure, version: String?, expected: Attention?) {
        #expect(mark(.error, failure, secret: version) == expected)
    }

    @Test(
        "A failure that says nothing of who asks leaves the mark, and an answer removes it",
        arguments: [
            (failure(.offline, retryable: true), true), (failure(.http, 503, retryable: true), true),
            (failure(.rateLimited, 429, retryable: true), true), (failure(.http, 403), false),
            // A password that rests is as it was.
            (failure(.credentials), true), (failure(.decode), false), (failure(.http, 401), true),
        ] as [(Failure, Bool)])
    func others(failure: Failure, stays: Bool) {
        let later = Timestamp(milliseconds: 1_780_000_000_000)
        let after = mark(.error, failure, after: Self.secret, secret: "7.5", since: later)
        #expect(after == (stays ? Self.secret : nil))
    }

    @Test("A mark goes with its secret or sign-in; a secret that is refused again has another one")
    func gone() {
        let offline = Self.failure(.offline, retryable: true)
        #expect(mark(.error, offline, after: Self.secret, secret: "8.5") == nil)
        #expect(mark(.error, offline, after: Self.secret) == nil)
        #expect(mark(.error, offline, after: Self.signIn, account: Self.ended) == Self.signIn)
        let signedOut = Account(signedIn: false, provider: "https://a.test")
        #expect(mark(.error, offline, after: Self.signIn, account: signedOut) == nil)
        let later = Timestamp(milliseconds: 1_780_000_000_000)
        let again = mark(.error, Self.failure(.http, 401), secret: "7.5", since: later)
        #expect(again == Attention(kind: .secret, id: "7.5 1780000000000"))
    }

    @Test("A sync that succeeds removes the mark, and one that runs leaves it")
    func phases() {
        for phase in [Phase.loaded, .empty, .initial] {
            #expect(mark(phase, after: Self.secret, account: Self.ended, secret: "7.5") == nil)
        }
        #expect(mark(.syncing, after: Self.secret, secret: "7.5") == Self.secret)
    }
}
