import HTTP
import Model

/// What the person does next.
package struct SignInPrompt: Hashable, Sendable {
    /// https, or http on this machine.
    package var address: String
    /// The code to enter there.
    package var code: String?
    /// How long that is possible.
    package var life: Duration
}

/// What is left of a sign-in that somebody has ended.
package enum SignOut: Hashable, Sendable {
    case revoked
    case nobodyWasSignedIn
    /// The tokens may be valid at the provider; the reason.
    case notRevoked(String)
}

/// Signing in as oneself, where the settings say so.
package struct SignInService: Sendable {
    /// False if the settings let nobody sign in; `signOut` then forgets what earlier settings named.
    package var canSignIn = true
    /// If a person names none.
    package var usualGrant: SignInGrant
    /// Sends the access token of the person who has signed in.
    package var authorization: Authorization
    /// The person who has signed in, as far as this process knows. Does not block.
    package var account: @Sendable () -> Account
    /// Whether nobody is signed in, by what is on the disk now.
    package var isSignedOut: @Sendable () async -> Bool
    /// Signs a person in, one at a time. Ends, and listens nowhere, when its task is cancelled. Throws
    /// `UpstreamError`, whose advice has no words yet.
    /// - Parameter show: called once, before the wait for the person.
    package var signIn:
        @Sendable (SignInGrant, _ show: @escaping @Sendable (SignInPrompt) -> Void) async throws -> Account
    /// Takes the address at which the browser ended. Throws if it does not belong to the sign-in that runs.
    package var paste: @Sendable (_ address: String) async throws -> Void
    /// Forgets the tokens, and asks the provider to do so, too (RFC 7009).
    /// - Parameter keeping: keeps them until the provider has.
    package var signOut: @Sendable (_ keeping: Bool) async throws -> SignOut
}

extension SignInService {
    /// - Parameter redactor: learns all tokens and codes.
    package static func live(
        _ client: OAuthClient, usualGrant: SignInGrant = .browser, transport: HTTPTransport,
        store: TokenStore, unsaved: UnsavedTokens, redactor: SecretRedactor, environment: SignInEnvironment
    ) -> SignInService {
        let http = ProviderHTTP(transport: transport, redactor: redactor, now: environment.now)
        let keeper = TokenKeeper(client, http, store, unsaved, environment)
        let sessions = SignInSessions(keeper: keeper, environment: environment)
        return SignInService(
            usualGrant: usualGrant, authorization: Authorization { try await keeper.token(refused: $0) },
            account: { keeper.account }, isSignedOut: { await keeper.isSignedOut() },
            signIn: { try await sessions.signIn($0, show: $1) }, paste: { try await sessions.paste($0) },
            signOut: { try await sessions.signOut(keeping: $0) })
    }
}
