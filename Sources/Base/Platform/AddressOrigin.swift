/// The origin in a file beside a secret's, `<path>.origin`; nil if it is empty.
package func writtenOrigin(_ file: [UInt8]) -> String? {
    String(decoding: file, as: UTF8.self).split(whereSeparator: \.isWhitespace).first.map {
        addressOrigin(String($0))
    }
}

/// Scheme, host and port of an address as it is written, without the port that its scheme has anyway; of an LDAP address
/// without a host, the domain.
package func addressOrigin(_ text: String) -> String {
    let address = text.lowercased()
    guard let start = address.firstRange(of: "://")?.upperBound else { return address }
    let host = address[start...].prefix { !"/?#".contains($0) }
    let origin = String(address[..<start] + host)
    if host.isEmpty {
        let base = address[start...].dropFirst().prefix { $0 != "?" }
        let parts = base.split(separator: ",").map { $0.trimmingPrefix(" ") }
        return origin + "/" + parts.filter { $0.hasPrefix("dc=") }.joined(separator: ",")
    }
    let ports = ["https:": ":443", "http:": ":80", "ldaps:": ":636", "ldap:": ":389"]
    let port = ports.first { origin.hasPrefix($0.key) && origin.hasSuffix($0.value) }?.value
    return String(origin.dropLast(port?.count ?? 0))
}
