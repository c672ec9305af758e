import HTTP
import Model

extension LDAPConnection {
    /// Connects, encrypts and logs in, trying one server of the domain and one address of it after the other.
    /// - Parameter last: where the last connection was, which is tried first.
    static func connected(
        _ settings: LDAPSettings, _ cancellable: CancellableSocket, password: String?, binds: Bool = true,
        after last: Place? = nil
    ) throws -> LDAPConnection {
        guard settings.address.host.isEmpty, let domain = settings.address.domain else {
            return try connectedToHost(
                settings, cancellable, password: password, binds: binds, at: last?.socketAddress)
        }
        let servers = try settings.servers(domain).ordered(
            below: domain, first: last?.host, random: settings.random)
        var failure: any Error = UpstreamError(
            .offline, "DNS names no LDAP server of \(domain) below that domain (_ldap._tcp.\(domain))")
        for server in servers {
            var one = settings
            one.address = settings.address.at(server)
            do {
                return try connectedToHost(
                    one, cancellable, password: password, binds: binds,
                    at: server.host == last?.host ? last?.socketAddress : nil, servers: servers.count)
            } catch {
                failure = error
                guard isOfAddress(error), !cancellable.isCut else { break }
            }
        }
        throw failure
    }

    /// Where a connection leads.
    struct Place: Sendable {
        var host: String
        var socketAddress: [UInt8]
    }

    var place: Place { Place(host: settings.address.host, socketAddress: socketAddress) }
}
