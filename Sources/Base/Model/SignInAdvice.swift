/// What a person can do if signing in fails. `Advice` says why it is not a text.
package enum SignInAdvice: Hashable, Sendable {
    /// Nobody is signed in, or no longer.
    case signIn
    /// The person said no, or waited too long.
    case signInAgain
    /// The provider does not want this person to sign in with a code.
    case useBrowser
    /// No browser answered at this machine.
    case pasteOrUseCode
    /// What was pasted is not the address at which the browser ended.
    case pasteWholeAddress
    /// The client is unknown to the provider.
    case checkClient
    /// The address of the provider is wrong.
    case checkIssuer
    /// The provider calls itself by this name.
    case setIssuer(String)
    /// The provider does not know the scope.
    case checkScope
    /// The provider gives no refresh token.
    case askForOfflineAccess
    /// The provider's document does not name an endpoint.
    case nameEndpoint(Endpoint)
    /// The client is registered as another kind of program.
    case registerAsNative
    /// The registration does not let the client use codes and public redirects.
    case allowPublicClient
    /// The provider wants the secret that it gave the client.
    case nameSecret
    /// The redirect address is not registered.
    case registerRedirect
    /// Another program listens at the port of the redirect address.
    case freePort
    /// An administrator has to agree once.
    case askForConsent
    /// An administrator has to let this person use the client.
    case askForAssignment
    /// A policy of the organisation forbids it.
    case askAboutPolicy
    /// The other person's account is the right one, perhaps.
    case useOtherAccount
    /// This machine's clock differs from the provider's.
    case checkClock
    /// The folder of the tokens can't be written.
    case checkTokenFolder

    package enum Endpoint: String, Hashable, Sendable, CaseIterable {
        case authorization, token, device, revocation
    }
}
