/// Views one below the other.
package struct Column: View {
    private let children: [any View]
    private let spacing: Int

    /// - Parameter spacing: blank lines between two views that are not empty.
    package init(spacing: Int = 0, @ViewBuilder _ children: () -> [any View]) {
        self.init(spacing: spacing, children())
    }

    init(spacing: Int = 0, _ children: [any View]) {
        self.children = children
        self.spacing = spacing
    }

    package func lines(on canvas: Canvas) -> [Line] {
        let gap = [Line](repeating: Line(), count: spacing)
        return Array(children.map { $0.lines(on: canvas) }.filter { !$0.isEmpty }.joined(separator: gap))
    }
}

/// Views side by side. If they don't fit, the widest shrink; if that is not enough, they are drawn one below the other, or
/// another view is instead.
package struct Row: View {
    private let children: [any View]
    private let spacing: Int
    private let other: Column?

    /// - Parameters:
    ///   - spacing: cells between two views.
    ///   - other: what is drawn if they don't fit; nil for the same views in a column.
    package init(
        spacing: Int = columnGap, or other: Column? = nil, @ViewBuilder _ children: () -> [any View]
    ) {
        self.children = children()
        (self.spacing, self.other) = (spacing, other)
    }

    package func lines(on canvas: Canvas) -> [Line] {
        let natural = children.map { $0.lines(on: canvas.with(width: nil)).width }
        let gaps = spacing * max(0, children.count - 1)
        guard let width = canvas.width else { return drawn(on: canvas, widths: natural) }
        let columns = zip(children, natural).map { child, natural in
            FlexibleWidth(natural: natural, minimum: (child as? Least)?.width ?? 8)
        }
        guard var widths = fitted(columns, to: width - gaps) else {
            return (other ?? Column(children.filter { !($0 is Spacer) })).lines(on: canvas)
        }
        let spacers = children.indices.filter { children[$0] is Spacer }
        let free = width - gaps - widths.reduce(0, +)
        for (position, index) in spacers.enumerated() {
            widths[index] += (free + position) / spacers.count
        }
        return drawn(on: canvas, widths: widths)
    }

    private func drawn(on canvas: Canvas, widths: [Int]) -> [Line] {
        let blocks = zip(children, widths).map { child, width in
            child is Spacer ? [] : child.lines(on: canvas.with(width: width))
        }
        return sideBySide(blocks, widths: widths, spacing: spacing)
    }
}

/// A blank line in a column; the remaining room in a row.
package struct Spacer: View {
    package init() {}

    package func lines(on canvas: Canvas) -> [Line] { [Line()] }
}

/// A view with a minimum width in a row.
private struct Least: View {
    let content: any View
    let width: Int

    func lines(on canvas: Canvas) -> [Line] { content.lines(on: canvas) }
}

/// A view that is drawn by a function of another one.
struct Drawn: View {
    let draw: (Canvas) -> [Line]

    func lines(on canvas: Canvas) -> [Line] { draw(canvas) }
}

extension View {
    /// Gives the view a fixed width: pads it with blanks, or fits it.
    package func frame(width: Int, alignment: Alignment = .leading) -> some View {
        Drawn { canvas in
            let width = min(width, canvas.width ?? width)
            return lines(on: canvas.with(width: width)).map { $0.padded(to: width, alignment) }
        }
    }

    /// Gives the view a fixed height: pads it with blank lines, or cuts it.
    package func frame(height: Int) -> some View {
        Drawn { canvas in
            let lines = self.lines(on: canvas).prefix(max(0, height))
            return lines + [Line](repeating: Line(), count: max(0, height - lines.count))
        }
    }

    /// Sets the width below which a row does not shrink the view.
    package func atLeast(width: Int) -> some View {
        Least(content: self, width: width)
    }

    package func indented(by indent: Int = 2) -> some View {
        Drawn { canvas in
            // At most an eighth of a narrow terminal.
            let indent = min(indent, (canvas.width ?? .max) / 8)
            return lines(on: canvas.with(width: canvas.width.map { $0 - indent })).map { .blank(indent) + $0 }
        }
    }

    /// Highlights the view as a bar, including its blanks.
    package func highlighted() -> some View {
        Drawn { canvas in
            lines(on: canvas).map { line in
                var line = line
                for index in line.spans.indices { line.spans[index].style = .selected }
                return line
            }
        }
    }
}
