import Glibc

/// A text without its escapes: those of addresses (`%2F`, `%252f`) and of JSON (`\/`, `\u002f`), also where JSON is within a
/// string of JSON.
struct UnescapedText {
    private(set) var bytes: [UInt8]
    /// The ends of escapes, by level: where each is without escapes, and where it was with them.
    private var ends: [[(plain: Int, escaped: Int)]] = []

    /// - Parameter levels: the most escapes within escapes that are undone, since a text may have any number of them.
    init(_ text: [UInt8], levels: Int = 4) {
        bytes = text
        for _ in 0..<levels where !undoEscapes() { break }
    }

    /// The places of a part in the original text, with its escapes. The part must not be empty.
    func ranges(of part: [UInt8]) -> [Range<Int>] {
        var (found, index) = ([Range<Int>](), 0)
        bytes.withUnsafeBytes { all in
            while index + part.count <= all.count, let base = all.baseAddress,
                let next = memchr(base + index, Int32(part[0]), all.count - index - part.count + 1)
            {
                let start = UnsafeRawPointer(next) - base
                guard memcmp(next, part, part.count) == 0 else {
                    index = start + 1
                    continue
                }
                index = start + part.count
                found.append(place(of: start)..<place(of: index))
            }
        }
        return found
    }

    private func place(of index: Int) -> Int {
        ends.reversed().reduce(index) { index, ends in
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if ends[middle].plain <= index { low = middle + 1 } else { high = middle }
            }
            return low == 0 ? index : ends[low - 1].escaped + index - ends[low - 1].plain
        }
    }

    /// Returns whether there was one.
    private mutating func undoEscapes() -> Bool {
        var (plain, ends, copied) = ([UInt8](), [(plain: Int, escaped: Int)](), 0)
        var index = 0
        while index < bytes.count {
            guard let (character, length) = escape(at: index) else {
                index += 1
                continue
            }
            plain += bytes[copied..<index] + character
            (index, copied) = (index + length, index + length)
            ends.append((plain.count, index))
        }
        if ends.isEmpty { return false }
        bytes = plain + bytes[copied...]
        self.ends.append(ends)
        return true
    }

    /// The character that is escaped at an index, and the bytes of its escape; nil if none is.
    private func escape(at index: Int) -> (character: [UInt8], length: Int)? {
        if bytes[index] == Self.percent { return number(at: index + 1, digits: 2).map { ([UInt8($0)], 3) } }
        guard bytes[index] == Self.backslash, index + 1 < bytes.count else { return nil }
        guard let unit = unit(at: index) else { return ([bytes[index + 1]], 2) }
        if UTF16.isLeadSurrogate(unit), let second = self.unit(at: index + 6) {
            return (Array(String(decoding: [unit, second], as: UTF16.self).utf8), 12)
        }
        return (Array(String(decoding: [unit], as: UTF16.self).utf8), 6)
    }

    /// The code unit of `\u002f`.
    private func unit(at index: Int) -> UInt16? {
        guard bytes[index...].starts(with: #"\u"#.utf8) else { return nil }
        return number(at: index + 2, digits: 4).map { UInt16($0) }
    }

    private func number(at index: Int, digits: Int) -> UInt32? {
        guard index + digits <= bytes.count else { return nil }
        return bytes[index..<index + digits].reduce(0) { value, byte in
            Character(Unicode.Scalar(byte)).hexDigitValue.flatMap { digit in
                value.map { $0 << 4 | UInt32(digit) }
            }
        }
    }

    private static let percent = UInt8(ascii: "%")
    private static let backslash = UInt8(ascii: "\\")
}
