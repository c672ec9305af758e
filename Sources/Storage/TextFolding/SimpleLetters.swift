/// Letters whose folding does not depend on what stands beside them: they neither begin nor end a composition once
/// accents are gone. They are most of what names are written with, and a table folds them many times as fast.
enum SimpleLetters {
    /// Latin, Greek, Cyrillic, Armenian, Hebrew and Arabic, with their accents.
    private static let first: Range<UInt32> = 0x80..<0x700
    /// More of Latin and Greek.
    private static let second: Range<UInt32> = 0x1E00..<0x2000
    /// Overlays, which are kept and compose.
    private static let overlays: Range<UInt32> = 0x334..<0x339

    /// Up to three bytes of UTF-8, their number in the top byte, and the flags below.
    private static let table: [UInt32] = {
        (Array(first) + Array(second)).map { value in
            guard !overlays.contains(value), let scalar = Unicode.Scalar(value) else { return isOther }
            let (text, onlyLowercases) = foldedByScalars(String(scalar))
            var entry = UInt32(text.utf8.count) << 24 | (onlyLowercases ? 0 : losesSomething)
            for (place, byte) in text.utf8.enumerated() { entry |= UInt32(byte) << (place * 8) }
            return entry
        }
    }()
    private static let losesSomething: UInt32 = 0x8000_0000
    private static let isOther: UInt32 = 0x4000_0000

    /// Folds the letter at `at`, which is not ASCII, and goes on to the next.
    /// - Returns: how many bytes were written; nil for a letter that is not simple.
    @inline(__always)
    static func write(
        _ bytes: UnsafeBufferPointer<UInt8>, _ at: inout Int, to result: UnsafeMutableBufferPointer<UInt8>,
        _ start: Int, _ onlyLowercases: inout Bool
    ) -> Int? {
        let byte = UInt32(bytes[at])
        let place: Int
        switch byte {
        case 0xC2..<0xDC:
            place = Int((byte & 0x1F) << 6 | UInt32(bytes[at + 1]) & 0x3F) - Int(first.lowerBound)
            at += 2
        case 0xE1..<0xEE:
            let value =
                (byte & 0x0F) << 12 | (UInt32(bytes[at + 1]) & 0x3F) << 6 | UInt32(bytes[at + 2]) & 0x3F
            guard second.contains(value) else {
                guard isUnchanged(value) else { return nil }
                for offset in 0..<3 { result[start + offset] = bytes[at + offset] }
                at += 3
                return 3
            }
            place = first.count + Int(value - second.lowerBound)
            at += 3
        default: return nil
        }
        let entry = table[place]
        guard entry & isOther == 0 else { return nil }
        if entry & losesSomething != 0 { onlyLowercases = false }
        let length = Int(entry >> 24 & 3)
        for offset in 0..<length { result[start + offset] = UInt8(truncatingIfNeeded: entry >> (offset * 8)) }
        return length
    }

    /// Kana, Han and Hangul syllables; not what composes with them.
    private static func isUnchanged(_ value: UInt32) -> Bool {
        switch value {
        case 0x3041...0x3096, 0x309D...0x30FF, 0x4E00...0x9FFF, 0xAC00...0xD7A3: true
        default: false
        }
    }
}
