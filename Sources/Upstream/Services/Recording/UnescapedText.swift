/// Text as it comes, without its escapes: those of JSON, of addresses and of HTML, however many times over they were applied,
/// and the NULs of UTF-16. What looks like an escape and is none stays.
struct UnescapedText {
    struct Byte {
        var value: UInt8
        /// Of what stands for it in the text.
        var start: Int
        var end: Int
    }

    private(set) var bytes: [Byte] = []
    /// Up to here nothing changes any more.
    var settled = 0
    /// Where the last `%`, `\` or `&` stands that may begin an escape.
    private var opener = Self.none
    /// What an escape has come to be, the last byte first: any of it may end another escape.
    private var pending: [Byte] = []

    private static let none = -100
    /// `&#x10FFFF;`
    private static let longest = 10
    /// The newest bytes, which escapes that end in them may still take with them.
    static let unsettled = 48

    init() {}

    init(_ text: [UInt8]) {
        for byte in text { append(byte, 0, 0) }
    }

    @inline(__always)
    mutating func append(_ value: UInt8, _ start: Int, _ end: Int) {
        guard value != 0 else { return }
        put(Byte(value: value, start: start, end: end))
        while let byte = pending.popLast() {
            if byte.value != 0 { put(byte) }
        }
    }

    mutating func appendAsItIs(_ value: UInt8, _ start: Int, _ end: Int) {
        bytes.append(Byte(value: value, start: start, end: end))
    }

    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        (settled, opener) = (0, Self.none)
    }

    mutating func removeFirst(_ count: Int) {
        bytes.removeFirst(count)
        settled -= count
        opener = opener < count ? Self.none : opener - count
    }

    /// Without what the text that follows may make an escape of.
    var finished: ArraySlice<Byte> {
        guard opener >= 0, bytes.count - opener <= Self.longest else { return bytes[...] }
        let rest = bytes[(opener + 1)...].map(\.value)
        let digits = rest.dropFirst()
        let isUnfinished =
            switch (bytes[opener].value, rest.first) {
            case (_, nil): true
            case (UInt8(ascii: "%"), _): rest.count == 1 && hexDigit(rest[0]) != nil
            case (UInt8(ascii: "\\"), UInt8(ascii: "u")), (UInt8(ascii: "\\"), UInt8(ascii: "x")),
                (UInt8(ascii: "&"), UInt8(ascii: "#")):
                digits.allSatisfy { hexDigit($0) != nil || $0 == UInt8(ascii: "x") }
            default: false
            }
        return isUnfinished ? bytes[..<opener] : bytes[...]
    }

    @inline(__always)
    private mutating func put(_ byte: Byte) {
        bytes.append(byte)
        if isOpener(byte.value) { opener = bytes.count - 1 }
        if opener >= settled { resolve() }
    }

    /// An escape has no other in it: that has been resolved.
    private mutating func resolve() {
        let count = bytes.count - opener
        guard count <= Self.longest else {
            opener = Self.none
            return
        }
        let last = bytes[bytes.count - 1].value
        switch bytes[opener].value {
        case UInt8(ascii: "%"):
            if count == 3 { replace(withByte: hex(opener + 1..<bytes.count)) }
        case UInt8(ascii: "\\"):
            if count == 1 {
                joinBackslashes()
            } else if count == 2, last != UInt8(ascii: "u"), last != UInt8(ascii: "x") {
                replace(withByte: UInt32(controlCharacter(last) ?? last))
            } else if count == (bytes[opener + 1].value == UInt8(ascii: "u") ? 6 : 4) {
                replace(withUnit: hex(opener + 2..<bytes.count))
            }
        default:
            if last == UInt8(ascii: ";") {
                replace(
                    withCharacter: characterReference(
                        bytes[(opener + 1)..<(bytes.count - 1)].map(\.value)))
            }
        }
    }

    /// Each time JSON is put into JSON, a backslash becomes two.
    private mutating func joinBackslashes() {
        guard opener > settled, bytes[opener - 1].value == UInt8(ascii: "\\") else { return }
        bytes[opener - 1].end = bytes[opener].end
        bytes.removeLast()
        opener -= 1
    }

    private mutating func replace(withByte value: UInt32?) { replace(with: value.map { [UInt8($0)] }) }

    /// Of UTF-16: what is beyond its first 65,536 characters has two (RFC 8259, section 7).
    private mutating func replace(withUnit unit: UInt32?) {
        let first = opener - 6
        guard let unit, 0xDC00...0xDFFF ~= unit, first >= settled,
            bytes[first].value == UInt8(ascii: "\\"), bytes[first + 1].value == UInt8(ascii: "u"),
            let high = hex(first + 2..<opener), 0xD800...0xDBFF ~= high
        else { return replace(withCharacter: unit) }
        opener = first
        replace(withCharacter: 0x10000 + (high - 0xD800) << 10 + (unit - 0xDC00))
    }

    private mutating func replace(withCharacter value: UInt32?) {
        replace(with: value.flatMap(Unicode.Scalar.init).map { Array(String(Character($0)).utf8) })
    }

    /// Nil where it is no escape.
    private mutating func replace(with values: [UInt8]?) {
        guard let values else {
            opener = Self.none
            return
        }
        let (start, end) = (bytes[opener].start, bytes[bytes.count - 1].end)
        bytes.removeLast(bytes.count - opener)
        // What it was in the middle of.
        let earliest = max(settled, bytes.count - Self.longest)
        opener = bytes.count - 1
        while opener >= earliest, !isOpener(bytes[opener].value) { opener -= 1 }
        if opener < earliest { opener = Self.none }
        for value in values.reversed() { pending.append(Byte(value: value, start: start, end: end)) }
    }

    private func hex(_ digits: Range<Int>) -> UInt32? {
        var value: UInt32 = 0
        for index in digits {
            guard let digit = hexDigit(bytes[index].value) else { return nil }
            value = value << 4 | UInt32(digit)
        }
        return value
    }

    @inline(__always)
    private func isOpener(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "%") || byte == UInt8(ascii: "\\") || byte == UInt8(ascii: "&")
    }
}

