import Model

/// What tokens belong to. If any of it differs from the settings, nothing of the tokens is sent anywhere.
package struct TokenBinding: Hashable, Sendable, Codable {
    var issuer: String?
    var clientID: String
    var scope: String?
    var tokenEndpoint: String
    /// The origin of users.
    var resource: String

    enum CodingKeys: String, CodingKey {
        case issuer
        case clientID = "client_id"
        case scope
        case tokenEndpoint = "token_endpoint"
        case resource
    }
}

/// The tokens of the person who has signed in, as the file has them.
package struct SavedTokens: Hashable, Sendable, Codable {
    /// Files with another number are not read.
    static let currentVersion = 1

    var version = currentVersion
    var binding: TokenBinding
    var accessToken: String
    /// When to ask for the next access token; nil until it is refused.
    var renewAt: Timestamp?
    var expiresAt: Timestamp?
    var refreshToken: String?
    var refreshExpiresAt: Timestamp?
    /// The scope that the provider has named as granted.
    var grantedScope: String?
    /// How often in a row the refresh token was refused without a word, and when it was last counted.
    var wordlessRefusals: Int?
    var wordlessRefusedAt: Timestamp?
    /// The ID token's name for the person.
    var name: String?
    var signedInAt: Timestamp
    var revocationEndpoint: String?
    /// Why the provider no longer takes the refresh token. Nothing is sent until somebody signs in.
    var refusal: String?

    enum CodingKeys: String, CodingKey {
        case version, binding
        case accessToken = "access_token"
        case renewAt = "renew_at"
        case expiresAt = "expires_at"
        case refreshToken = "refresh_token"
        case refreshExpiresAt = "refresh_expires_at"
        case grantedScope = "granted_scope"
        case wordlessRefusals = "wordless_refusals"
        case wordlessRefusedAt = "wordless_refused_at"
        case name
        case signedInAt = "signed_in_at"
        case revocationEndpoint = "revocation_endpoint"
        case refusal
    }

    init(_ answer: TokenAnswer, binding: TokenBinding, at time: Timestamp) {
        self.binding = binding
        signedInAt = time
        accessToken = answer.accessToken
        take(answer)
    }

    /// The tokens after a refresh. Never mixes the tokens of two answers, except that an answer without a
    /// refresh token leaves the old one valid (RFC 6749, section 6).
    func refreshed(by answer: TokenAnswer) -> SavedTokens {
        var tokens = self
        tokens.take(answer)
        return tokens
    }

    private mutating func take(_ answer: TokenAnswer) {
        accessToken = answer.accessToken
        (renewAt, expiresAt) = (answer.renewAt, answer.expiresAt)
        (wordlessRefusals, wordlessRefusedAt) = (nil, nil)
        if let scope = answer.scope { grantedScope = scope }
        if let token = answer.refreshToken { refreshToken = token }
        if answer.refreshToken != nil || answer.refreshExpiresAt != nil {
            refreshExpiresAt = answer.refreshExpiresAt
        }
    }

    /// The scope to ask for when refreshing: no more than was granted (RFC 6749, section 6). `offline_access` was, or there
    /// would be no refresh token; Microsoft does not name it.
    func scope(of configured: String?) -> String? {
        guard let configured, let grantedScope else { return configured }
        let offline = "offline_access"
        let isMissing =
            configured.split(separator: " ").contains { $0 == offline }
            && !grantedScope.split(separator: " ").contains { $0 == offline }
        return grantedScope + (isMissing ? " " + offline : "")
    }

    /// Counts refusals without a word, one for each interval of syncs.
    mutating func count(_ refusal: OAuthRefusal, at now: Timestamp, interval: Duration) {
        guard refusal.isWordless else {
            (wordlessRefusals, wordlessRefusedAt) = (nil, nil)
            return
        }
        // A clock may be set back.
        if let last = wordlessRefusedAt, last <= now, now - last < interval / 2 { return }
        (wordlessRefusals, wordlessRefusedAt) = ((wordlessRefusals ?? 0) + 1, now)
    }

    /// Whether so many refusals without a word mean that the refresh token is over.
    var isRefusedForGood: Bool { (wordlessRefusals ?? 0) >= 3 }

    /// - Parameter refused: an access token that upstream has refused.
    func isFresh(_ refused: String?, now: Timestamp) -> Bool {
        refusal == nil && accessToken != refused && renewAt.map { now < $0 } ?? true
    }

    var secrets: [String] { [accessToken, refreshToken].compactMap(\.self) }
}

extension OAuthClient {
    /// - Parameter tokens: nil if nobody is signed in.
    func account(of tokens: SavedTokens?) -> Account {
        Account(
            signedIn: tokens.map { $0.refusal == nil } ?? false, name: tokens?.name, provider: provider,
            since: tokens?.signedInAt,
            until: tokens?.refreshToken == nil ? tokens?.expiresAt : tokens?.refreshExpiresAt)
    }
}
