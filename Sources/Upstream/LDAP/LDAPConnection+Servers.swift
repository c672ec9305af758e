import HTTP
import Model

extension LDAPConnection {
    /// Connects, encrypts and logs in, trying one server of the domain and one address of it after the other.
    /// - Parameter route: where to begin; becomes where it ended.
    static func connected(
        _ settings: LDAPSettings, _ cancellable: CancellableSocket, login: Login?, binds: Bool = true,
        _ route: inout Route
    ) throws -> LDAPConnection {
        guard settings.address.host.isEmpty, let domain = settings.address.domain else {
            return try connectedToHost(settings, cancellable, login: login, binds: binds, &route)
        }
        let ordered = try settings.servers(domain).ordered(
            below: domain, first: route.last?.host, random: settings.random)
        let silent = ordered.filter { $0.host == route.silent?.host }
        let servers = ordered.filter { $0.host != route.silent?.host } + silent
        var failure: any Error = UpstreamError(
            .offline, "DNS names no LDAP server of \(domain) below that domain (_ldap._tcp.\(domain))")
        for server in servers {
            var one = settings
            one.address = settings.address.at(server)
            do {
                return try connectedToHost(
                    one, cancellable, login: login, binds: binds, &route, servers: servers.count)
            } catch {
                failure = error
                guard isOfServer(error, login, settings), !cancellable.isCut else { break }
            }
        }
        throw failure
    }

    /// Whether another server may work. Many refusals of a ticket are one server's: Kerberos does not know its name, or its
    /// clock differs.
    static func isOfServer(_ error: any Error, _ login: Login?, _ settings: LDAPSettings) -> Bool {
        if isOfAddress(error, login) { return true }
        let isRefusal = error is ResultError || (error as? UpstreamError)?.failure.kind == .ldap
        return settings.usesTicket && isRefusal
    }

    /// The server that a connection leads to.
    struct Place: Sendable, Equatable {
        var host: String
        var socketAddress: [UInt8]
    }

    struct Route: Sendable {
        /// Tried first.
        var last: Place?
        /// The server that did not answer a login; tried last.
        var silent: Place?
    }
}
