import TextSafety

package struct Canvas: Hashable, Sendable {
    /// In cells; nil for unlimited.
    package var width: Int?
    package var charset: Charset

    package init(width: Int?, charset: Charset = .unicode) {
        self.width = width
        self.charset = charset
    }

    func with(width: Int?) -> Canvas { Canvas(width: width, charset: charset) }

    func narrowed(by cells: Int) -> Canvas { with(width: width.map { $0 - cells }) }
}

/// The characters that a terminal can show.
package enum Charset: Hashable, Sendable {
    case unicode, ascii

    /// The end of a truncated text.
    var ellipsis: String { shown("…") }

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
