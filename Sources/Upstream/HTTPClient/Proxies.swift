import FoundationEssentials
import HTTP
import Model

/// A proxy that connects to upstreams for userd. It prints without user and password.
package struct ProxyAddress: Hashable, Sendable, CustomStringConvertible {
    package let isSOCKS: Bool
    package let host: HTTPHost
    package let port: Int
    package let user: String?
    package let password: String?

    /// Nil if the address is not `http://`, `socks5://`, `socks5h://` or `socks://`, as GNOME calls it. The proxy always looks up the upstream's name.
    package init?(_ address: String) {
        guard let parts = URLComponents(string: address), let authority = HTTPAuthority(parts) else {
            return nil
        }
        switch parts.scheme?.lowercased() {
        case "http": isSOCKS = false
        case "socks5", "socks5h", "socks": isSOCKS = true
        default: return nil
        }
        host = authority.host
        port = authority.port ?? (isSOCKS ? 1080 : 80)
        user = parts.user
        password = parts.password
    }

    package var description: String {
        "\(isSOCKS ? "socks5" : "http")://\(host.bracketed):\(port)"
    }
}

/// Chooses the proxy for each address.
package struct Proxies: Hashable, Sendable {
    /// Proxy of upstreams of any scheme; takes precedence over the others.
    package var always: ProxyAddress?
    /// Proxy of upstreams of this scheme.
    package var https: ProxyAddress?
    package var http: ProxyAddress?
    /// Why a proxy of the environment can't be used, for people; by scheme.
    package var faults: [String: String] = [:]
    private var exceptions: [String] = []

    /// - Parameter exceptions: hosts, domains, addresses and networks that are reached without a proxy, as in
    ///   `NO_PROXY`: separated by commas or blanks, each with or without a port, `*` for all.
    package init(
        always: ProxyAddress? = nil, https: ProxyAddress? = nil, http: ProxyAddress? = nil,
        exceptions: String = ""
    ) {
        self.always = always
        self.https = https
        self.http = http
        self.exceptions = exceptions.lowercased().split { $0 == "," || $0.isWhitespace }.map(String.init)
    }

    package static let none = Proxies()

    package var all: Set<ProxyAddress> { Set([always, https, http].compactMap(\.self)) }

    /// Nil for this machine: to a proxy, `localhost` is another one.
    package func proxy(for url: URL) throws(UpstreamError) -> ProxyAddress? {
        guard let origin = HTTPOrigin(url), !origin.host.isLoopback,
            !exceptions.contains(where: { covers($0, origin.host, origin.port) })
        else { return nil }
        if let fault = faults[origin.scheme], always == nil {
            throw UpstreamError(.offline, "no connection to \(origin) is tried: \(fault)")
        }
        return always ?? (origin.isOverTLS ? https : http)
    }

    /// Whether a proxy looks up the name of this address, or would.
    func looksUp(_ url: URL) -> Bool {
        do throws(UpstreamError) { return try proxy(for: url) != nil } catch { return true }
    }

    private func covers(_ exception: String, _ host: HTTPHost, _ port: Int) -> Bool {
        if exception == "*" { return true }
        var name = Substring(exception)
        if let slash = name.firstIndex(of: "/") {
            let length = Int(name[slash...].dropFirst()) ?? -1
            return host.isIn(HTTPHost(String(name[..<slash])), length: length)
        }
        // An IPv6 address has its port after the brackets.
        let colons = name.count { $0 == ":" }
        if let colon = name.lastIndex(of: ":"), colons == 1 || name[..<colon].last == "]" {
            guard Int(name[colon...].dropFirst()) == port else { return false }
            name = name[..<colon]
        }
        guard let domain = HTTPHost(String(name.trimmingPrefix("*").trimmingPrefix("."))) else {
            return false
        }
        return host == domain || host.isBelow(domain)
    }
}
