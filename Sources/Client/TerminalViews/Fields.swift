package struct Field {
    let label: String
    let value: Text

    package init(_ label: String, _ value: Text) {
        self.label = label
        self.value = value
    }

    /// Nil if the value is nil or empty: `Fields` then leaves it out.
    package init?(_ label: String, _ value: String?) {
        guard let value, !value.isEmpty else { return nil }
        self.init(label, Text(value))
    }
}

/// Labels and values in two columns. A value is drawn below its label if it has too little room beside it, as an address
/// has that would be broken there.
package struct Fields: View {
    private let fields: [Field]

    package init(@ListBuilder<Field> _ fields: () -> [Field]) {
        self.init(fields())
    }

    package init(_ fields: [Field]) {
        self.fields = fields
    }

    package func lines(on canvas: Canvas) -> [Line] {
        let labels = fields.map { Text($0.label).style(.secondary) }
        let unbounded = canvas.with(width: nil)
        let labelWidth = labels.map { $0.lines(on: unbounded).width }.max() ?? 0
        let valueWidth = canvas.width.map { $0 - labelWidth - columnGap }
        return zip(labels, fields).flatMap { label, field -> [Line] in
            if let width = canvas.width, let valueWidth {
                let word = field.value.widestWord(in: canvas.charset)
                if valueWidth < max(word, min(field.value.lines(on: unbounded).width, 8)) {
                    let indent = word <= width ? min(2, width - word) : 2
                    return label.lines(on: canvas) + field.value.indented(by: indent).lines(on: canvas)
                }
            }
            let value = field.value.lines(on: canvas.with(width: valueWidth))
            return sideBySide(
                [label.lines(on: unbounded), value], widths: [labelWidth, value.width], spacing: columnGap)
        }
    }
}
