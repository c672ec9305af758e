import Model

/// Content lines, folded at 75 octets without splitting a character (section 3.2 of RFC 6350).
struct VCardLines {
    private let isForTerminal: Bool
    private let lineEnd: [UInt8]
    private(set) var bytes: [UInt8] = []

    /// - Parameter isForTerminal: makes text safe, and ends lines with LF.
    init(isForTerminal: Bool) {
        self.isForTerminal = isForTerminal
        lineEnd = isForTerminal ? [0x0A] : [0x0D, 0x0A]
        bytes.reserveCapacity(1024)
    }

    /// - Parameter value: needs no escapes; nil leaves out the property.
    mutating func add(_ property: String, _ value: String?) {
        guard let value else { return }
        line(property) { $0.bytes.append(contentsOf: value.utf8) }
    }

    mutating func add(_ property: String, text: String?) {
        guard let text else { return }
        line(property) { $0.append(text) }
    }

    /// Nil is an empty text.
    mutating func add(_ property: String, texts: [String?]) {
        line(property) { card in
            for (index, text) in texts.enumerated() {
                if index > 0 { card.bytes.append(UInt8(ascii: ";")) }
                if let text { card.append(text) }
            }
        }
    }

    private mutating func line(_ property: String, _ value: (inout VCardLines) -> Void) {
        let start = bytes.count
        bytes.append(contentsOf: property.utf8)
        bytes.append(UInt8(ascii: ":"))
        let valueStart = bytes.count
        value(&self)
        if isForTerminal {
            let shown = String(decoding: bytes[valueStart...], as: UTF8.self).sanitised
            bytes.replaceSubrange(valueStart..., with: shown.utf8)
        }
        if bytes.count - start > 75 { fold(from: start) }
        bytes.append(contentsOf: lineEnd)
    }

    private mutating func fold(from first: Int) {
        let line = Array(bytes[first...])
        bytes.removeSubrange(first...)
        var start = 0
        // A continuation line starts with a blank, which counts.
        while line.count - start > (start == 0 ? 75 : 74) {
            var end = start + (start == 0 ? 75 : 74)
            while line[end] & 0xC0 == 0x80 { end -= 1 }
            bytes += line[start..<end]
            bytes += lineEnd
            bytes.append(UInt8(ascii: " "))
            start = end
        }
        bytes += line[start...]
    }

    /// Appends a text as a property's value (section 3.4). Every character that some readers take for a line
    /// end becomes `\n`; control characters, which vCards don't allow, and what XML does not allow become U+FFFD.
    private mutating func append(_ text: String) {
        let isPlain = text.utf8.allSatisfy {
            // The first bytes of U+0080 to U+00BF, U+2000 to U+2FFF and U+F000 to U+FFFF: some of these are line ends,
            // controls or noncharacters.
            $0 >= 0x20 && $0 != 0x7F && $0 != 0xC2 && $0 != 0xE2 && $0 != 0xEF && !isSeparator($0)
        }
        if isPlain {
            bytes.append(contentsOf: text.utf8)
            return
        }
        var isAfterCR = false
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n" where isAfterCR: break
            case "\n", "\r", "\u{85}", "\u{2028}", "\u{2029}": bytes += #"\n"#.utf8
            case "\t": bytes.append(UInt8(ascii: "\t"))
            case "\0"..<" ", "\u{7F}"..<"\u{A0}", "\u{FFFE}", "\u{FFFF}": bytes += "\u{FFFD}".utf8
            default:
                if scalar.isASCII, isSeparator(UInt8(scalar.value)) { bytes.append(UInt8(ascii: "\\")) }
                bytes += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
            }
            isAfterCR = scalar == "\r"
        }
    }
}

private func isSeparator(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: ",") || byte == UInt8(ascii: ";") || byte == UInt8(ascii: "\\")
}
