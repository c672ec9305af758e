import NIOCore

extension ByteBuffer {
    mutating func writeInteger(asText value: Int) {
        writeString(String(value))
    }

    /// `value` in at least `width` digits, with leading zeros.
    mutating func writeInteger(asText value: Int, width: Int) {
        let text = String(value)
        writeRepeatingByte(UInt8(ascii: "0"), count: max(0, width - text.utf8.count))
        writeString(text)
    }

    /// `count` hexadecimal digits from the random numbers.
    mutating func writeHex(_ count: Int, from random: inout SplitMix64) {
        var left = count
        while left > 0 {
            var word = random.next()
            for _ in 0..<min(16, left) {
                let digit = UInt8(truncatingIfNeeded: word & 15)
                writeInteger(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
                word >>= 4
            }
            left -= 16
        }
    }

    /// A shape of ``Nationality``, filled in.
    mutating func writeShape(_ shape: String, from random: inout SplitMix64) {
        for byte in shape.utf8 {
            switch byte {
            case UInt8(ascii: "#"): writeInteger(UInt8(ascii: "0") + UInt8(random.below(10)))
            case UInt8(ascii: "@"): writeInteger(UInt8(ascii: "A") + UInt8(random.below(26)))
            default: writeInteger(byte)
            }
        }
    }

    /// `text` as a JSON string, in UTF-8.
    mutating func writeJSONString(_ text: String) {
        writeStaticString("\"")
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                writeInteger(UInt8(ascii: "\\"))
                writeInteger(byte)
            case 0..<0x20:
                writeUnicodeEscape(UInt16(byte))
            default:
                writeInteger(byte)
            }
        }
        writeStaticString("\"")
    }

    /// `text` as a JSON string as PHP writes it: slashes escaped, and nothing outside ASCII.
    mutating func writePHPString(_ text: String) {
        writeStaticString("\"")
        for unit in text.utf16 {
            switch unit {
            case 0x22, 0x2F, 0x5C:
                writeInteger(UInt8(ascii: "\\"))
                writeInteger(UInt8(unit))
            case 0x20..<0x7F:
                writeInteger(UInt8(unit))
            default:
                writeUnicodeEscape(unit)
            }
        }
        writeStaticString("\"")
    }

    private mutating func writeUnicodeEscape(_ unit: UInt16) {
        let digits = String(unit, radix: 16)
        writeStaticString("\\u")
        writeRepeatingByte(UInt8(ascii: "0"), count: 4 - digits.utf8.count)
        writeString(digits)
    }
}