/// What JSON's `\n` and the like stand for.
func controlCharacter(_ letter: UInt8) -> UInt8? {
    switch letter {
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "t"): 0x09
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0C
    default: nil
    }
}

/// Those of ASCII that a secret may have in it: https://html.spec.whatwg.org/multipage/named-characters.html
private let namedCharacters: [String: UInt32] = [
    "amp": 0x26, "quot": 0x22, "apos": 0x27, "lt": 0x3C, "gt": 0x3E, "excl": 0x21, "num": 0x23,
    "dollar": 0x24,
    "percnt": 0x25, "lpar": 0x28, "rpar": 0x29, "ast": 0x2A, "plus": 0x2B, "comma": 0x2C, "period": 0x2E,
    "sol": 0x2F,
    "colon": 0x3A, "semi": 0x3B, "equals": 0x3D, "quest": 0x3F, "commat": 0x40, "lsqb": 0x5B, "lbrack": 0x5B,
    "bsol": 0x5C, "rsqb": 0x5D, "rbrack": 0x5D, "hat": 0x5E, "lowbar": 0x5F, "grave": 0x60, "lcub": 0x7B,
    "verbar": 0x7C, "vert": 0x7C, "rcub": 0x7D,
]

/// What HTML's `&…;` stands for.
/// - Parameter name: between the two.
func characterReference(_ name: [UInt8]) -> UInt32? {
    guard name.first == UInt8(ascii: "#") else {
        return namedCharacters[String(decoding: name, as: UTF8.self).asciiLowercased]
    }
    let isHex = name.count > 1 && name[1].asciiLowercased == UInt8(ascii: "x")
    let digits = name.dropFirst(isHex ? 2 : 1)
    guard let value = UInt32(String(decoding: digits, as: UTF8.self), radix: isHex ? 16 : 10), value != 0
    else { return nil }
    return value
}

@inline(__always)
func hexDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
}
