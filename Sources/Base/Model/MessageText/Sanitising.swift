extension String {
    /// The text without characters that control a terminal, hide other text or have an unknown width.
    ///
    /// Escaped as `\u{1B}`: controls (C0, DEL, C1; so ESC, newline and tab, too), bidi controls and marks, line and
    /// paragraph separators, tags and all other format characters, invisible letters, private and unassigned characters,
    /// and a combining mark without a base character.
    ///
    /// Dropped: zero-width space, word joiner, byte order mark and soft hyphen, whose width differs between terminals;
    /// joiners that join nothing; and the marks after the eighth on one base character (joiners and variation selectors
    /// included).
    package var sanitised: String {
        if utf8.allSatisfy(isPrintableASCII) || unicodeScalars.allSatisfy(\.isPlain) { return self }
        var result = ""
        result.reserveCapacity(utf8.count)
        // Marks since the last base character; nil if there is none.
        var marks: Int?
        for scalar in unicodeScalars {
            switch scalar.treatment {
            case .keep:
                // A joined character belongs to the one before.
                if marks == nil || result.unicodeScalars.last != "\u{200D}" { marks = 0 }
                result.unicodeScalars.append(scalar)
            case .escape:
                result += scalar.escaped
                marks = nil
            case .drop:
                break
            case .mark:
                if let count = marks {
                    if count < maximumMarks { result.unicodeScalars.append(scalar) }
                    marks = count + 1
                } else if !scalar.isJoiner {
                    result += scalar.escaped
                }
            }
        }
        return result
    }
}

/// Twice as many as in the longest common emoji sequences.
private let maximumMarks = 8

private enum Treatment { case keep, mark, escape, drop }

extension Unicode.Scalar {
    /// Characters below the combining marks (U+0300) that are kept: all but the controls and the soft hyphen.
    fileprivate var isPlain: Bool {
        switch value {
        case 0x20...0x7E, 0xA0...0xAC, 0xAE...0x2FF: true
        default: false
        }
    }

    /// Zero-width joiner and non-joiner, which emoji, Persian and Indic scripts need.
    fileprivate var isJoiner: Bool { value == 0x200C || value == 0x200D }

    fileprivate var treatment: Treatment {
        if isJoiner { return .mark }
        switch value {
        case 0x20...0x7E: return .keep
        case 0xAD, 0x200B, 0x2060, 0xFEFF: return .drop
        default: break
        }
        let category = properties.generalCategory
        switch category {
        case .nonspacingMark, .enclosingMark, .spacingMark: return .mark
        default: return category.isUnsafe || properties.isDefaultIgnorableCodePoint ? .escape : .keep
        }
    }
}
