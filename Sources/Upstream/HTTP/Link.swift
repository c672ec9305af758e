import Model

extension HTTPHeaders {
    /// The address of the next page in a `Link` header (RFC 8288); nil if there is none, or if Sentry says
    /// that the page is empty. Reads several headers, and several links in one.
    package var nextLink: String? {
        fields.lazy.filter { $0.isNamed("Link") }.compactMap { HTTP.nextLink(in: $0.value.utf8) }.first
    }
}

/// Reads each byte at most twice, since a server may send any.
package func nextLink<Bytes: Collection<UInt8>>(in bytes: Bytes) -> String? {
    var links = LinkScanner<Bytes>(rest: bytes[...])
    while let link = links.next() {
        if link.rel.split(separator: " ").contains("next"), link.results != "false" { return link.address }
    }
    return nil
}

/// Reads `<address>; rel="next"; title="…", <address>; …`. Values may be in single quotes, which some servers write.
private struct LinkScanner<Bytes: Collection<UInt8>> {
    var rest: Bytes.SubSequence
    /// Whether a single quote may still have its partner, so that it is searched for in vain only once.
    private var pairsSingleQuotes = true

    init(rest: Bytes.SubSequence) { self.rest = rest }

    mutating func next() -> (address: String, rel: String, results: String)? {
        _ = take { $0 == UInt8(ascii: "<") }
        guard !rest.isEmpty else { return nil }
        rest.removeFirst()
        let address = take { $0 == UInt8(ascii: ">") }
        guard !rest.isEmpty else { return nil }
        rest.removeFirst()
        var (rel, results): (String?, String?)
        // A link without a comma after it ends at the next one, too.
        while let first = rest.first, first != UInt8(ascii: "<") {
            if isBlank(first) || isSeparator(first) || first == UInt8(ascii: "=") {
                rest.removeFirst()
                continue
            }
            let name = text(take { isBlank($0) || isSeparator($0) || "=<".utf8.contains($0) })
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
        if let quote = rest.first, let quoted = quoted(quote) { return quoted }
        return text(take { isSeparator($0) || $0 == UInt8(ascii: "<") })
    }

    /// Nil unless the rest begins with a quoted text. A double quote without a partner quotes all that follows.
    private mutating func quoted(_ quote: UInt8) -> String? {
        let isDouble = quote == UInt8(ascii: "\"")
        guard isDouble || quote == UInt8(ascii: "'") && pairsSingleQuotes else { return nil }
        let all = rest
        rest.removeFirst()
        var isEscaped = false
        let value = take { byte in
            defer { isEscaped = isDouble && !isEscaped && byte == UInt8(ascii: "\\") }
            return byte == quote && !isEscaped
        }
        if !rest.isEmpty {
            rest.removeFirst()
        } else if !isDouble {
            (rest, pairsSingleQuotes) = (all, false)
            return nil
        }
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

private func isSeparator(_ byte: UInt8) -> Bool { ";,".utf8.contains(byte) }
