import Model

/// The width of sanitised text, in a terminal's cells. Characters that sanitising escapes (controls, unassigned and
/// private characters) count as 0 or 1.
extension StringProtocol {
    package var displayWidth: Int {
        if utf8.allSatisfy(isPrintableASCII) { return utf8.count }
        // No character below U+0300 combines; its first byte in UTF-8 is 0xCC.
        if utf8.allSatisfy({ $0 < 0xCC }) { return unicodeScalars.reduce(0) { $0 + $1.displayWidth } }
        return reduce(0) { $0 + $1.displayWidth }
    }
}

extension Character {
    /// 2 for an emoji sequence, otherwise the sum of its scalars.
    package var displayWidth: Int {
        let scalars = unicodeScalars
        guard let first = scalars.first, scalars.count > 1 else { return scalars.first?.displayWidth ?? 0 }
        if first.properties.isEmoji, scalars.contains(where: \.showsAsEmoji) { return 2 }
        return scalars.reduce(0) { $0 + $1.displayWidth }
    }
}

extension Unicode.Scalar {
    package var displayWidth: Int {
        if value < 0x300 { return value < 0x20 || 0x7F..<0xA0 ~= value ? 0 : 1 }
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .lineSeparator, .paragraphSeparator: return 0
        case .spacingMark: return 1
        default: break
        }
        // Hangul's medial vowels and final consonants are drawn in the leading consonant's cells.
        if (0x1160...0x11FF).contains(value) || (0xD7B0...0xD7FF).contains(value) { return 0 }
        return isWide ? 2 : 1
    }

    /// Emoji by default, or by variation selector 16 (UTS #51).
    fileprivate var showsAsEmoji: Bool { value == 0xFE0F || properties.isEmojiPresentation }

    /// East Asian Wide and Fullwidth (UAX #11).
    private var isWide: Bool {
        guard value >= 0x1100 else { return false }
        return wideRanges.contains { $0.contains(value) } || properties.isEmojiPresentation
    }
}

/// East_Asian_Width W and F of Unicode 17.0 (EastAsianWidth.txt, through the tables of PyPI's wcwidth 0.7.0),
/// without the default emoji, which the standard library knows. Ranges are joined across unassigned characters, marks
/// and default emoji, which are handled before this table.
private let wideRanges: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2329...0x232A, 0x2630...0x2637, 0x268A...0x268F, 0x2E80...0x303E, 0x3041...0x3163,
    0x3165...0x3247, 0x3250...0xA4C6, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAD9, 0xFE10...0xFE6B,
    0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x1B2FB, 0x1D300...0x1D376, 0x1F200...0x1F265,
    0x20000...0x33479,
]
