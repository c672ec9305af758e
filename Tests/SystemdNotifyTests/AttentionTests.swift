import Model
import Testing

@testable import Daemon

@Suite("The mark for a notification")
struct AttentionTests {
    private static let since = Timestamp(milliseconds: 1_770_000_000_000)
    private static let ended = Account(
        signedIn: false, name: "Anna", provider: "https://a.test", since: since)
    private static let signIn = Attention.Change.set(Attention(kind: .signIn, id: "1770000000000"))
    private static let secret = Attention.Change.set(Attention(kind: .secret, id: "7.5"))

    private func change(
        _ phase: Phase, _ failure: Failure? = nil, account: Account? = nil, secret: String? = nil
    ) -> Attention.Change {
        let users = State(
            epoch: "e", index: 1, resource: .users, phase: phase, since: Self.since, cause: .due, count: 0,
            stale: false, failure: failure)
        return Attention.change(after: users, account: account, secret: secret)
    }

    private static func failure(
        _ kind: Failure.Kind, _ status: Int? = nil, _ advice: Advice.Kind? = nil
    ) -> Failure {
        Failure(
            kind: kind, message: "said by upstream", retryable: false, httpStatus: status,
            advice: advice.map { Advice($0) })
    }

    @Test(
        "A sign-in that has ended is marked, and nothing else of a provider",
        arguments: [
            (failure(.credentials, nil, .signIn), ended, signIn),
            (failure(.credentials, nil, .askForOfflineAccess), ended, signIn),
            // Nobody has signed in, or somebody has signed out.
            (
                failure(.credentials, nil, .signIn), Account(signedIn: false, provider: "https://a.test"),
                .set(nil)
            ),
            (failure(.credentials, nil, .signIn), nil, .set(nil)),
            (failure(.credentials, nil, .checkClientSecret), ended, .set(nil)),
            (failure(.credentials, nil, .getTicket), nil, .set(nil)), (failure(.offline), ended, .set(nil)),
            (failure(.http, 401), ended, .set(nil)), (failure(.http, 503), ended, .set(nil)),
        ] as [(Failure, Account?, Attention.Change)])
    func signIns(failure: Failure, account: Account?, expected: Attention.Change) {
        #expect(change(.error, failure, account: account) == expected)
    }

    @Test(
        "A secret of the person's own that is refused is marked, and no other failure",
        arguments: [
            (failure(.http, 401), "7.5", secret), (failure(.ldap, nil, .checkPassword), "7.5", secret),
            (failure(.http, 401, .changeTokenScheme), "7.5", secret), (failure(.http, 401), nil, .set(nil)),
            (failure(.ldap, nil, .checkPassword), nil, .set(nil)),
            // A password that rests is as it was.
            (failure(.credentials), "7.5", .unchanged), (failure(.http, 403), "7.5", .set(nil)),
            (failure(.offline), "7.5", .set(nil)), (failure(.tls), "7.5", .set(nil)),
            (failure(.ldap, nil, .checkBase), "7.5", .set(nil)),
        ] as [(Failure, String?, Attention.Change)])
    func secrets(failure: Failure, version: String?, expected: Attention.Change) {
        #expect(change(.error, failure, secret: version) == expected)
    }

    @Test("A sync that succeeds removes the mark, and one that runs leaves it")
    func phases() {
        for phase in [Phase.loaded, .empty, .initial] {
            #expect(change(phase, account: Self.ended, secret: "7.5") == .set(nil))
        }
        #expect(change(.syncing, account: Self.ended, secret: "7.5") == .unchanged)
    }
}
