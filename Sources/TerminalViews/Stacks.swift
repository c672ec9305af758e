/// Views one below the other.
package struct Column: View {
    private let children: [any View]
    private let spacing: Int

    /// - Parameter spacing: blank lines between two views that show anything.
    package init(spacing: Int = 0, @ViewBuilder _ children: () -> [any View]) {
        self.init(spacing: spacing, children())
    }

    init(spacing: Int = 0, _ children: [any View]) {
        self.children = children
        self.spacing = spacing
    }

    package func lines(width: Int?) -> [Line] {
        let gap = [Line](repeating: Line(), count: spacing)
        return Array(children.map { $0.lines(width: width) }.filter { !$0.isEmpty }.joined(separator: gap))
    }
}

/// Views side by side. Where they don't fit, the widest shrink; where that is not enough, they
/// stand one below the other.
package struct Row: View {
    private let children: [any View]
    private let spacing: Int

    /// - Parameter spacing: cells between two views.
    package init(spacing: Int = columnGap, @ViewBuilder _ children: () -> [any View]) {
        self.children = children()
        self.spacing = spacing
    }

    package func lines(width: Int?) -> [Line] {
        let natural = children.map { $0.lines(width: nil).width }
        let gaps = spacing * max(0, children.count - 1)
        guard let width else { return drawn(widths: natural) }
        let columns = natural.map { FlexibleWidth(natural: $0, minimum: 8) }
        guard var widths = fitted(columns, to: width - gaps) else {
            return Column(children.filter { !($0 is Spacer) }).lines(width: width)
        }
        let spacers = children.indices.filter { children[$0] is Spacer }
        let free = width - gaps - widths.reduce(0, +)
        for (position, index) in spacers.enumerated() {
            widths[index] += (free + position) / spacers.count
        }
        return drawn(widths: widths)
    }

    private func drawn(widths: [Int]) -> [Line] {
        let blocks = zip(children, widths).map { child, width in
            child is Spacer ? [] : child.lines(width: width)
        }
        return sideBySide(blocks, widths: widths, spacing: spacing)
    }
}

/// In a column a blank line. In a row, all the room that is left.
package struct Spacer: View {
    package init() {}

    package func lines(width: Int?) -> [Line] { [Line()] }
}

/// A view in a place of fixed width: filled up with blanks where it is narrower, fitted where it is wider.
struct Frame: View {
    let content: any View
    let width: Int
    let alignment: Alignment

    func lines(width: Int?) -> [Line] {
        let width = min(self.width, width ?? self.width)
        return content.lines(width: width).map { $0.padded(to: width, alignment) }
    }
}

struct Indented: View {
    let content: any View
    let indent: Int

    func lines(width: Int?) -> [Line] {
        // A narrow terminal has better use for its cells.
        let indent = min(self.indent, (width ?? .max) / 8)
        return content.lines(width: width.map { $0 - indent }).map { .blank(indent) + $0 }
    }
}

extension View {
    package func frame(width: Int, alignment: Alignment = .leading) -> some View {
        Frame(content: self, width: width, alignment: alignment)
    }

    package func indented(by indent: Int = 2) -> some View {
        Indented(content: self, indent: indent)
    }
}
