import CLDAP
import Glibc
import Model

extension LDAPConnection {
    /// - Returns: codes of libldap.
    static func configureTLS(
        _ handle: OpaquePointer, _ settings: LDAPSettings, verifies: Bool
    ) -> [CInt] {
        var codes: [CInt] = []
        func set(_ option: CInt, _ value: CInt) {
            withUnsafePointer(to: value) { codes.append(libldap.ldap_set_option(handle, option, $0)) }
        }
        set(LDAP_OPT_X_TLS_REQUIRE_CERT, verifies ? LDAP_OPT_X_TLS_DEMAND : LDAP_OPT_X_TLS_NEVER)
        // libldap has no authorities of its own.
        let file = settings.authorities ?? "/etc/ssl/certs/ca-certificates.crt"
        codes.append(libldap.ldap_set_option(handle, LDAP_OPT_X_TLS_CACERTFILE, file))
        if settings.authorities != nil {
            codes.append(libldap.ldap_set_option(handle, LDAP_OPT_X_TLS_CACERTDIR, "/etc/ssl/certs"))
        }
        // TLS 1.2 at least (RFC 9325). GnuTLS ignores the option that OpenSSL has for it, and OpenSSL can't read the text.
        if dlsym(nil, "gnutls_priority_init") == nil {
            set(LDAP_OPT_X_TLS_PROTOCOL_MIN, 0x303)
        } else {
            let versions = "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"
            codes.append(libldap.ldap_set_option(handle, LDAP_OPT_X_TLS_CIPHER_SUITE, versions))
        }
        set(LDAP_OPT_X_TLS_NEWCTX, 0)
        return codes
    }

    func encrypt(_ cancellable: CancellableSocket) throws {
        let code = Self.startTLS(handle, settings)
        guard code != LDAP_SUCCESS else { return }
        if code > 0 {
            throw UpstreamError(
                .tls,
                "\(settings.address.server) refuses StartTLS: \(ResultCode(value: code)), \(said.shown(upTo: 300))"
            )
        }
        if cancellable.isCut {
            throw UpstreamError.local(code, said, settings, errno: errno)
        }
        let said = said.shown(upTo: 300)
        let (reason, advice) =
            certificateFault(cancellable)
            ?? (
                "the TLS handshake on port \(settings.address.port) failed\(said.isEmpty ? "" : ": \(said)")",
                settings.startsTLS ? .tryLDAPS : .tryStartTLS
            )
        throw UpstreamError(
            .tls, "no trusted connection to \(settings.address.server): \(reason)", advice: advice)
    }

    private static func startTLS(_ handle: OpaquePointer, _ settings: LDAPSettings) -> CInt {
        settings.startsTLS ? libldap.ldap_start_tls_s(handle, nil, nil) : libldap.ldap_install_tls(handle)
    }

    /// Connects once more only to get the certificate, because libldap only says that the connection failed.
    private func certificateFault(_ cancellable: CancellableSocket) -> (String, Advice.Kind?)? {
        let opened = try? Self.open(
            settings, cancellable, socketAddress, within: settings.connectTimeout, verifies: false)
        guard let (handle, _) = opened else { return nil }
        defer {
            cancellable.release()
            _ = libldap.ldap_unbind_ext(handle, nil, nil)
        }
        guard Self.startTLS(handle, settings) == LDAP_SUCCESS else { return nil }
        var certificate = berval()
        _ = libldap.ldap_get_option(handle, LDAP_OPT_X_TLS_PEERCERT, &certificate)
        defer { libldap.ber_memfree(certificate.bv_val) }
        let faults = cldap_certificate_faults(certificate, settings.address.host, time(nil))
        return faults < 0 ? nil : LDAP.certificateFault(Int(faults))
    }
}
