import FoundationEssentials
import Glibc
import Model

extension URL {
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

/// Whether a host is this machine, so that no one else can read what is sent. Names are not resolved.
package func isLoopback(_ host: String) -> Bool {
    let name = host.asciiLowercased.split(separator: ".", omittingEmptySubsequences: false)
    let labels = name.last == "" ? name.dropLast() : name[...]
    if labels.last == "localhost" { return true }
    guard let bytes = addressBytes(host) else { return false }
    return bytes.count == 4 ? bytes[0] == 127 : bytes == [UInt8](repeating: 0, count: 15) + [1]
}

/// The bytes of an IPv4 or IPv6 address, with or without brackets; nil for a name. An IPv4-mapped address
/// gives its IPv4 bytes.
package func addressBytes(_ text: String) -> [UInt8]? {
    var v4 = in_addr()
    if inet_pton(AF_INET, text, &v4) == 1 { return withUnsafeBytes(of: v4) { Array($0) } }
    var v6 = in6_addr()
    let inside = text.drop { $0 == "[" }.prefix { $0 != "]" && $0 != "%" }
    guard inet_pton(AF_INET6, String(inside), &v6) == 1 else { return nil }
    let bytes = withUnsafeBytes(of: v6) { Array($0) }
    let isMapped = bytes[..<12] == [UInt8](repeating: 0, count: 10) + [255, 255]
    return isMapped ? Array(bytes[12...]) : bytes
}

extension URL {
    /// Whether the connection is encrypted, or stays on this machine.
    package var keepsSecrets: Bool { scheme?.asciiLowercased == "https" || isLoopback(host() ?? "") }
}

/// An origin (RFC 6454); a secret for one is not sent to another.
package struct HTTPOrigin: Hashable {
    package let scheme: String
    package let host: String
    package let port: Int

    package init(_ url: URL) {
        scheme = url.scheme?.asciiLowercased ?? ""
        host = (url.host() ?? "").asciiLowercased
        port = url.port ?? (scheme == "https" ? 443 : 80)
    }

    /// Whether the host is on this machine or in a private network: `localhost`, and literal addresses that are
    /// loopback, private, link-local or unspecified, in each form that `getaddrinfo` reads. Names are not resolved.
    var isInternal: Bool {
        let name = host.hasSuffix(".") ? String(host.dropLast()) : host
        return name == "localhost" || name.hasSuffix(".localhost") || Self.isInternal(name)
    }

    var isAddress: Bool { Self.bytes(of: host) != nil }

    static func isInternal(_ address: String) -> Bool { bytes(of: address).map(isInternal) ?? false }

    private static func bytes(of address: String) -> [UInt8]? {
        var v4 = in_addr()
        if inet_aton(address, &v4) != 0 { return withUnsafeBytes(of: v4) { Array($0) } }
        return addressBytes(address)
    }

    private static func isInternal(_ bytes: [UInt8]) -> Bool {
        guard bytes.count == 4 else {
            // RFC 4291, 4193: `::`, `::1`, `fe80::/10`, `fc00::/7`, and what embeds an IPv4 address.
            if bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80 || bytes[0] & 0xFE == 0xFC { return true }
            let embedsV4 =
                bytes[..<12].allSatisfy { $0 == 0 }
                || bytes[..<12] == [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]
            return embedsV4 && isInternal(Array(bytes[12...]))
        }
        // RFC 6890, 1918, 3927, 6598.
        let networks: [(prefix: UInt32, bits: UInt32)] = [
            (0x0000_0000, 8), (0x7F00_0000, 8), (0x0A00_0000, 8), (0xAC10_0000, 12), (0xC0A8_0000, 16),
            (0xA9FE_0000, 16), (0x6440_0000, 10),
        ]
        let address = bytes.reduce(0) { $0 << 8 | UInt32($1) }
        return networks.contains { address >> (32 - $0.bits) == $0.prefix >> (32 - $0.bits) }
    }
}
