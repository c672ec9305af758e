import TerminalViews

/// The lines on a terminal, so that only changed lines are sent.
struct Frame {
    /// Nil if the terminal's content is unknown.
    private(set) var lines: [String]?
    private(set) var cursor: String?
    let colour: Bool
    var charset = Charset.unicode

    /// Makes the next update redraw everything.
    mutating func forget() { (lines, cursor) = (nil, nil) }

    /// - Returns: the text to send; empty if nothing has changed.
    mutating func update(to screen: BrowserScreen, columns: Int) -> String {
        let new = rendered(screen, width: columns, colour: colour, charset: charset).map(\.text)
        var changes = lines == nil ? "\u{1B}[2J" : ""
        for (row, line) in new.enumerated() where lines.map({ $0.count <= row || $0[row] != line }) ?? true {
            changes += "\u{1B}[\(row + 1);1H\u{1B}[2K" + line
        }
        let newCursor =
            screen.cursor.map { "\u{1B}[\($0.row + 1);\($0.column + 1)H" + TerminalModes.showCursor } ?? ""
        guard !changes.isEmpty || newCursor != cursor else { return "" }
        (lines, cursor) = (new, newCursor)
        // Without wrapping, a line that the terminal draws wider than expected does not shift those below.
        return TerminalModes.hideCursor + TerminalModes.cutLines + changes + TerminalModes.wrapLines
            + newCursor
    }
}

/// xterm's control sequences for a full screen.
enum TerminalModes {
    static let hideCursor = "\u{1B}[?25l"
    static let showCursor = "\u{1B}[?25h"
    static let cutLines = "\u{1B}[?7l"
    static let wrapLines = "\u{1B}[?7h"
    /// The alternate screen, and bracketed paste.
    static let enter = "\u{1B}[?1049h\u{1B}[?2004h"
    static let leave = "\u{1B}[0m" + wrapLines + "\u{1B}[?2004l" + showCursor + "\u{1B}[?1049l"
}
