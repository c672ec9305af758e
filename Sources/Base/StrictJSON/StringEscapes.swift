import Glibc

/// Unescapes the content of a validated string. An unpaired surrogate becomes U+FFFD.
func unescape(_ raw: some Collection<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(raw.count)
    var rest = Array(raw)[...]
    while let byte = rest.popFirst() {
        guard byte == UInt8(ascii: "\\") else {
            result.append(byte)
            continue
        }
        switch rest.popFirst() {
        case UInt8(ascii: "b"): result.append(0x08)
        case UInt8(ascii: "f"): result.append(0x0C)
        case UInt8(ascii: "n"): result.append(0x0A)
        case UInt8(ascii: "r"): result.append(0x0D)
        case UInt8(ascii: "t"): result.append(0x09)
        case UInt8(ascii: "u"):
            var scalar = codeUnit(rest)
            rest = rest.dropFirst(4)
            if 0xD800...0xDBFF ~= scalar, rest.starts(with: "\\u".utf8),
                case let low = codeUnit(rest.dropFirst(2)), 0xDC00...0xDFFF ~= low
            {
                rest = rest.dropFirst(6)
                scalar = 0x10000 + (scalar - 0xD800) << 10 + (low - 0xDC00)
            }
            result += Array(Character(Unicode.Scalar(scalar) ?? "\u{FFFD}").utf8)
        case let other?: result.append(other)
        case nil: break
        }
    }
    return result
}

private func codeUnit(_ digits: ArraySlice<UInt8>) -> UInt32 {
    digits.prefix(4).reduce(0) { unit, digit in unit << 4 | UInt32(hexDigit(digit) ?? 0) }
}

func hexDigit(_ byte: UInt8) -> UInt16? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt16(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt16(byte - UInt8(ascii: "a") + 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt16(byte - UInt8(ascii: "A") + 10)
    default: nil
    }
}

extension StrictJSON {
    /// The text of a validated string.
    static func text(ofContent content: UnsafeBufferPointer<UInt8>) -> String {
        content.isWritten
            ? String(decoding: content, as: UTF8.self) : String(decoding: unescape(content), as: UTF8.self)
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether the content of a string has no escapes.
    @inline(__always)
    var isWritten: Bool {
        guard let baseAddress else { return true }
        return memchr(baseAddress, Int32(UInt8(ascii: "\\")), count) == nil
    }
}
