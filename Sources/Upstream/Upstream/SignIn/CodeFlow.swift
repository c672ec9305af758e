import CCrypto
import FoundationEssentials
import HTTP
import Model

/// One sign-in by the browser: an authorization code with PKCE, `state` and, for OpenID Connect, a nonce (RFC
/// 6749, section 4.1; RFC 7636).
struct CodeFlow: Sendable {
    let provider: Provider
    /// `redirect_uri`. Set before `address()`: its port is known once the listener is open, which needs `expected`.
    var redirect = ""
    let expected: ExpectedRedirect
    /// Whoever reads the redirect can't use its code without it. 43 characters.
    private let verifier: String
    private let nonce: String?

    private var client: OAuthClient { provider.client }

    init(_ provider: Provider, _ environment: SignInEnvironment) {
        self.provider = provider
        verifier = environment.secret()
        nonce = provider.client.asksWhoSignsIn ? environment.secret() : nil
        expected = ExpectedRedirect(
            state: environment.secret(), issuer: provider.client.issuer,
            alwaysNamesIssuer: provider.alwaysNamesIssuer)
    }

    private var challenge: String {
        var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
        sha256(verifier, verifier.utf8.count, &digest)
        return base64URL(digest)
    }

    /// The address that the person opens.
    func address() throws(UpstreamError) -> URL {
        let endpoint = try provider.endpoint(.authorization)
        guard endpoint.keepsSecrets, var parts = URLComponents(url: endpoint, resolvingAgainstBaseURL: true)
        else {
            throw UpstreamError(
                .credentials, "\(endpoint.shown) is not an https:// address", advice: .checkIssuer)
        }
        var query = QueryParameters(parts.percentEncodedQuery ?? "")
        let fields = [
            ("response_type", "code"), ("client_id", client.identity.id), ("redirect_uri", redirect),
            ("scope", client.scope), ("state", expected.state), ("code_challenge", challenge),
            ("code_challenge_method", "S256"), ("nonce", nonce),
        ]
        for (name, value) in fields { if let value { query.append(name, value) } }
        for (name, value) in client.sentParameters { query.append(name, value) }
        if nonce != nil, provider.letsPeopleChoose, !client.parameters.contains(where: { $0.0 == "prompt" }) {
            query.append("prompt", "select_account")
        }
        parts.percentEncodedQuery = query.encoded
        guard let url = parts.url else {
            throw UpstreamError(
                .credentials, "\(endpoint.shown) is not an address", advice: .checkIssuer)
        }
        return url
    }

    func tokens(for answer: RedirectAnswer, _ http: ProviderHTTP) async throws -> SavedTokens {
        switch answer {
        case .refusal(let code, let description):
            let endpoint = try provider.endpoint(.authorization)
            throw OAuthRefusal(url: endpoint, code: code, words: description)
        case .code(let code):
            http.redactor.learn(code)
            http.redactor.learn(verifier)
            let answer = try await http.tokens(
                [
                    ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", redirect),
                    ("code_verifier", verifier),
                ], at: try provider.endpoint(.token), of: client)
            return try provider.granted(answer, nonce: nonce, now: http.now())
        }
    }
}

extension Provider {
    /// The tokens of a new sign-in, once the ID token, if there is one, has been checked.
    func granted(_ answer: TokenAnswer, nonce: String? = nil, now: Timestamp) throws -> SavedTokens {
        var tokens = SavedTokens(
            answer, binding: client.binding(tokenEndpoint: try endpoint(.token)), at: now)
        if let token = answer.idToken {
            tokens.name = try IDToken(
                token, issuer: client.issuer, client: client.identity.id, nonce: nonce, now: now
            ).name
        }
        tokens.revocationEndpoint = endpoints[.revocation]?.absoluteString
        return tokens
    }
}
