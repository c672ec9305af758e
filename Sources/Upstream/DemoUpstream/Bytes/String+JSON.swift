/// Writes JSON as text, which is fast even in debug builds, and copies it once into a buffer.
extension String {
    /// Appends all parts.
    mutating func add(_ parts: String...) {
        for part in parts { self += part }
    }

    /// As a JSON string (RFC 8259, section 7).
    var jsonQuoted: String { quoted(escaping: #""\"#) { $0 >= " " } }

    /// As PHP writes a JSON string: slashes and non-ASCII characters escaped.
    var phpQuoted: String { quoted(escaping: #""\/"#) { $0 >= " " && $0 <= "~" } }

    /// - Parameters:
    ///   - special: characters to write after a backslash.
    ///   - isPlain: whether to write a character as it is, not as `\u…`.
    private func quoted(escaping special: String, _ isPlain: (Unicode.Scalar) -> Bool) -> String {
        var out = "\""
        for scalar in unicodeScalars {
            if special.unicodeScalars.contains(scalar) {
                out += "\\\(scalar)"
            } else if isPlain(scalar) {
                out.unicodeScalars.append(scalar)
            } else {
                for unit in String(scalar).utf16 { out += "\\u" + padded(Int(unit), 4, radix: 16) }
            }
        }
        return out + "\""
    }
}

/// With leading zeros to at least `width` digits.
func padded(_ value: Int, _ width: Int, radix: Int = 10) -> String {
    let digits = String(value, radix: radix)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
}
