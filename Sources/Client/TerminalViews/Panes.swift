/// A view of fixed height: padded with blank lines, or cut.
private struct Pane: View {
    let content: any View
    let height: Int

    func lines(on canvas: Canvas) -> [Line] {
        let lines = content.lines(on: canvas).prefix(max(0, height))
        return lines + [Line](repeating: Line(), count: max(0, height - lines.count))
    }
}

/// A view as a bar: its blanks are highlighted, too.
private struct Highlighted: View {
    let content: any View

    func lines(on canvas: Canvas) -> [Line] {
        content.lines(on: canvas).map { line in
            Line(
                spans: line.spans.map { span in
                    var span = span
                    span.style = .selected
                    return span
                })
        }
    }
}

extension View {
    package func frame(height: Int) -> some View { Pane(content: self, height: height) }

    package func highlighted() -> some View { Highlighted(content: self) }
}
