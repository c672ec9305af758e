import FoundationEssentials
import HTTP
import Model

/// An authorization server's error (RFC 6749, section 5.2, and 4.1.2.1 if the browser brought it).
struct OAuthRefusal: Error, Hashable, Sendable {
    let url: URL
    /// Nil if the browser brought it.
    var status: Int?
    /// Such as `invalid_grant`; empty if the answer has none.
    let code: String
    let words: String
    var isBlank = false

    /// Whether the refresh token is over. Entra also says `invalid_grant` of a device or a place that a policy refuses,
    /// and takes the same token again elsewhere.
    var endsSignIn: Bool {
        code == "invalid_grant"
            && !["aadsts53000", "aadsts53001", "aadsts53003", "aadsts530003"].contains(where: says)
    }

    /// Whether its words have this part, which is in lower case. A number at its end is a whole one: `aadsts53000` is not in
    /// `AADSTS530003`.
    func says(_ part: String) -> Bool {
        let all = words.asciiLowercased
        guard part.last?.isNumber == true else { return all.contains(part) }
        return all.ranges(of: part).contains { all[$0.upperBound...].first?.isNumber != true }
    }

    /// Some providers refuse an ended refresh token without a word (glewlwyd), and so do gateways in trouble.
    var isWordless: Bool { isBlank && [400, 401].contains(status) }

    /// The endpoint may have moved.
    var isFromMissingEndpoint: Bool { [404, 410].contains(status) && !endsSignIn }

    /// The provider's own words on one line, without numbers that only its support can read.
    var text: String {
        var words = words.split(whereSeparator: \.isNewline).map { String($0).trimmingBlanks() }
            .filter { !$0.isEmpty }.joined(separator: " ")
        for ending in [" Trace ID:", " Correlation ID:"] {
            if let found = words.firstRange(of: ending) { words = String(words[..<found.lowerBound]) }
        }
        let parts = [code, words].map { $0.trimmingBlanks() }.filter { !$0.isEmpty }
        let answer = status.map { "it answered \($0)" } ?? "it gave no reason"
        return parts.isEmpty ? answer : parts.joined(separator: ": ").shown(upTo: 500)
    }

    /// - Parameters:
    ///   - what: the beginning of the message, such as `the sign-in failed`.
    ///   - isOfPerson: whether a person signs in; otherwise userd asks for itself.
    func failure(_ what: String, isOfPerson: Bool = true) -> UpstreamError {
        let known = KnownRefusal.all.first { $0.fits(self) && (isOfPerson || $0.clientAdvice != nil) }
        let reason = known.map { "\($0.reason) (\(text))" } ?? text
        return UpstreamError(
            .credentials, "\(what) at \(HTTPOrigin(url)?.host.text ?? url.shown): \(reason)",
            advice: isOfPerson ? known?.advice : known?.clientAdvice ?? .checkClientSecret)
    }
}
