import Synchronization
import TerminalViews

/// Some lines of a terminal that are drawn again in their place, below what was printed before.
package final class LiveArea: Sendable {
    private struct Drawn {
        var lines: [RenderedLine] = []
        var isOver = false
    }

    private let output: Console.Output
    private let drawn = Mutex(Drawn())

    package init(_ output: Console.Output) { self.output = output }

    /// In place of what was drawn before. What is taller than the terminal loses its end, since lines that have left the
    /// screen can't be drawn again.
    package func draw(_ view: some View) {
        drawn.withLock { drawn in
            guard !drawn.isOver, let size = output.size() else { return }
            let lines = rendered(view, width: size.columns, colour: output.colour, charset: output.charset)
            let fitting = Array(lines.prefix(max(1, size.rows - 1)))
            // Line by line over what was there (ECMA-48: EL), and nothing below (ED): what is cleared first, flickers.
            write(
                back(over: drawn.lines, columns: size.columns)
                    + fitting.map { $0.text + "\u{1B}[K\n" }.joined()
                    + "\u{1B}[J")
            drawn.lines = fitting
        }
    }

    /// Leaves nothing behind, and draws no more.
    package func erase() {
        drawn.withLock { drawn in
            if !drawn.lines.isEmpty, let size = output.size() {
                write(back(over: drawn.lines, columns: size.columns) + "\u{1B}[J")
            }
            drawn = Drawn(isOver: true)
        }
    }

    /// To the first of these lines (ECMA-48: CPL). On a terminal that has become narrower meanwhile they take more room.
    private func back(over lines: [RenderedLine], columns: Int) -> String {
        let rows = lines.reduce(0) { $0 + max(1, ($1.width + columns - 1) / columns) }
        return rows == 0 ? "" : "\u{1B}[\(rows)F"
    }

    private func write(_ text: String) { try? output.write(Array(text.utf8)) }
}
