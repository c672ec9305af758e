import FoundationEssentials
import Model

/// The host of an address, and the port if one is given.
package struct HTTPAuthority: Hashable, Sendable {
    package let host: HTTPHost
    package let port: Int?

    /// Nil without a valid host, or with a port outside 1 to 65535.
    package init?(_ parts: URLComponents) {
        guard let host = parts.encodedHost.flatMap(HTTPHost.init) else { return nil }
        let isPortGiven = parts.rangeOfPort.map { !$0.isEmpty } == true
        guard parts.port.map({ 1...65_535 ~= $0 }) ?? !isPortGiven else { return nil }
        (self.host, port) = (host, parts.port)
    }

    /// Why an address has no authority; nil if it has one.
    package static func fault(of parts: URLComponents) -> String? {
        guard let host = parts.encodedHost, !host.isEmpty else { return "has no host" }
        if HTTPHost(host) == nil { return "has a host that is neither a name nor an address" }
        return HTTPAuthority(parts) == nil ? "has no valid port" : nil
    }
}

/// An origin (RFC 6454); a secret for one is not sent to another.
package struct HTTPOrigin: Hashable, Sendable, CustomStringConvertible {
    package let scheme: String
    package let host: HTTPHost
    package let port: Int

    /// Nil unless it is an absolute http or https address.
    package init?(_ url: URL) {
        guard let parts = URLComponents(url: url, resolvingAgainstBaseURL: true),
            let scheme = parts.scheme?.asciiLowercased, ["http", "https"].contains(scheme),
            let authority = HTTPAuthority(parts)
        else { return nil }
        (self.scheme, host) = (scheme, authority.host)
        port = authority.port ?? (scheme == "https" ? 443 : 80)
    }

    package var isOverTLS: Bool { scheme == "https" }

    /// Whether the connection is encrypted, or stays on this machine.
    var keepsSecrets: Bool { isOverTLS || host.isLoopback }

    /// Equal origins have equal texts. Caches and tokens have it, so it stays as it is.
    package var text: String { "\(scheme)://\(host.text):\(port)" }

    /// The address, as people write it.
    package var description: String {
        let isUsual = port == (isOverTLS ? 443 : 80)
        return "\(scheme)://\(host.bracketed)" + (isUsual ? "" : ":\(port)")
    }
}

extension URL {
    /// An absolute http or https address with a valid host and port; nil for anything else.
    package init?(httpAddress text: String) { self.init(httpAddress: text, relativeTo: nil) }

    /// - Parameter base: resolves a relative address.
    package init?(httpAddress text: String, relativeTo base: URL?) {
        guard text.utf8.count <= 8192, let url = URL(string: text, relativeTo: base)?.absoluteURL,
            url.isHTTPAddress
        else { return nil }
        self = url
    }

    package var isHTTPAddress: Bool { HTTPOrigin(self) != nil }

    package var keepsSecrets: Bool { HTTPOrigin(self)?.keepsSecrets == true }

    /// The address for requests: certificates have no final dot (RFC 6066, section 3).
    package var withoutFinalDot: URL {
        guard var parts = URLComponents(url: self, resolvingAgainstBaseURL: true),
            let host = parts.encodedHost, host.hasSuffix(".")
        else { return self }
        parts.encodedHost = String(host.dropLast())
        return parts.url ?? self
    }

    /// The address for messages: without user, password, query and fragment, any of which may hold a secret.
    package var shown: String {
        guard var parts = URLComponents(url: self, resolvingAgainstBaseURL: true) else { return "an address" }
        (parts.user, parts.password, parts.query, parts.fragment) = (nil, nil, nil, nil)
        guard let text = parts.string else { return "an address" }
        if text.unicodeScalars.count <= 200 { return text.shown(upTo: 200) }
        // Not cut in the middle: the redactor would not find half a token.
        parts.percentEncodedPath = "/"
        return (parts.string ?? "").shown(upTo: 200) + "…"
    }
}
