import TerminalViews

/// What is on a terminal, so that only what changes is sent to it.
package struct Frame {
    /// Nil where nothing is known of it.
    private var lines: [String]?
    private var cursor: String?
    private let colour: Bool
    private let charset: Charset

    package init(colour: Bool, charset: Charset = .unicode) {
        self.colour = colour
        self.charset = charset
    }

    /// Everything has to be drawn anew.
    package mutating func forget() { (lines, cursor) = (nil, nil) }

    /// - Returns: what to send so that the screen is shown; nothing where it is.
    package mutating func update(to screen: BrowserScreen, columns: Int) -> String {
        let new = rendered(screen, width: columns, colour: colour, charset: charset).map(\.text)
        var changes = lines == nil ? "\u{1B}[2J" : ""
        for (row, line) in new.enumerated() where lines.map({ $0.count <= row || $0[row] != line }) ?? true {
            changes += "\u{1B}[\(row + 1);1H\u{1B}[2K" + line
        }
        let newCursor =
            screen.cursor.map { "\u{1B}[\($0.row + 1);\($0.column + 1)H" + TerminalModes.showCursor } ?? ""
        guard !changes.isEmpty || newCursor != cursor else { return "" }
        (lines, cursor) = (new, newCursor)
        // A line that the terminal takes for wider than it is must not push the others away.
        return TerminalModes.hideCursor + TerminalModes.cutLines + changes + TerminalModes.wrapLines
            + newCursor
    }
}

/// What a terminal is told so that it does as a full screen needs it (xterm's control sequences).
enum TerminalModes {
    static let hideCursor = "\u{1B}[?25l"
    static let showCursor = "\u{1B}[?25h"
    static let cutLines = "\u{1B}[?7l"
    static let wrapLines = "\u{1B}[?7h"
    /// A screen of its own, and pastes with their ends marked.
    static let enter = "\u{1B}[?1049h\u{1B}[?2004h"
    static let leave = "\u{1B}[0m" + wrapLines + "\u{1B}[?2004l" + showCursor + "\u{1B}[?1049l"
}
