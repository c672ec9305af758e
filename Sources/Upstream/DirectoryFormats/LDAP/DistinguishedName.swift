import Model

/// The name of an entry (RFC 4514) in a form by which names are compared: without regard to case and to blanks around
/// separators. Escapes are left as they are, so two names that escape differently differ.
package struct DistinguishedName: Hashable, Sendable {
    /// From the entry up to the root.
    package let parts: [String]

    package init(_ text: String) {
        var parts: [String] = []
        var part: [UInt8] = []
        var isEscaped = false
        for byte in text.utf8 {
            if byte == UInt8(ascii: ","), !isEscaped {
                parts.append(Self.normalized(part))
                part = []
            } else {
                part.append(byte)
            }
            isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
        }
        if !part.isEmpty || !parts.isEmpty { parts.append(Self.normalized(part)) }
        self.parts = parts
    }

    private static func normalized(_ part: [UInt8]) -> String {
        let text = String(decoding: part, as: UTF8.self).lowercased()
        guard let sign = text.utf8.firstIndex(of: UInt8(ascii: "=")) else { return text.trimmingBlanks() }
        let value = String(text[text.utf8.index(after: sign)...])
        return String(text[..<sign]).trimmingBlanks() + "=" + value.trimmingBlanks()
    }

    /// Whether a search from that base may find it.
    package func isWithin(_ base: DistinguishedName, _ scope: LDAPAddress.Scope) -> Bool {
        guard parts.suffix(base.parts.count) == base.parts[...] else { return false }
        return switch scope {
        case .base: parts.count == base.parts.count
        case .one: parts.count == base.parts.count + 1
        case .sub: true
        }
    }

    /// The value of the first part, without escapes, as it is written in `text`.
    package static func name(in text: String) -> String? {
        guard let sign = text.utf8.firstIndex(of: UInt8(ascii: "=")) else { return nil }
        var value: [UInt8] = []
        var rest = text.utf8[text.utf8.index(after: sign)...]
        while let byte = rest.popFirst(), byte != UInt8(ascii: ","), byte != UInt8(ascii: "+") {
            guard byte == UInt8(ascii: "\\") else {
                value.append(byte)
                continue
            }
            let digits = rest.prefix(2)
            if digits.count == 2, let code = UInt8(String(decoding: digits, as: UTF8.self), radix: 16) {
                value.append(code)
                rest = rest.dropFirst(2)
            } else if let next = rest.popFirst() {
                value.append(next)
            }
        }
        let name = String(decoding: value, as: UTF8.self).trimmingBlanks()
        return name.isEmpty ? nil : name
    }
}
