// The functions keep their names from C.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CLDAP
import Glibc
import HTTP
import Model
import Synchronization

/// libldap, opened on the first use of a directory over LDAP, so that userd also runs on machines without it.
package struct Library {
    fileprivate let functions: cldap

    package init(_ names: [String] = ["libldap.so.2", "libldap-2.5.so.0"]) throws(UpstreamError) {
        for name in names {
            // Global: cldap_certificate_faults finds GnuTLS, which comes with it, by dlsym.
            guard let library = dlopen(name, RTLD_NOW | RTLD_GLOBAL) else { continue }
            var functions = cldap()
            guard cldap_find(library, &functions) != 0 else { continue }
            self.functions = functions
            return
        }
        let reason = dlerror().map { ": " + String(cString: $0).shown(upTo: 300) } ?? ""
        throw UpstreamError(
            .ldap,
            "LDAP needs libldap; install the package libldap2, on Debian 12 libldap-2.5-0\(reason)")
    }

    private static let opened = Mutex<Library?>(nil)

    /// Must have succeeded before a function is called.
    static func open() throws {
        try opened.withLock { if $0 == nil { $0 = try Library() } }
    }

    fileprivate static var functions: cldap { opened.withLock { $0?.functions ?? cldap() } }
}

private let libldap = Library.functions

// These shadow the functions that ldap.h declares, which are not linked.
let ber_free = libldap.ber_free!
let ber_memfree = libldap.ber_memfree!
let ber_sockbuf_ctrl = libldap.ber_sockbuf_ctrl!
let ldap_abandon_ext = libldap.ldap_abandon_ext!
let ldap_control_find = libldap.ldap_control_find!
let ldap_control_free = libldap.ldap_control_free!
let ldap_controls_free = libldap.ldap_controls_free!
let ldap_create_page_control = libldap.ldap_create_page_control!
let ldap_err2string = libldap.ldap_err2string!
let ldap_get_attribute_ber = libldap.ldap_get_attribute_ber!
let ldap_get_dn_ber = libldap.ldap_get_dn_ber!
let ldap_get_option = libldap.ldap_get_option!
let ldap_init_fd = libldap.ldap_init_fd!
let ldap_install_tls = libldap.ldap_install_tls!
let ldap_memfree = libldap.ldap_memfree!
let ldap_memvfree = libldap.ldap_memvfree!
let ldap_msgfree = libldap.ldap_msgfree!
let ldap_msgid = libldap.ldap_msgid!
let ldap_msgtype = libldap.ldap_msgtype!
let ldap_parse_pageresponse_control = libldap.ldap_parse_pageresponse_control!
let ldap_parse_reference = libldap.ldap_parse_reference!
let ldap_parse_result = libldap.ldap_parse_result!
let ldap_result = libldap.ldap_result!
let ldap_sasl_bind = libldap.ldap_sasl_bind!
let ldap_sasl_interactive_bind_s = libldap.ldap_sasl_interactive_bind_s!
let ldap_search_ext = libldap.ldap_search_ext!
let ldap_set_option = libldap.ldap_set_option!
let ldap_start_tls_s = libldap.ldap_start_tls_s!
let ldap_unbind_ext = libldap.ldap_unbind_ext!
