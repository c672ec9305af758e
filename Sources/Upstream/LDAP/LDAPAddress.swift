import HTTP
import Model
import Upstream

/// The place of users in a directory: an LDAP URL (RFC 4516). Without a scope it covers everything below the
/// base, without a filter only people.
package struct LDAPAddress: Sendable, Hashable {
    package enum Scheme: String, Sendable {
        case ldap, ldaps, ldapi
    }

    package enum Scope: String, Sendable {
        case base, one, sub
    }

    package var scheme: Scheme
    /// Without brackets; for ldapi, the path of the socket. Empty: DNS names the servers of `domain`.
    package var host: String
    package var port: Int
    package var base: String
    package var attributes: [String]
    package var scope: Scope
    package var filter: String

    private static let people = "(|(objectClass=person)(objectClass=posixAccount))"
    /// The socket of Debian's slapd.
    private static let usualSocket = "/run/slapd/ldapi"

    /// A whole filter in parentheses (RFC 4515), which can be a part of another one.
    private static func filter(_ text: String) throws(FormatMistake) -> String {
        if text.isEmpty { return people }
        let filter = text.hasPrefix("(") ? text : "(\(text))"
        var depth = 0
        for (place, byte) in filter.utf8.enumerated() {
            depth += byte == UInt8(ascii: "(") ? 1 : byte == UInt8(ascii: ")") ? -1 : 0
            if depth < 1, place < filter.utf8.count - 1 { depth = -1; break }
        }
        guard depth == 0 else {
            throw FormatMistake(
                "has a filter whose parentheses are not those of one filter, as in (&(uid=*)(mail=*))")
        }
        return filter
    }

    package static func isOne(_ text: String) -> Bool {
        ["ldap://", "ldaps://", "ldapi://"].contains { String(text.prefix(8)).asciiLowercased.hasPrefix($0) }
    }

    package init(_ text: String) throws(FormatMistake) {
        guard let colon = text.firstRange(of: "://"),
            let scheme = Scheme(rawValue: String(text[..<colon.lowerBound]).asciiLowercased)
        else { throw FormatMistake("is not an LDAP URL, such as ldaps://ldap.example.org/dc=example,dc=org") }
        self.scheme = scheme
        let rest = text[colon.upperBound...]
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        let path = rest[authority.endIndex...].drop { $0 == "/" }
        var parts = try path.split(separator: "?", omittingEmptySubsequences: false).map {
            part throws(FormatMistake) in try Self.decoded(part)
        }
        guard parts.count <= 5 || parts[5...].allSatisfy(\.isEmpty) else {
            throw FormatMistake("has more parts than base, attributes, scope, filter and extensions")
        }
        parts += Array(repeating: "", count: max(0, 5 - parts.count))
        (base, filter) = (parts[0], try Self.filter(parts[3]))
        attributes = parts[1].split(separator: ",").map(String.init)
        guard let scope = Scope(rawValue: parts[2].isEmpty ? "sub" : parts[2].asciiLowercased) else {
            throw FormatMistake("has the scope \"\(parts[2].shown(upTo: 40))\"; expected base, one or sub")
        }
        self.scope = scope
        if parts[4].split(separator: ",").contains(where: { $0.hasPrefix("!") }) {
            throw FormatMistake("has a critical extension (!), and userd supports none")
        }
        if scheme == .ldapi {
            let path = try Self.decoded(authority)
            (host, port) = (path.isEmpty ? Self.usualSocket : path, 0)
            guard host.hasPrefix("/"), host.utf8.count <= 107 else {
                throw FormatMistake("needs the path of a socket, as in ldapi://%2Frun%2Fslapd%2Fldapi/dc=org")
            }
        } else {
            (host, port) = try Self.place(authority, usual: scheme == .ldaps ? 636 : 389)
            if host.isEmpty, domain == nil {
                throw FormatMistake("has no host, and its base names no domain such as dc=example,dc=org")
            }
        }
    }

    /// The domain that the base names (RFC 2247): `example.org` of `ou=people,dc=example,dc=org`; nil if it names
    /// none.
    package var domain: String? {
        let parts = base.split(separator: ",").map { $0.drop { $0 == " " } }
        let labels = parts.reversed().prefix { $0.prefix(3).lowercased() == "dc=" }.reversed()
        let names = labels.map { $0.dropFirst(3).lowercased() }
        let isDomain = names.joined().utf8.allSatisfy { $0.isAlphanumeric || $0 == UInt8(ascii: "-") }
        return names.isEmpty || !isDomain ? nil : names.joined(separator: ".")
    }

    /// At one of the servers that DNS names.
    func at(_ server: DNSService) -> LDAPAddress {
        var address = self
        (address.host, address.port) = (server.host, server.port)
        return address
    }

    private static func place(_ authority: Substring, usual: Int) throws(FormatMistake) -> (String, Int) {
        let isBracketed = authority.hasPrefix("[")
        let host: Substring
        if isBracketed {
            guard let end = authority.firstIndex(of: "]") else {
                throw FormatMistake("has an invalid host")
            }
            host = authority[...end]
        } else {
            host = authority.prefix { $0 != ":" }
        }
        let rest = authority[host.endIndex...]
        let name = try decoded(isBracketed ? host.dropFirst().dropLast() : host)
        if let written = ascii(host: name[...]) {
            throw FormatMistake("has a host with letters beyond ASCII; write it as \(written)")
        }
        guard name.utf8.allSatisfy({ 0x21...0x7E ~= $0 && $0 != UInt8(ascii: "@") }) else {
            throw FormatMistake("has an invalid host; set users.bind_dn for the DN to bind with")
        }
        if rest.isEmpty { return (name, usual) }
        if name.isEmpty { throw FormatMistake("has a port, but no host") }
        guard rest.hasPrefix(":"), let port = Int(rest.dropFirst()), 1...65_535 ~= port else {
            throw FormatMistake("has an invalid port")
        }
        return (name, port)
    }

    private static func decoded(_ text: Substring) throws(FormatMistake) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let code = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16),
                rest.count >= 2
            else { throw FormatMistake("has a % without two hexadecimal digits after it") }
            bytes.append(code)
            rest = rest.dropFirst(2)
        }
        guard let text = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
            throw FormatMistake("is not UTF-8")
        }
        return text
    }

    /// The server, for messages and for libldap.
    package var server: String {
        if scheme == .ldapi { return "ldapi://" + Self.encoded(host) }
        let usual = scheme == .ldaps ? 636 : 389
        if host.isEmpty { return "\(scheme.rawValue)://\(domain ?? "")" }
        let name = host.contains(":") ? "[\(host)]" : host
        return "\(scheme.rawValue)://\(name)" + (port == usual ? "" : ":\(port)")
    }

    /// Host and port in the form of an HTTP address; nil for ldapi.
    package var place: String? {
        scheme == .ldapi || host.isEmpty ? nil : "http://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }

    func text(ofBase base: String) -> String { "\(server)/\(Self.encoded(base))" }

    /// Identifies the directory: see `UsersService`.
    package var source: String { "ldap \(server)/\(base)" }

    /// Whether the server is on this machine; names are not resolved.
    package var isThisMachine: Bool {
        scheme == .ldapi || HTTPHost(host)?.isLoopback == true
    }

    /// The address of an entry's photo: the value of the first of these attributes that the entry has.
    /// - Parameter version: differs if the entry has changed.
    package func photo(of entry: DirectoryEntry, _ attributes: [String], version: Timestamp?) -> String {
        // Active Directory finds an entry by its GUID even after it was renamed.
        let base = entry.text("objectguid").map { "<GUID=\($0)>" } ?? entry.dn
        return "\(server)/\(Self.encoded(base))?\(attributes.joined(separator: ","))?base?(objectClass=*)"
            + (version.map { "?x-changed=\($0)" } ?? "")
    }

    private static func encoded(_ text: String) -> String {
        text.percentEncoded { $0.isAlphanumeric || "=,-._@".utf8.contains($0) }
    }
}

extension DistinguishedName {
    /// Whether a search from this base may find the entry.
    package func isWithin(_ base: DistinguishedName, _ scope: LDAPAddress.Scope) -> Bool {
        guard parts.suffix(base.parts.count) == base.parts[...] else { return false }
        return switch scope {
        case .base: parts.count == base.parts.count
        case .one: parts.count == base.parts.count + 1
        case .sub: true
        }
    }
}
