import FoundationEssentials
import HTTP
import Model
import StrictJSON

/// A token endpoint's success (RFC 6749, section 5.1).
struct TokenAnswer: Hashable, Sendable {
    var accessToken: String
    var expiresAt: Timestamp?
    var renewAt: Timestamp?
    var refreshToken: String?
    var refreshExpiresAt: Timestamp?
    var idToken: String?
    /// What is granted, if the provider says so.
    var scope: String?

    /// - Parameters:
    ///   - url: the endpoint, for messages.
    ///   - askedAt: when the request was sent; lifetimes count from then.
    ///   - scheme: another type of tokens to take besides bearer tokens.
    init(
        _ json: JSONValue, from url: URL, askedAt: Timestamp, scheme: String?, redactor: SecretRedactor
    ) throws(UpstreamError) {
        func text(_ name: String) -> String? { json[name]?.string.flatMap { $0.isEmpty ? nil : $0 } }
        let tokens = ["access_token", "refresh_token", "id_token"].map(text)
        for token in tokens.compactMap(\.self) { redactor.learn(token) }
        guard let access = tokens[0] else {
            throw UpstreamError(.decode, "the answer of \(url.shown) has no access_token in JSON")
        }
        guard tokens.compactMap(\.self).allSatisfy({ $0.utf8.allSatisfy { 0x21...0x7E ~= $0 } }) else {
            throw UpstreamError(.decode, "\(url.shown) gives a token with characters that tokens can't have")
        }
        if let type = text("token_type")?.asciiLowercased, type != "bearer", type != scheme?.asciiLowercased {
            throw UpstreamError(
                .credentials,
                "\(url.shown) gives tokens of the type \(type.shown(upTo: 40)), not bearer tokens",
                advice: scheme.map { _ in .changeTokenScheme })
        }
        (accessToken, refreshToken, idToken) = (access, tokens[1], tokens[2])
        // RFC 6749, section 3.3.
        scope = text("scope").flatMap { $0.utf8.allSatisfy { 0x20...0x7E ~= $0 } ? $0 : nil }
        if let life = json.lifetime("expires_in") {
            expiresAt = askedAt + .seconds(life)
            renewAt = askedAt + .seconds(life - min(60, life / 4))
        }
        // Keycloak's name; GitHub's and Microsoft's. Zero means no end (Keycloak).
        if let life = json.lifetime("refresh_expires_in", "refresh_token_expires_in"), life > 0 {
            refreshExpiresAt = askedAt + .seconds(life)
        }
    }
}
