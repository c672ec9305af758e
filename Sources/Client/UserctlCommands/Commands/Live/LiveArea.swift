import Synchronization
import TerminalViews

/// Lines of a terminal that are redrawn in place, below the output so far.
final class LiveArea: Sendable {
    private struct Drawn {
        var lines: [RenderedLine] = []
        var isOver = false
    }

    private let output: Console.Output
    private let drawn = Mutex(Drawn())

    init(_ output: Console.Output) { self.output = output }

    /// Replaces the previous view. A view taller than the terminal is cut: lines that have scrolled away can't be redrawn.
    func draw(_ view: some View) {
        drawn.withLock { drawn in
            guard !drawn.isOver, let size = output.size() else { return }
            let lines = rendered(view, width: size.columns, colour: output.colour, charset: output.charset)
            let fitting = Array(lines.prefix(max(1, size.rows - 1)))
            // Overwrites each line, then clears its rest (ECMA-48: EL) and what is below (ED): clearing first flickers. After
            // a full line the cursor is still on its last character.
            try? output.write(
                back(over: drawn.lines, columns: size.columns)
                    + fitting.map { $0.text + ($0.width < size.columns ? "\u{1B}[K\n" : "\n") }.joined()
                    + "\u{1B}[J")
            drawn.lines = fitting
        }
    }

    /// Clears the area; later draws do nothing.
    func erase() {
        drawn.withLock { drawn in
            if !drawn.lines.isEmpty, let size = output.size() {
                try? output.write(back(over: drawn.lines, columns: size.columns) + "\u{1B}[J")
            }
            drawn = Drawn(isOver: true)
        }
    }

    /// Moves to the first of these lines (ECMA-48: CPL). If the terminal has become narrower, each may take several rows.
    private func back(over lines: [RenderedLine], columns: Int) -> String {
        let rows = lines.reduce(0) { $0 + max(1, ($1.width + columns - 1) / columns) }
        return rows == 0 ? "" : "\u{1B}[\(rows)F"
    }
}
