/// SplitMix64: the same key gives the same numbers on every machine (Steele, Lea and Flood, "Fast Splittable
/// Pseudorandom Number Generators", 2014).
struct SplitMix64 {
    private var state: UInt64
    private static let gamma: UInt64 = 0x9E37_79B9_7F4A_7C15

    init(key: UInt64) { state = key }

    mutating func next() -> UInt64 {
        state &+= Self.gamma
        return Self.mixed(state)
    }

    /// A number from 0 to `bound` - 1.
    mutating func below(_ bound: Int) -> Int {
        Int(truncatingIfNeeded: next().multipliedFullWidth(by: UInt64(truncatingIfNeeded: bound)).high)
    }

    mutating func within(_ range: ClosedRange<Int>) -> Int { range.lowerBound + below(range.count) }
    mutating func one<Element>(of elements: [Element]) -> Element { elements[below(elements.count)] }

    mutating func hex(_ count: Int) -> String {
        var word: UInt64 = 0
        let digits = (0..<count).map { index in
            word = index & 15 == 0 ? next() : word >> 4
            return Self.digits[Int(word & 15)]
        }
        return String(decoding: digits, as: UTF8.self)
    }

    private static let digits = Array("0123456789abcdef".utf8)

    /// A text in a pattern of ``Nationality``.
    mutating func text(like shape: String) -> String {
        let text = shape.utf8.map { byte -> UInt8 in
            switch byte {
            case UInt8(ascii: "#"): UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: below(10))
            case UInt8(ascii: "@"): UInt8(ascii: "A") &+ UInt8(truncatingIfNeeded: below(26))
            default: byte
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func mixed(_ value: UInt64) -> UInt64 {
        var z = value
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// Derives the key of a part.
    static func key(_ key: UInt64, _ part: Int) -> UInt64 {
        mixed(key ^ mixed(UInt64(truncatingIfNeeded: part) &* gamma &+ 1))
    }

    /// The key of a text (FNV-1a, mixed).
    static func key(of bytes: some Sequence<UInt8>) -> UInt64 {
        mixed(bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 })
    }
}
