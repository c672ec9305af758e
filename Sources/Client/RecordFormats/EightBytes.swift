/// Eight bytes of a text, to look for bytes that are seldom there: a list has millions of texts.
struct EightBytes {
    private let word: UInt64
    private static let (ones, tops): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)

    fileprivate init(_ word: UInt64) { self.word = word }

    // Not zero if one of the bytes is such. https://graphics.stanford.edu/~seander/bithacks.html#ZeroInWord

    func less(than limit: UInt8) -> UInt64 { (word &- Self.ones &* UInt64(limit)) & ~word & Self.tops }

    func equal(to byte: UInt8) -> UInt64 {
        let differences = word ^ Self.ones &* UInt64(byte)
        return (differences &- Self.ones) & ~differences & Self.tops
    }

    var beyondASCII: UInt64 { word & Self.tops }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether a part of the text has marks that are not zero.
    @inline(__always)
    func has(_ marks: (EightBytes) -> UInt64) -> Bool {
        guard count >= 8 else {
            // Of blanks at first.
            var word: UInt64 = 0x2020_2020_2020_2020
            for byte in self { word = word << 8 | UInt64(byte) }
            return marks(EightBytes(word)) != 0
        }
        let text = UnsafeRawBufferPointer(self)
        var at = 0
        while at < count {
            // The last eight may have been looked at in part.
            let word = text.loadUnaligned(fromByteOffset: Swift.min(at, count - 8), as: UInt64.self)
            if marks(EightBytes(word)) != 0 { return true }
            at += 8
        }
        return false
    }
}
