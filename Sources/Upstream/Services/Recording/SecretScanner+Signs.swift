extension SecretScanner {
    /// A byte of the text's meaning, and how it is spelt.
    struct Sign {
        var value: UInt8
        var start: Int
        var end: Int
        /// Before it.
        var backslashes = 0
        /// How often it was escaped for an address.
        var percents = 0

        /// Whether no name of a parameter goes on over it.
        var endsName: Bool { value <= 0x20 || value == 0x7F || "&;#?\"=".utf8.contains(value) }

        var isBlank: Bool { value == 0x20 || value == 0x09 }

        var endsWord: Bool { value <= 0x20 || value == UInt8(ascii: "\"") || value == UInt8(ascii: "<") }

        var endsLine: Bool { value == 0x0A || value == 0x0D }

        var isQuote: Bool { value == UInt8(ascii: "\"") || value == UInt8(ascii: "'") }

        var endsParameter: Bool { value <= 0x20 || "&#\"<>".utf8.contains(value) }
    }

    /// What stands there, which is one byte or an escape. One that was applied several times is read as one.
    func sign(at index: Int) -> Sign {
        switch bytes[index] {
        case UInt8(ascii: "%"): percentEscape(at: index)
        case UInt8(ascii: "\\"): backslashEscape(at: index)
        case UInt8(ascii: "&"): reference(at: index)
        default: Sign(value: bytes[index], start: index, end: index + 1)
        }
    }

    /// `%22`, `%2522` and so on.
    private func percentEscape(at start: Int) -> Sign {
        var (end, percents) = (start + 1, 1)
        while end + 1 < bytes.count, bytes[end] == UInt8(ascii: "2"), bytes[end + 1] == UInt8(ascii: "5") {
            end += 2
            percents += 1
        }
        if let value = hex(end, digits: 2) {
            return Sign(value: UInt8(value), start: start, end: end + 2, percents: percents)
        }
        return Sign(value: UInt8(ascii: "%"), start: start, end: end, percents: percents - 1)
    }

    /// `\"`, `\u0022`, and both with more backslashes.
    private func backslashEscape(at start: Int) -> Sign {
        var end = start + 1
        while end < bytes.count, bytes[end] == UInt8(ascii: "\\") { end += 1 }
        let backslashes = end - start
        guard end < bytes.count else {
            return Sign(value: UInt8(ascii: "\\"), start: start, end: end, backslashes: backslashes)
        }
        if bytes[end] == UInt8(ascii: "u"), let value = hex(end + 1, digits: 4).flatMap(UInt8.init(exactly:))
        {
            return Sign(value: value, start: start, end: end + 5, backslashes: backslashes)
        }
        let value = controlCharacter(bytes[end]) ?? bytes[end]
        return Sign(value: value, start: start, end: end + 1, backslashes: backslashes)
    }

    /// `&quot;` and the like, or `&` alone.
    private func reference(at start: Int) -> Sign {
        let name = bytes[(start + 1)..<min(start + 10, bytes.count)].prefix { $0 != UInt8(ascii: ";") }
        let end = start + 1 + name.count
        if end < bytes.count, bytes[end] == UInt8(ascii: ";"),
            let value = characterReference(Array(name)).flatMap(UInt8.init(exactly:))
        {
            return Sign(value: value, start: start, end: end + 1)
        }
        return Sign(value: UInt8(ascii: "&"), start: start, end: start + 1)
    }

    private func hex(_ start: Int, digits: Int) -> Int? {
        guard start + digits <= bytes.count else { return nil }
        var value = 0
        for byte in bytes[start..<(start + digits)] {
            guard let digit = hexDigit(byte) else { return nil }
            value = value << 4 | Int(digit)
        }
        return value
    }
}
