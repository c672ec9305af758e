import CLDAP
import Glibc
import Model

extension UpstreamError {
    init(_ error: ResultError, from address: LDAPAddress) {
        let words = error.said.trimmingBlanks().isEmpty ? "" : ": \(error.said.shown(upTo: 300))"
        let count =
            error.code.isOfSize ? " after \(error.entries) entries, so the list is not complete" : ""
        self.init(
            Failure(
                kind: .ldap, message: "\(address.server): \(error.code)\(error.reason)\(count)\(words)",
                retryable: error.code.isPassing, advice: error.code.advice.map { Advice($0) }))
    }

    /// The failure for an error code of libldap itself.
    static func local(
        _ code: CInt, _ said: String, _ settings: LDAPSettings, errno: CInt, entries: Int = 0
    ) -> UpstreamError {
        let server = settings.address.server
        switch code {
        case LDAP_FILTER_ERROR:
            return UpstreamError(
                .ldap,
                "\(settings.address.filter.shown(upTo: 300)) is not an LDAP filter (RFC 4515)",
                advice: .check, about: "users.url")
        case LDAP_SERVER_DOWN where errno == ERANGE, LDAP_NO_MEMORY where errno == ERANGE:
            return UpstreamError(
                .tooLarge, "an entry of \(server) is larger than \(settings.maximumEntryBytes) bytes")
        case LDAP_SERVER_DOWN, LDAP_CONNECT_ERROR:
            let came = entries > 0 ? " after \(entries) entries" : ""
            return UpstreamError(.offline, "\(server) closed the connection\(came)")
        case LDAP_DECODING_ERROR:
            return UpstreamError(.decode, "\(server) does not answer in LDAP")
        default:
            let words = libldap.ldap_err2string(code).map { String(cString: $0) } ?? "error \(code)"
            return UpstreamError(
                .ldap,
                "\(server): \(words.lowercased()) (\(code))\(said.isEmpty ? "" : ": \(said.shown(upTo: 300))")"
            )
        }
    }

    static func credentials(_ reason: String, advice: Advice.Kind? = nil) -> UpstreamError {
        UpstreamError(.credentials, reason.shown(upTo: 500), advice: advice)
    }
}

extension ResultError {
    /// A domain controller's reason for refusing a login, in words.
    fileprivate var reason: String {
        guard let start = said.firstRange(of: ", data ")?.upperBound else { return "" }
        let code = said[start...].prefix { $0.isHexDigit }
        return Self.reasons[String(code).asciiLowercased].map { ": \($0)" } ?? ""
    }

    private static let reasons = [
        "525": "unknown user", "52e": "wrong name or password",
        "530": "logins are not allowed at this time",
        "531": "logins are not allowed from this machine", "532": "the password has expired",
        "533": "the account is disabled", "701": "the account has expired",
        "773": "the password must be changed first", "775": "the account is locked",
    ]
}

/// - Parameter faults: faults in the certificate's own fields.
func certificateFault(_ faults: Int) -> (String, Advice.Kind?) {
    switch faults {
    case _ where faults & cldap_certificate_expired != 0:
        ("its certificate has expired, or this machine's clock is wrong", nil)
    case _ where faults & cldap_certificate_early != 0:
        ("its certificate is not valid yet, or this machine's clock is wrong", nil)
    case _ where faults & cldap_certificate_misnamed != 0: ("its certificate is for another name", nil)
    default: ("its certificate is from an authority that this machine does not trust", .trustAuthority)
    }
}
