import DirectoryFormats
import Model

/// Which directory is asked, how, and by whom.
package struct LDAPSettings: Sendable {
    package struct Credentials: Sendable {
        package var dn: String
        /// Read for each connection. Throws what says why there is none.
        package var password: @Sendable () throws -> String

        package init(dn: String, password: @escaping @Sendable () throws -> String) {
            (self.dn, self.password) = (dn, password)
        }
    }

    package var address: LDAPAddress
    package var startsTLS = false
    /// Nil: anonymous, or the user of this process where the address is a Unix socket.
    package var credentials: Credentials?
    package var format: DirectoryFormat
    package var pageSize = 500
    package var pages: Int?
    /// Of authorities that are trusted beside the system's.
    package var authorities: String?
    package var connectTimeout = Duration.seconds(10)
    /// For one answer: a page of the list.
    package var deadline = Duration.seconds(60)
    package var maximumBytes = 64 << 20
    /// Differs where what is cached of the list is of no use.
    package var version = ""
    /// Names and addresses of the server, by the host of its address.
    package var hosts: @Sendable (String) -> [String] = { [$0] }

    package init(address: LDAPAddress, format: DirectoryFormat) {
        (self.address, self.format) = (address, format)
    }

    var isEncrypted: Bool { startsTLS || address.scheme == .ldaps }
}
