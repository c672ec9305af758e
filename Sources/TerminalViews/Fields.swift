/// A label and its value.
package struct Field {
    let label: String
    let value: Text

    package init(_ label: String, _ value: Text) {
        self.label = label
        self.value = value
    }

    /// Nil, so left out of what it stands in, where there is no value.
    package init?(_ label: String, _ value: String?) {
        guard let value, !value.isEmpty else { return nil }
        self.init(label, Text(value))
    }
}

/// Labels and values in two columns. Where too little room is left for the values, each stands below its label.
package struct Fields: View {
    private let fields: [Field]

    package init(@ListBuilder<Field> _ fields: () -> [Field]) {
        self.init(fields())
    }

    package init(_ fields: [Field]) {
        self.fields = fields
    }

    package func lines(width: Int?) -> [Line] {
        let labels = fields.map { Text($0.label).style(.secondary) }
        let labelWidth = labels.map(\.span.width).max() ?? 0
        let valueWidth = width.map { $0 - labelWidth - columnGap }
        return zip(labels, fields).flatMap { label, field -> [Line] in
            if let valueWidth, valueWidth < min(field.value.span.width, 8) {
                return label.lines(width: width) + field.value.indented().lines(width: width)
            }
            let value = field.value.lines(width: valueWidth)
            return sideBySide(
                [label.lines(width: nil), value], widths: [labelWidth, value.width], spacing: columnGap)
        }
    }
}
