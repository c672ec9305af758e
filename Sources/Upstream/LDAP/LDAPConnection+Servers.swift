import HTTP
import Model
import Upstream

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
    struct Place: Sendable, Equatable, Codable {
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

extension [DNSService] {
    /// In the order in which they are to be asked.
    ///
    /// - Parameters:
    ///   - first: the host that answered last, which is asked first.
    ///   - domain: servers outside it are left out, since DNS is not authenticated.
    func ordered(below domain: String, first: String?, random: (ClosedRange<Int>) -> Int) -> [DNSService] {
        var left = filter { ".\($0.host.lowercased())".hasSuffix("." + domain) }.sorted {
            ($0.priority, $0.weight, $0.host) < ($1.priority, $1.weight, $1.host)
        }
        var ordered: [DNSService] = []
        while let priority = left.first?.priority {
            // Those without a weight are at the beginning, so that they have a small chance.
            let same = left.prefix { $0.priority == priority }
            var draw = random(0...same.reduce(0) { $0 + $1.weight })
            let chosen = same.firstIndex { server in
                draw -= server.weight
                return draw <= 0
            }
            ordered.append(left.remove(at: chosen ?? 0))
        }
        guard let index = ordered.firstIndex(where: { $0.host == first }) else { return ordered }
        ordered.insert(ordered.remove(at: index), at: 0)
        return ordered
    }
}
