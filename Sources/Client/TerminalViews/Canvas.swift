/// What a view is drawn on.
package struct Canvas: Hashable, Sendable {
    /// In cells; nil is a width without an end.
    package var width: Int?
    package var charset: Charset

    package init(width: Int?, charset: Charset = .unicode) {
        self.width = width
        self.charset = charset
    }

    func with(width: Int?) -> Canvas { Canvas(width: width, charset: charset) }

    func narrowed(by cells: Int) -> Canvas { with(width: width.map { $0 - cells }) }
}

/// The characters that can be shown.
package enum Charset: Hashable, Sendable {
    case unicode, ascii

    /// What stands at the end of a text that is cut.
    var ellipsis: String { shown("…") }

    /// A sanitised text as it is shown: in ASCII our own signs and what punctuates have forms of their own,
    /// and all other characters are escaped as sanitising escapes.
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
        // Bars, in cells of which an eighth or more is full.
        case "█", "▉", "▊", "▋": "#"
        case "▌", "▍", "▎", "▏": "-"
        case "░", "▒": "."
        case "\u{A0}": " "
        default: escaped
        }
    }
}
