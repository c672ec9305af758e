import Glibc
import Model

/// The host of an address: a name or an IP address. No other code looks at a host's text.
package struct HTTPHost: Hashable, Sendable {
    /// How near a host is. Whoever names an address leads userd only to hosts that are no nearer than its own.
    package enum Rank: Int, Comparable, Sendable {
        case outside, privateNetwork, thisMachine

        package static func < (a: Rank, b: Rank) -> Bool { a.rawValue < b.rawValue }
    }

    /// A name in lower case, or an address in its usual form, without brackets and without a final dot.
    package let text: String
    /// The 4 or 16 bytes of an address, in each form that `getaddrinfo` reads; nil for a name. An IPv4-mapped address
    /// has 4.
    private let bytes: [UInt8]?

    /// Nil for an empty host, and for one with `%`: other readers may decode it to another host.
    package init?(_ text: String) {
        var name = text.asciiLowercased[...]
        let isBracketed = name.hasPrefix("[") && name.hasSuffix("]")
        if isBracketed {
            name = name.dropFirst().dropLast()
        } else if name.hasSuffix(".") {
            name.removeLast()
        }
        guard !name.isEmpty, !name.utf8.contains(UInt8(ascii: "%")) else { return nil }
        bytes = Self.bytes(of: String(name))
        if isBracketed, bytes == nil || !name.utf8.contains(UInt8(ascii: ":")) { return nil }
        self.text = bytes.map(Self.text) ?? String(name)
    }

    package var isAddress: Bool { bytes != nil }

    /// Whether the host is this machine, so that no one else can read what is sent. Of names, only `localhost` is: DNS is
    /// asked for others.
    package var isLoopback: Bool {
        guard let bytes else { return text == "localhost" }
        return bytes.count == 4 ? bytes[0] == 127 : text == "::1"
    }

    /// Whether the name ends with another, such as `a.example.org` with `example.org`.
    package func isBelow(_ domain: HTTPHost) -> Bool {
        !isAddress && !domain.isAddress && text.hasSuffix("." + domain.text)
    }

    /// The host's form in an address.
    package var bracketed: String { text.utf8.contains(UInt8(ascii: ":")) ? "[\(text)]" : text }

    /// Nil for a name: it has the rank of what it resolves to.
    package var rank: Rank? { isLoopback ? .thisMachine : bytes.map(Self.rank) }

    /// Whether an address is in a network such as `10.0.0.0/8` (RFC 4632).
    package func isIn(_ network: HTTPHost?, length: Int) -> Bool {
        guard let bytes, let other = network?.bytes, bytes.count == other.count, 0...bytes.count * 8 ~= length
        else { return false }
        return (0..<length).allSatisfy { (bytes[$0 / 8] ^ other[$0 / 8]) & (0x80 >> UInt8($0 % 8)) == 0 }
    }

    private static func rank(_ bytes: [UInt8]) -> Rank {
        guard bytes.count == 4 else {
            // RFC 4291, section 2.5.6, and RFC 4193.
            if bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80 { return .thisMachine }
            if bytes[0] & 0xFE == 0xFC { return .privateNetwork }
            // What embeds an IPv4 address: RFC 4291, section 2.5.5.1 (with `::` and `::1`), RFC 2765, section 2.1, RFC 6052
            // and 8215, and RFC 3056.
            let embedding: [[UInt8]] = [
                [UInt8](repeating: 0, count: 12), [0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0, 0],
                [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0], [0, 0x64, 0xFF, 0x9B, 0, 1],
            ]
            if embedding.contains(where: { bytes.starts(with: $0) }) { return rank(Array(bytes[12...])) }
            return bytes.starts(with: [0x20, 0x02]) ? rank(Array(bytes[2..<6])) : .outside
        }
        // RFC 6890 and 3927, then RFC 1918 and 6598.
        let networks: [(prefix: UInt32, bits: UInt32, rank: Rank)] = [
            (0x0000_0000, 8, .thisMachine), (0x7F00_0000, 8, .thisMachine), (0xA9FE_0000, 16, .thisMachine),
            (0x0A00_0000, 8, .privateNetwork), (0xAC10_0000, 12, .privateNetwork),
            (0xC0A8_0000, 16, .privateNetwork), (0x6440_0000, 10, .privateNetwork),
        ]
        let address = bytes.reduce(0) { $0 << 8 | UInt32($1) }
        return networks.first { address >> (32 - $0.bits) == $0.prefix >> (32 - $0.bits) }?.rank ?? .outside
    }

    private static func bytes(of text: String) -> [UInt8]? {
        var v4 = in_addr()
        if inet_aton(text, &v4) != 0 { return withUnsafeBytes(of: v4) { Array($0) } }
        var v6 = in6_addr()
        guard inet_pton(AF_INET6, text, &v6) == 1 else { return nil }
        let bytes = withUnsafeBytes(of: v6) { Array($0) }
        let isMapped = bytes[..<12] == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        return isMapped ? Array(bytes[12...]) : bytes
    }

    private static func text(of bytes: [UInt8]) -> String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        inet_ntop(bytes.count == 4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count))
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
