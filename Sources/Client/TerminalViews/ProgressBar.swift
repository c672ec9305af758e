/// Progress as a bar; empty without a total.
package struct ProgressBar: View {
    private let done: Int
    private let total: Int?

    private static let naturalWidth = 12

    package init(done: Int, total: Int?) {
        self.done = done
        self.total = total
    }

    package func lines(on canvas: Canvas) -> [Line] {
        let width = min(canvas.width ?? Self.naturalWidth, Self.naturalWidth)
        guard width > 0 else { return [] }
        let part = total.map { $0 > 0 ? min(max(Double(done) / Double($0), 0), 1) : 1 } ?? 0
        let filled = Int(part * Double(width))
        return [
            Line(spans: [
                Span(String(repeating: "━", count: filled), style: .good).shown(in: canvas.charset),
                Span(String(repeating: "─", count: width - filled), style: .secondary).shown(
                    in: canvas.charset),
            ])
        ]
    }
}
