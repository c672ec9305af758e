import FoundationEssentials
import HTTP
import NIOCore

/// A proxy that connects to upstreams for userd. It prints without user and password.
package struct ProxyAddress: Hashable, Sendable, CustomStringConvertible {
    package let isSOCKS: Bool
    package let host: String
    package let port: Int
    package let user: String?
    package let password: String?

    /// Nil if the address is not `http://`, `socks5://` or `socks5h://`. The proxy always looks up the upstream's name.
    package init?(_ address: String) {
        guard let parts = URLComponents(string: address), let host = parts.host, !host.isEmpty else {
            return nil
        }
        switch parts.scheme?.lowercased() {
        case "http": isSOCKS = false
        case "socks5", "socks5h": isSOCKS = true
        default: return nil
        }
        self.host = host.trimmingBrackets
        port = parts.port ?? (isSOCKS ? 1080 : 80)
        user = parts.user
        password = parts.password
    }

    package var description: String {
        let shown = host.contains(":") ? "[\(host)]" : host
        return "\(isSOCKS ? "socks5" : "http")://\(shown):\(port)"
    }
}

/// Chooses the proxy for each address.
package struct Proxies: Hashable, Sendable {
    /// For all upstreams; takes precedence over the others.
    package var always: ProxyAddress?
    /// For upstreams of this scheme, except those on this machine.
    package var https: ProxyAddress?
    package var http: ProxyAddress?
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

    package func proxy(for url: URL) -> ProxyAddress? {
        let host = url.hostWithoutBrackets.lowercased().withoutLastDot.canonical
        if exceptions.contains(where: { covers($0, host, url.effectivePort) }) { return nil }
        if let always { return always }
        if isLoopback(host) { return nil }
        return url.isOverTLS ? https : http
    }

    private func covers(_ exception: String, _ host: String, _ port: Int) -> Bool {
        if exception == "*" { return true }
        var name = Substring(exception)
        if let slash = name.firstIndex(of: "/") {
            return isWithin(addressBytes(host), String(name[..<slash]), Int(name[slash...].dropFirst()))
        }
        // An IPv6 address has its port after the brackets.
        let colons = name.count { $0 == ":" }
        if let colon = name.lastIndex(of: ":"), colons == 1 || name[..<colon].last == "]" {
            guard Int(name[colon...].dropFirst()) == port else { return false }
            name = name[..<colon]
        }
        let domain = name.trimmingPrefix("*").trimmingPrefix(".")
        let text = String(domain).trimmingBrackets.withoutLastDot.canonical
        return !text.isEmpty && (host == text || host.hasSuffix("." + text))
    }

    /// Whether an address is in a network such as `10.0.0.0/8` (RFC 4632).
    private func isWithin(_ address: [UInt8]?, _ network: String, _ length: Int?) -> Bool {
        guard let address, let network = addressBytes(network), let length, address.count == network.count,
            0...network.count * 8 ~= length
        else { return false }
        return (0..<length).allSatisfy { bit in
            (address[bit / 8] ^ network[bit / 8]) & (0x80 >> UInt8(bit % 8)) == 0
        }
    }
}

extension String {
    fileprivate var trimmingBrackets: String {
        hasPrefix("[") && hasSuffix("]") ? String(dropFirst().dropLast()) : self
    }

    fileprivate var withoutLastDot: String { hasSuffix(".") ? String(dropLast()) : self }

    /// One spelling for each address; names are unchanged.
    fileprivate var canonical: String { (try? SocketAddress(ipAddress: self, port: 0))?.ipAddress ?? self }
}
