/// Writes JSON as text, which is fast even in debug builds, and copies it once into a buffer.
extension String {
    mutating func append(_ value: Int) { self += String(value) }

    /// Appends `value` with leading zeros to at least `width` digits.
    mutating func append(_ value: Int, width: Int) {
        let digits = String(value)
        for _ in digits.utf8.count..<max(width, digits.utf8.count) { self += "0" }
        self += digits
    }

    /// Appends `count` random hexadecimal digits.
    mutating func appendHex(_ count: Int, from random: inout SplitMix64) {
        self += String(unsafeUninitializedCapacity: count) { digits in
            var word: UInt64 = 0
            for index in 0..<count {
                word = index & 15 == 0 ? random.next() : word >> 4
                let digit = UInt8(truncatingIfNeeded: word & 15)
                digits[index] = digit < 10 ? UInt8(ascii: "0") &+ digit : UInt8(ascii: "a") &+ digit &- 10
            }
            return count
        }
    }

    /// Appends a pattern of ``Nationality`` with random digits and letters.
    mutating func appendShape(_ shape: String, from random: inout SplitMix64) {
        let count = shape.utf8.count
        self += String(unsafeUninitializedCapacity: count) { text in
            var index = 0
            for byte in shape.utf8 {
                switch byte {
                case UInt8(ascii: "#"):
                    text[index] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: random.below(10))
                case UInt8(ascii: "@"):
                    text[index] = UInt8(ascii: "A") &+ UInt8(truncatingIfNeeded: random.below(26))
                default: text[index] = byte
                }
                index += 1
            }
            return count
        }
    }

    /// Appends a JSON string (RFC 8259, section 7).
    mutating func appendJSONString(_ text: String) {
        self += "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": self += "\\\(scalar)"
            case "\0"..."\u{1F}": appendUnicodeEscape(UInt16(scalar.value))
            default: unicodeScalars.append(scalar)
            }
        }
        self += "\""
    }

    /// Appends a JSON string as PHP writes it: slashes and non-ASCII characters escaped.
    mutating func appendPHPString(_ text: String) {
        self += "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\", "/": self += "\\\(scalar)"
            case " "..."~": unicodeScalars.append(scalar)
            default:
                for unit in String(scalar).utf16 { appendUnicodeEscape(unit) }
            }
        }
        self += "\""
    }

    private mutating func appendUnicodeEscape(_ unit: UInt16) {
        let digits = String(unit, radix: 16)
        self += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
    }
}
