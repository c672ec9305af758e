import Model

extension HTTPHeaders {
    /// The address of the next page in a `Link` header (RFC 8288); nil if there is none, or if Sentry says
    /// that the page is empty. Reads several headers, and several links in one.
    package var nextLink: String? {
        fields.lazy.filter { $0.isNamed("Link") }.compactMap { HTTP.nextLink(in: $0.value.utf8) }.first
    }
}

/// In one pass, since a server may send any bytes.
package func nextLink<Bytes: Collection<UInt8>>(in bytes: Bytes) -> String? {
    var links = LinkScanner<Bytes>(rest: bytes[...])
    while let link = links.next() {
        if link.rel.split(separator: " ").contains("next"), link.results != "false" { return link.address }
    }
    return nil
}

/// Reads `<address>; rel="next"; title="…", <address>; …`. Some servers write single quotes.
private struct LinkScanner<Bytes: Collection<UInt8>> {
    var rest: Bytes.SubSequence

    mutating func next() -> (address: String, rel: String, results: String)? {
        _ = take { $0 == UInt8(ascii: "<") }
        let address = take { $0 == UInt8(ascii: ">") }.dropFirst()
        guard rest.popFirst() != nil else { return nil }
        var (rel, results): (String?, String?)
        // A link without a comma after it ends at the next one, too.
        while let first = rest.first, first != UInt8(ascii: "<") {
            guard !isBlank(first), !";,=".utf8.contains(first) else {
                rest.removeFirst()
                continue
            }
            let name = text(take { isBlank($0) || ";,=<".utf8.contains($0) })
            let value = parameter()
            // The first of a name counts (RFC 8288, section 3.3).
            switch name {
            case "rel": rel = rel ?? value
            case "results": results = results ?? value
            default: break
            }
        }
        return (String(decoding: address, as: UTF8.self), rel ?? "", results ?? "")
    }

    /// The value of the parameter whose name was read; empty if it has none.
    private mutating func parameter() -> String {
        _ = take { !isBlank($0) }
        guard rest.first == UInt8(ascii: "=") else { return "" }
        rest.removeFirst()
        _ = take { !isBlank($0) }
        guard let quote = rest.first, "\"'".utf8.contains(quote) else {
            return text(take { ";,<".utf8.contains($0) })
        }
        rest.removeFirst()
        var isEscaped = false
        let value = take { byte in
            defer { isEscaped = !isEscaped && byte == UInt8(ascii: "\\") }
            return byte == quote && !isEscaped
        }
        _ = rest.popFirst()
        return text(value)
    }

    /// Takes bytes up to one that ends them, which stays.
    private mutating func take(until isEnd: (UInt8) -> Bool) -> Bytes.SubSequence {
        let taken = rest.prefix { !isEnd($0) }
        rest = rest[taken.endIndex...]
        return taken
    }
}

private func text(_ bytes: some Collection<UInt8>) -> String {
    String(decoding: bytes, as: UTF8.self).asciiLowercased
}

private func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
