import Model
import StrictJSON

/// The person who has signed in (OpenID Connect Core 1.0, section 2).
struct IDToken: Hashable, Sendable {
    /// The person's name in messages; nil if the provider tells none.
    let name: String?

    /// The clocks may differ by this much.
    private static let leeway = Duration.seconds(300)

    /// Checks that the token is the provider's, for this client and this sign-in. Its signature is not
    /// checked: it came from the token endpoint itself (OpenID Connect Core 1.0, section 3.1.3.7, rule 6).
    ///
    /// - Parameters:
    ///   - issuer: nil if only endpoints are known.
    ///   - nonce: nil if none was sent.
    init(
        _ token: String, issuer: String?, client: String, nonce: String?, now: Timestamp
    ) throws(UpstreamError) {
        func invalid(_ reason: String, _ advice: Advice.Kind? = nil) -> UpstreamError {
            UpstreamError(
                .credentials, "the provider's ID token \(reason)", advice: advice)
        }
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let bytes = bytes(base64URL: parts[1]),
            let claims = try? JSONValue(validating: bytes, maximumDepth: 32), claims.kind == .object
        else { throw invalid("can't be read") }
        if let issuer, claims["iss"]?.string != issuer { throw invalid("is from another provider") }
        let audience = claims["aud"]?.elements ?? [claims["aud"]].compactMap(\.self)
        for parties in [audience.map(\.string), [claims["azp"]?.string ?? client]]
        where !parties.contains(client) {
            let names = parties.prefix(5).map { "\"\($0 ?? "")\"".shown(upTo: 100) }.joined(separator: ", ")
            throw invalid("is for another program: \(names)", .checkClient)
        }
        guard let end = claims["exp"]?.double, end.magnitude < 1e12 else { throw invalid("has no end") }
        guard now < Timestamp(milliseconds: Int64(end * 1000)) + Self.leeway else {
            throw invalid("has already expired", .checkClock)
        }
        if let nonce, claims["nonce"]?.string != nonce {
            throw invalid(claims["nonce"]?.string == nil ? "has no nonce" : "belongs to another sign-in")
        }
        let names = ["preferred_username", "email", "upn", "name"]
        name = names.lazy.compactMap { claims[$0]?.string }.first { !$0.isEmpty }.map {
            String($0.prefix(200))
        }
    }
}
