/// The name of an entry (RFC 4514) in a form for comparisons: without regard to case, blanks around
/// separators and the way characters are escaped.
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
        let text = String(decoding: unescaped(part), as: UTF8.self).lowercased()
        guard let sign = text.utf8.firstIndex(of: UInt8(ascii: "=")) else { return text.trimmingBlanks() }
        let value = String(text[text.utf8.index(after: sign)...])
        return String(text[..<sign]).trimmingBlanks() + "=" + value.trimmingBlanks()
    }

    /// Removes escapes, except from characters that would separate values.
    private static func unescaped(_ part: [UInt8]) -> [UInt8] {
        var (result, rest) = ([UInt8](), part[...])
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\") else {
                result.append(byte)
                continue
            }
            guard let value = escaped(&rest) else { continue }
            if value == UInt8(ascii: "+") || value == byte { result.append(byte) }
            result.append(value)
        }
        return result
    }

    /// Takes the byte after a backslash, which may be two hexadecimal digits.
    private static func escaped<Bytes: Collection<UInt8>>(_ rest: inout Bytes) -> UInt8?
    where Bytes.SubSequence == Bytes {
        let digits = String(decoding: rest.prefix(2), as: UTF8.self)
        // The initialiser alone would accept a sign.
        guard digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit), let code = UInt8(digits, radix: 16)
        else { return rest.popFirst() }
        rest = rest.dropFirst(2)
        return code
    }

    /// The value of the first part, without escapes, with its case.
    package static func name(in text: String) -> String? {
        guard let sign = text.utf8.firstIndex(of: UInt8(ascii: "=")) else { return nil }
        var value: [UInt8] = []
        var rest = text.utf8[text.utf8.index(after: sign)...]
        while let byte = rest.popFirst(), byte != UInt8(ascii: ","), byte != UInt8(ascii: "+") {
            guard byte == UInt8(ascii: "\\") else {
                value.append(byte)
                continue
            }
            if let next = escaped(&rest) { value.append(next) }
        }
        let name = String(decoding: value, as: UTF8.self).trimmingBlanks()
        return name.isEmpty ? nil : name
    }
}
