extension Unicode.Scalar {
    /// Whether the character may control a terminal or be invisible: controls, bidi controls and all other
    /// format characters, line and paragraph separators, private and unassigned characters. Foreign text is
    /// never shown with one.
    package var isUnsafe: Bool { properties.generalCategory.isUnsafe }

    /// The escaped character, such as `\u{1B}`.
    package var escaped: String { "\\u{\(String(value, radix: 16, uppercase: true))}" }
}

extension Unicode.GeneralCategory {
    var isUnsafe: Bool {
        switch self {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
            true
        default: false
        }
    }
}

package func isPrintableASCII(_ byte: UInt8) -> Bool { (0x20...0x7E).contains(byte) }
