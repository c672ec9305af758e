import FoundationEssentials
import HTTP
import Model

/// What the settings say of an authorization server: the provider, userd's registration there, and what the
/// tokens are for.
package struct OAuthClient: Sendable {
    package enum Endpoint: String, Hashable, Sendable, CaseIterable {
        case authorization, token, device, revocation
    }

    /// The issuer, as the provider's own document must spell it (RFC 8414, section 3.3); nil if only endpoints are known.
    package var issuer: String?
    package var identity: ClientIdentity
    package var scope: String?
    /// Sent with each request; an empty value leaves out what userd would send.
    package var parameters: [(String, String)]
    /// Those that the settings name; they count more than the provider's document.
    package var endpoints: [Endpoint: URL]
    package var redirect: RedirectAddress
    /// The scheme that tokens are sent with, if the settings choose it; nil for Bearer.
    package var scheme: String?
    /// The address of users; nil for another one than of HTTP. Tokens are for its origin alone.
    package var resource: URL?
    /// The time between two syncs.
    package var interval: Duration

    package init(
        issuer: String?, identity: ClientIdentity, scope: String? = nil,
        parameters: [(String, String)] = [], endpoints: [Endpoint: URL] = [:],
        redirect: RedirectAddress = .standard, scheme: String? = nil, resource: URL?,
        interval: Duration = .seconds(900)
    ) {
        self.issuer = issuer
        self.identity = identity
        self.scope = scope
        self.parameters = parameters
        self.endpoints = endpoints
        self.redirect = redirect
        self.scheme = scheme
        self.resource = resource
        self.interval = interval
    }

    /// The provider's address, for people.
    package var provider: String {
        let token = endpoints[.token].flatMap(HTTPOrigin.init)?.text
        return (issuer ?? token ?? "the provider").shown(upTo: 200)
    }

    /// The setting that leads to an endpoint: by the provider's document unless it is its own.
    func setting(of url: URL) -> String {
        let name = endpoints.first { $0.value == url }?.key.rawValue
        return "users.oauth." + (name.map { "\($0)_url" } ?? "issuer")
    }

    var sentParameters: [(String, String)] { parameters.filter { !$0.1.isEmpty } }

    /// Whether the scope asks for an ID token (OpenID Connect Core 1.0, section 3.1.2.1).
    var asksWhoSignsIn: Bool { scope?.split(separator: " ").contains("openid") == true }

    func binding(tokenEndpoint: URL) -> TokenBinding {
        TokenBinding(
            issuer: issuer, clientID: identity.id, scope: scope, tokenEndpoint: tokenEndpoint.absoluteString,
            resource: resource.flatMap(HTTPOrigin.init)?.text ?? "")
    }

    /// Whether tokens with this binding belong to these settings.
    func owns(_ binding: TokenBinding) -> Bool {
        guard let named = URL(httpAddress: binding.tokenEndpoint) else { return false }
        return binding == self.binding(tokenEndpoint: endpoints[.token] ?? named)
    }
}
