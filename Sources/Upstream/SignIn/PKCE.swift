import Crypto
import Model

/// Proof Key for Code Exchange (RFC 7636): whoever reads the redirect can't use its code.
struct PKCE: Hashable, Sendable {
    /// Sent with the code. 43 characters.
    let verifier: String

    static let method = "S256"

    init(verifier: String) { self.verifier = verifier }

    /// Sent with the person to the provider.
    var challenge: String { base64URL(SHA256.hash(data: Array(verifier.utf8))) }
}
