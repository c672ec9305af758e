import Upstream

package struct LDAPSettings: Sendable {
    package struct Credentials: Sendable {
        package var dn: String
        /// Read for each connection. The error says why it can't be read.
        package var password: @Sendable () throws -> Password

        /// The version is that of the password's file.
        package typealias Password = (value: String, version: String?)

        package init(dn: String, password: @escaping @Sendable () throws -> Password) {
            (self.dn, self.password) = (dn, password)
        }
    }

    package var address: LDAPAddress
    package var startsTLS = false
    /// Nil for an anonymous login, or for that of this process's user over a Unix socket.
    package var credentials: Credentials?
    /// Whether a Kerberos ticket logs in.
    package var usesTicket = false
    package var format: DirectoryFormat
    package var pageSize = 500
    package var pages: Int?
    /// A PEM file of authorities that are trusted in addition to the system's.
    package var authorities: String?
    package var connectTimeout = Duration.seconds(10)
    /// Time limit of one answer, such as a page of the list.
    package var deadline = Duration.seconds(60)
    /// Size limit of all entries of one answer.
    package var maximumBytes = 64 << 20
    /// An entry takes several times its size while it is read.
    var maximumEntryBytes: Int { min(maximumBytes, 16 << 20) }
    /// The time from one regular sync to the next.
    package var interval = Duration.seconds(900)
    /// The longest time between two readings of all ids, while only changes are read.
    package var idsInterval = Duration.seconds(6 * 3600)
    /// Differs if a cached list can't be used again.
    package var version = ""
    /// The servers of a domain that DNS names. Blocks.
    package var servers: @Sendable (_ domain: String) throws -> [DNSService] = { _ in [] }
    /// Draws a number of the range.
    package var random: @Sendable (ClosedRange<Int>) -> Int = { .random(in: $0) }
    /// Names and addresses of the server, by the host of its address.
    package var hosts: @Sendable (String) -> [String] = { [$0] }

    package init(address: LDAPAddress, format: DirectoryFormat) {
        (self.address, self.format) = (address, format)
    }

    /// The name of the login in messages.
    var identity: String {
        if usesTicket { return "the holder of the ticket" }
        if credentials != nil { return "users.bind_dn" }
        return address.scheme == .ldapi ? "the user of this process" : "anonymous users"
    }

    /// The server and who logs in there. All servers of a domain have the same accounts.
    var account: String { "\(address.server) \(credentials?.dn ?? "")" }

    var isEncrypted: Bool { startsTLS || address.scheme == .ldaps }
}
