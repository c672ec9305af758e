import CLDAP
import Glibc
import Model
import Platform

/// Logging in by a Kerberos ticket: SASL's mechanism GSSAPI (RFC 4752), for which libsasl needs a package of its own.
enum Ticket {
    /// Blocks, within libkrb5 perhaps for longer than any limit of ours.
    /// - Returns: a code of libldap.
    static func bind(_ handle: OpaquePointer, _ settings: LDAPSettings) -> CInt {
        var yes: CInt = 1
        // Any value but nil is on. The name is the URL's: a reverse lookup could name another server.
        var code = libldap.ldap_set_option(handle, LDAP_OPT_X_SASL_NOCANON, &yes)
        // Kerberos encrypts the connection; inside TLS that is neither needed nor allowed by Active Directory.
        let properties = settings.isEncrypted ? "maxssf=0" : "minssf=56"
        if code == LDAP_SUCCESS {
            code = libldap.ldap_set_option(handle, LDAP_OPT_X_SASL_SECPROPS, properties)
        }
        if code == LDAP_SUCCESS, settings.isEncrypted {
            var binding = CInt(LDAP_OPT_X_SASL_CBINDING_TLS_ENDPOINT)
            code = libldap.ldap_set_option(handle, LDAP_OPT_X_SASL_CBINDING, &binding)
        }
        guard code == LDAP_SUCCESS else { return code }
        return libldap.ldap_sasl_interactive_bind_s(
            handle, nil, "GSSAPI", nil, nil, LDAP_SASL_QUIET, { cldap_interact($0, $1, $2, $3) }, nil)
    }

    /// That no Kerberos server answers is the fault of no LDAP server: no other one is asked.
    struct NoKerberosServer: Error { var words: String }

    /// The failure for an error of libldap at the login; nil if it is not about the ticket.
    /// - Parameter said: libsasl's words, with libkrb5's in parentheses.
    static func failure(_ code: CInt, _ said: String, _ settings: LDAPSettings) -> (any Error)? {
        let server = settings.address.server
        if code == LDAP_AUTH_UNKNOWN {
            return UpstreamError(
                .ldap, "libsasl can't use Kerberos", advice: .installGSSAPI)
        }
        guard code == LDAP_LOCAL_ERROR else { return nil }
        func has(_ words: String) -> Bool { said.contains(words) }
        let words = said.shown(upTo: 300)
        if has("Ticket expired") {
            return UpstreamError.credentials("the Kerberos ticket has expired", advice: .getTicket)
        }
        if has("No Kerberos credentials available") || has("No credentials cache found") {
            let place = said.firstRange(of: "default cache: ").map {
                said[$0.upperBound...].prefix { $0 != ")" }
            }
            return UpstreamError.credentials(
                "there is no Kerberos ticket\(place.map { " in \($0)" } ?? "")", advice: .getTicket)
        }
        if has("not found in Kerberos database") {
            return UpstreamError(.ldap, "Kerberos does not know \(server)", advice: .nameServer)
        }
        if has("Cannot contact any KDC") || has("Cannot find KDC") {
            return NoKerberosServer(words: words)
        }
        if has("Clock skew too great") {
            return UpstreamError(
                .ldap,
                "the clocks of this machine and of \(server) differ too much for Kerberos",
                advice: .checkClock)
        }
        return UpstreamError(
            .ldap, "\(server): the login by a Kerberos ticket failed: \(words)", advice: .checkTicket)
    }
}

/// Keeps libldap and libkrb5 from settings of the machine that are not userd's. Call before there are threads, which read the
/// environment (setenv(3)).
package func useOwnLDAPConfiguration() {
    // Ignores ldap.conf, .ldaprc and the environment.
    setenv("LDAPNOINIT", "1", 1)
    // No name of a server comes from reverse DNS: a file before krb5.conf says so, which only this process sees.
    let text = "[libdefaults]\nrdns = false\ndns_canonicalize_hostname = false\n"
    guard let descriptor = memoryFile("krb5.conf", Array(text.utf8)) else { return }
    let others = getenv("KRB5_CONFIG").map { String(cString: $0) } ?? "/etc/krb5.conf"
    setenv("KRB5_CONFIG", "/proc/self/fd/\(descriptor):\(others)", 1)
}
