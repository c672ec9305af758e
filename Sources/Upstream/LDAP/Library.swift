import CLDAP
import Glibc
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

/// The functions of ldap.h, which are not linked.
let libldap = Library.functions
