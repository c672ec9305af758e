extension JSONScanner {
    /// Returns the range between the quotes.
    @inline(__always)
    mutating func scanString() throws(Failure) -> Range<Int> {
        let quote = at
        at += 1
        let start = at
        while true {
            at = endOfPlainText(bytes, from: at, isASCII: true)
            guard !isAtEnd else { throw failure("unterminated string", at: quote) }
            switch bytes[at] {
            case UInt8(ascii: "\""):
                at += 1
                return start..<(at - 1)
            case UInt8(ascii: "\\"):
                try scanEscape()
            case 0..<0x20:
                throw failure("\(found) in a string must be escaped")
            default:
                // Non-ASCII characters often come together.
                repeat { try scanMultibyteScalar() } while current >= 0x80
            }
        }
    }

    /// Well-formed UTF-8 sequences: Unicode Standard, table 3-7.
    private mutating func scanMultibyteScalar() throws(Failure) {
        if 0xC2...0xDF ~= bytes[at], at + 1 < bytes.count, bytes[at + 1] & 0xC0 == 0x80 {
            at += 2
            return
        }
        guard let length = lengthOfScalar else {
            guard isLenient else { throw failure("invalid UTF-8") }
            at += 1
            return
        }
        at += length
    }

    /// Nil if the sequence is not well-formed.
    private var lengthOfScalar: Int? {
        let (length, second): (Int, ClosedRange<UInt8>)
        switch bytes[at] {
        case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: return nil
        }
        guard at + length <= bytes.count, second.contains(bytes[at + 1]),
            bytes[(at + 2)..<(at + length)].allSatisfy({ $0 & 0xC0 == 0x80 })
        else { return nil }
        return length
    }

    private mutating func scanEscape() throws(Failure) {
        let start = at
        at += 1
        escapes += 1
        switch current {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            at += 1
        case UInt8(ascii: "u"):
            switch try scanCodeUnit(from: start) {
            case _ where isLenient:
                break
            case 0xD800...0xDBFF:
                let second = at
                guard current == UInt8(ascii: "\\"), at + 1 < bytes.count, bytes[at + 1] == UInt8(ascii: "u")
                else { throw failure("unpaired surrogate", at: start) }
                at += 1
                guard 0xDC00...0xDFFF ~= (try scanCodeUnit(from: second)) else {
                    throw failure("unpaired surrogate", at: start)
                }
            case 0xDC00...0xDFFF:
                throw failure("unpaired surrogate", at: start)
            default:
                break
            }
        default:
            throw failure("unknown escape sequence", at: start)
        }
    }

    /// `u` and its four digits.
    private mutating func scanCodeUnit(from start: Int) throws(Failure) -> UInt16 {
        at += 1
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = hexDigit(current) else {
                throw failure("\\u without four hex digits", at: start)
            }
            unit = unit << 4 | digit
            at += 1
        }
        return unit
    }

    mutating func scanNumber() throws(Failure) {
        let start = at
        if current == UInt8(ascii: "-") { at += 1 }
        if isLenient, current == UInt8(ascii: "I") { return try scanWord("Infinity") }
        if current == UInt8(ascii: "0") {
            at += 1
            if isDigit(current) { throw failure("a number with a leading zero", at: start) }
        } else {
            try scanDigits(of: "a number", from: start)
        }
        if current == UInt8(ascii: ".") {
            at += 1
            try scanDigits(of: "a fraction", from: start)
        }
        var hasExponent = false
        if current | 0x20 == UInt8(ascii: "e") {
            hasExponent = true
            at += 1
            if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { at += 1 }
            try scanDigits(of: "an exponent", from: start)
        }
        // Without an exponent, 300 digits cannot overflow, so only longer numbers are converted.
        guard hasExponent || at - start > 300 else { return }
        let text = String(decoding: bytes[start..<at], as: UTF8.self)
        guard let value = Double(text), value.isFinite else {
            throw failure("a number too large for a double", at: start)
        }
    }

    private mutating func scanDigits(of part: String, from start: Int) throws(Failure) {
        guard isDigit(current) else { throw failure("\(part) without digits", at: start) }
        while isDigit(current) { at += 1 }
    }

    private func isDigit(_ byte: UInt8) -> Bool {
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
    }
}
