import Glibc

/// A text that is found however its characters are escaped: as `%2F` or `%252f`, as `\/` or `\u002f`, also where JSON is
/// within a string of JSON.
struct EscapedText: Sendable {
    private struct Letter: Sendable {
        let scalar: Unicode.Scalar
        let bytes: [UInt8]
    }

    private let letters: [Letter]
    /// In bytes.
    let length: Int

    private static let percent = UInt8(ascii: "%")
    private static let backslash = UInt8(ascii: "\\")

    init(_ text: String) {
        letters = text.unicodeScalars.map { Letter(scalar: $0, bytes: Array($0.utf8)) }
        length = text.utf8.count
    }

    func replaced(by word: [UInt8], in bytes: [UInt8]) -> [UInt8] {
        guard let first = letters.first?.bytes[0] else { return bytes }
        let marks = [Self.percent, Self.backslash]
        let second = marks + letters[0].bytes.dropFirst() + letters.dropFirst().prefix(1).map { $0.bytes[0] }
        var found: [Range<Int>] = []
        bytes.withUnsafeBytes { all in
            for start in Set(marks + [first]) {
                var index = 0
                while index < all.count, let base = all.baseAddress,
                    let next = memchr(base + index, Int32(start), all.count - index)
                {
                    let here = UnsafeRawPointer(next) - base
                    index = here + 1
                    // Most places are none.
                    if !marks.contains(start), index < all.count, !second.contains(all[index]) { continue }
                    if let end = end(in: all, from: here) {
                        found.append(here..<end)
                        index = end
                    }
                }
            }
        }
        if found.isEmpty { return bytes }
        var (result, copied) = ([UInt8](), 0)
        for range in found.sorted(by: { $0.lowerBound < $1.lowerBound }) where range.lowerBound >= copied {
            result += bytes[copied..<range.lowerBound] + word
            copied = range.upperBound
        }
        return result + bytes[copied...]
    }

    /// Where the text ends that begins at an index; nil if another one does.
    private func end(in all: UnsafeRawBufferPointer, from start: Int) -> Int? {
        // A percent sign or a backslash is also a character, so there may be several ways to read on.
        var places = [start]
        for letter in letters {
            places =
                places.count == 1
                ? Self.ends(of: letter, in: all, from: places[0])
                : Array(Set(places.flatMap { Self.ends(of: letter, in: all, from: $0) }))
            if places.isEmpty { return nil }
        }
        return places.max()
    }

    private static func ends(of letter: Letter, in all: UnsafeRawBufferPointer, from start: Int) -> [Int] {
        let rest = all[start...]
        guard let first = rest.first else { return [] }
        var ends: [Int] = []
        if first == letter.bytes[0], rest.starts(with: letter.bytes) {
            ends.append(start + letter.bytes.count)
        }
        if first == percent, let end = percentEnd(of: letter.bytes, rest) { ends.append(end) }
        if first == backslash { ends += backslashEnds(of: letter.scalar, rest) }
        return ends
    }

    private static func percentEnd(
        of bytes: [UInt8], _ text: Slice<UnsafeRawBufferPointer>
    ) -> Int? {
        var rest = text
        for byte in bytes {
            guard rest.popFirst() == percent else { return nil }
            // Encoded twice.
            if byte != percent, rest.starts(with: "25".utf8) { rest = rest.dropFirst(2) }
            guard value(rest.prefix(2), digits: 2) == UInt32(byte) else { return nil }
            rest = rest.dropFirst(2)
        }
        return rest.startIndex
    }

    /// Within strings of strings, each level doubles the backslashes; the number is limited, since it may be an attack.
    private static func backslashEnds(
        of scalar: Unicode.Scalar, _ text: Slice<UnsafeRawBufferPointer>
    ) -> [Int] {
        let count = text.prefix(8).prefix { $0 == backslash }.count
        let escape = text.dropFirst(count)
        let doubled = scalar == "\\" ? [2, 4].filter { $0 <= count }.map { text.startIndex + $0 } : []
        guard let kind = escape.first else { return doubled }
        if "/\"".utf8.contains(kind), scalar.value == UInt32(kind) { return [escape.startIndex + 1] }
        var rest = escape
        for unit in String(scalar).utf16 {
            rest = rest.dropFirst(rest.prefix(8).prefix { $0 == backslash }.count)
            guard rest.popFirst() == UInt8(ascii: "u"), value(rest.prefix(4), digits: 4) == UInt32(unit)
            else { return doubled }
            rest = rest.dropFirst(4)
        }
        return doubled + [rest.startIndex]
    }

    private static func value(_ text: Slice<UnsafeRawBufferPointer>, digits: Int) -> UInt32? {
        guard text.count == digits else { return nil }
        var value: UInt32 = 0
        for byte in text {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
            value = value << 4 | UInt32(digit)
        }
        return value
    }
}
