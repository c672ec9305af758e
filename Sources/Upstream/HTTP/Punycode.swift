/// The host of an address in ASCII (RFC 5890, section 2.3.2.1), for advice: userd leaves it to people to write it so.
///
/// - Parameter address: with a scheme.
/// - Returns: nil if the host is in ASCII.
package func asciiHost(of address: String) -> String? {
    guard let start = address.firstRange(of: "://")?.upperBound else { return nil }
    let authority = address[start...].prefix { !"/?#".contains($0) }
    let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
    return ascii(host: host.prefix { $0 != ":" })
}

/// The same for a host alone.
package func ascii(host: Substring) -> String? {
    if host.utf8.allSatisfy({ $0 < 0x80 }) { return nil }
    return host.lowercased().split(separator: ".", omittingEmptySubsequences: false).map { label in
        label.utf8.allSatisfy { $0 < 0x80 } ? String(label) : "xn--" + punycode(label)
    }.joined(separator: ".")
}

/// RFC 3492, section 6.3; its names.
private func punycode(_ label: Substring) -> String {
    let input = label.unicodeScalars.map { Int($0.value) }
    var output = input.filter { $0 < 0x80 }
    let basic = output.count
    if basic > 0 { output.append(0x2D) }
    var (n, delta, bias, handled) = (0x80, 0, 72, basic)
    while handled < input.count {
        let next = input.filter { $0 >= n }.min() ?? n
        delta += (next - n) * (handled + 1)
        n = next
        for scalar in input {
            if scalar < n { delta += 1 }
            guard scalar == n else { continue }
            var (q, k) = (delta, 36)
            while case let t = min(max(k - bias, 1), 26), q >= t {
                output.append(digit(t + (q - t) % (36 - t)))
                (q, k) = ((q - t) / (36 - t), k + 36)
            }
            output.append(digit(q))
            handled += 1
            bias = adapted(delta / (handled == basic + 1 ? 700 : 2), handled)
            delta = 0
        }
        (delta, n) = (delta + 1, n + 1)
    }
    return String(decoding: output.map(UInt8.init), as: UTF8.self)
}

private func adapted(_ delta: Int, _ points: Int) -> Int {
    var (delta, k) = (delta + delta / points, 0)
    while delta > 455 { (delta, k) = (delta / 35, k + 36) }
    return k + 36 * delta / (delta + 38)
}

private func digit(_ value: Int) -> Int { value < 26 ? 0x61 + value : 0x30 + value - 26 }
