import Model

package struct Canvas {
    /// In cells; nil for unlimited.
    let width: Int?
    let charset: Charset

    func with(width: Int?) -> Canvas { Canvas(width: width, charset: charset) }
}

/// The characters that a terminal can show.
package enum Charset: Hashable, Sendable {
    case unicode, ascii

    /// A sanitised text in this charset. In ASCII, punctuation and the views' own signs are replaced by similar characters;
    /// other characters are escaped as in `sanitised`.
    package func shown(_ text: String) -> String {
        if self == .unicode || text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
        return text.unicodeScalars.reduce(into: "") { $0 += $1.isASCII ? String($1) : $1.inASCII }
    }
}

extension Unicode.Scalar {
    fileprivate var inASCII: String {
        switch self {
        case "…": "..."
        case "“", "”", "„": "\""
        case "‘", "’", "‚": "'"
        case "━": "="
        case "–", "—", "─", "·": "-"
        case "│", "┃": "|"
        case "┌", "┐", "└", "┘", "├", "┤", "┬", "┴", "┼", "╭", "╮", "╯", "╰": "+"
        case "•": "*"
        case "→": "->"
        case "×", "✗", "✘": "x"
        case "✓", "✔": "+"
        // Bars; the narrow ones are filled by half or less.
        case "█", "▉", "▊", "▋": "#"
        case "▌", "▍", "▎", "▏": "-"
        case "░", "▒": "."
        case "\u{A0}": " "
        default: escaped
        }
    }
}
