/// Finds the boundaries of values in validated text. Stays within the text, even if it is not JSON.
struct JSONWalker {
    let bytes: UnsafeBufferPointer<UInt8>
    var at = 0

    /// Moves to the next name or value; false at the end of the object, list or text.
    mutating func findNext() -> Bool {
        skipSeparators()
        guard at < bytes.count else { return false }
        return bytes[at] != UInt8(ascii: "}") && bytes[at] != UInt8(ascii: "]")
    }

    mutating func skipSeparators() {
        while at < bytes.count,
            bytes[at] <= 0x20 || bytes[at] == UInt8(ascii: ",") || bytes[at] == UInt8(ascii: ":")
        {
            at += 1
        }
    }

    /// Skips a value and returns its range. Call after `findNext` or `skipSeparators`.
    mutating func skipValue() -> Range<Int> {
        let start = at
        guard at < bytes.count else { return start..<start }
        switch bytes[at] {
        case UInt8(ascii: "\""): at = endOfString(from: at + 1)
        case UInt8(ascii: "{"), UInt8(ascii: "["): skipContainer()
        default: skipWord()
        }
        return start..<at
    }

    /// Returns the name of a member, with its escapes. Call after `findNext`.
    mutating func nextName() -> UnsafeBufferPointer<UInt8> {
        let name = skipValue()
        skipSeparators()
        return UnsafeBufferPointer(
            rebasing: bytes[name.count < 2 ? name : name.lowerBound + 1..<name.upperBound - 1])
    }

    private mutating func skipWord() {
        while at < bytes.count {
            switch bytes[at] {
            case 0...0x20, UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"): return
            default: at += 1
            }
        }
    }

    private mutating func skipContainer() {
        var (at, depth) = (at, 0)
        defer { self.at = at }
        while at < bytes.count {
            let byte = bytes[at]
            at += 1
            switch byte {
            case UInt8(ascii: "\""): at = endOfString(from: at)
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if depth == 0 { return }
            default: break
            }
        }
    }

    /// - Parameter start: the index after the opening quote.
    private func endOfString(from start: Int) -> Int {
        var at = start
        while at < bytes.count {
            at = endOfPlainText(bytes, from: at)
            guard at < bytes.count else { break }
            let mark = bytes[at]
            at += 1
            if mark == UInt8(ascii: "\"") { break }
            // Skips the escaped byte; damaged text may end before it.
            if mark == UInt8(ascii: "\\") { at = min(at + 1, bytes.count) }
        }
        return at
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether the bytes, which may have escapes, are this name.
    func isName(_ name: String) -> Bool {
        isWritten ? elementsEqual(name.utf8) : unescape(self).elementsEqual(name.utf8)
    }
}

/// Index of the first quote, backslash or control from `start` on. Reads eight bytes at a time.
/// - Parameter isASCII: whether a byte beyond ASCII ends it, too.
@inline(__always)
func endOfPlainText(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int, isASCII: Bool = false) -> Int {
    let text = UnsafeRawBufferPointer(bytes)
    let (ones, tops): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
    var at = start
    while at + 8 <= text.count {
        let word = UInt64(littleEndian: text.loadUnaligned(fromByteOffset: at, as: UInt64.self))
        // The top bit of a byte is set if the byte is less than the subtrahend. A borrow may also set bits in higher
        // bytes, which come later.
        let control = word &- 0x20 * ones
        let quote = (word ^ UInt64(UInt8(ascii: "\"")) * ones) &- ones
        let backslash = (word ^ UInt64(UInt8(ascii: "\\")) * ones) &- ones
        let found = control | quote | backslash
        let marks = (isASCII ? found | word : found & ~word) & tops
        if marks != 0 { return at + marks.trailingZeroBitCount / 8 }
        at += 8
    }
    while at < text.count, text[at] >= 0x20, text[at] != UInt8(ascii: "\""), text[at] != UInt8(ascii: "\\"),
        !isASCII || text[at] < 0x80
    {
        at += 1
    }
    return at
}
