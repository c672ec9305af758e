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

/// Labels and values in two columns. If the values have too little room, each is drawn below its label.
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
            if let valueWidth, valueWidth < min(field.value.lines(on: unbounded).width, 8) {
                return label.lines(on: canvas) + field.value.indented().lines(on: canvas)
            }
            let value = field.value.lines(on: canvas.with(width: valueWidth))
            return sideBySide(
                [label.lines(on: unbounded), value], widths: [labelWidth, value.width], spacing: columnGap)
        }
    }
}
