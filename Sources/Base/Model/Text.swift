extension String {
    /// Whether both are the same bytes. Swift's == also takes different spellings of an accent for the same text.
    package func hasSameBytes(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }

    /// The text without surrounding blanks, tabs and line ends.
    package func trimmingBlanks() -> String {
        let isBlank = { (byte: UInt8) in byte == 0x20 || 0x09...0x0D ~= byte }
        let start = utf8.firstIndex { !isBlank($0) } ?? endIndex
        let end = utf8.lastIndex { !isBlank($0) }.map(utf8.index(after:)) ?? start
        return String(self[start..<end])
    }

    /// The text with ASCII letters in lower case, the same in every version of Unicode.
    package var asciiLowercased: String {
        guard utf8.contains(where: { $0 != $0.asciiLowercased }) else { return self }
        return String(unsafeUninitializedCapacity: utf8.count) { bytes in
            var count = 0
            for byte in utf8 {
                bytes[count] = byte.asciiLowercased
                count += 1
            }
            return count
        }
    }

    /// The text with all other bytes percent-encoded (RFC 3986, section 2.1).
    package func percentEncoded(keeping isKept: (UInt8) -> Bool) -> String {
        utf8.map { isKept($0) ? String(Unicode.Scalar($0)) : "%" + $0.hexadecimal.uppercased() }.joined()
    }

    /// Foreign text for a message: shortened, and with unsafe characters escaped.
    package func shown(upTo count: Int) -> String {
        var result = ""
        for scalar in unicodeScalars.prefix(count) {
            result += scalar.isUnsafe ? "\\u{\(String(scalar.value, radix: 16))}" : String(scalar)
        }
        return unicodeScalars.count > count ? result + "…" : result
    }
}

extension Unicode.Scalar {
    /// Whether it belongs to Han, kana or Hangul.
    package var isEastAsian: Bool {
        switch value {
        case 0x1100...0x11FF, 0x3005...0x3007, 0x3040...0x30FF, 0x31F0...0x31FF, 0x3400...0x9FFF,
            0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFF66...0xFF9F, 0x20000...0x3FFFF:
            true
        default: false
        }
    }
}

extension UInt8 {
    package var asciiLowercased: UInt8 {
        UInt8(ascii: "A")...UInt8(ascii: "Z") ~= self ? self | 0x20 : self
    }

    /// Whether it is an ASCII letter or digit.
    package var isAlphanumeric: Bool {
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= asciiLowercased
            || UInt8(ascii: "0")...UInt8(ascii: "9") ~= self
    }
}

extension FixedWidthInteger where Self: UnsignedInteger {
    /// All hexadecimal digits, also the zeros at the beginning.
    package var hexadecimal: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: Self.bitWidth / 4 - digits.utf8.count) + digits
    }
}
