import CCrypto
import Model

/// Proof Key for Code Exchange (RFC 7636): whoever reads the redirect can't use its code.
struct PKCE: Hashable, Sendable {
    /// Sent with the code. 43 characters.
    let verifier: String

    static let method = "S256"

    init(verifier: String) { self.verifier = verifier }

    /// Sent with the person to the provider.
    var challenge: String {
        var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
        sha256(verifier, verifier.utf8.count, &digest)
        return base64URL(digest)
    }
}
