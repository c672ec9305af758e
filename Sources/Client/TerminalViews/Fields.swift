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

    package func lines(on canvas: Canvas) -> [Line] { blocks(on: canvas).flatMap(\.self) }

    fileprivate func blocks(on canvas: Canvas) -> [[Line]] {
        let labels = fields.map { Text($0.label).style(.secondary) }
        let unbounded = canvas.with(width: nil)
        let labelWidth = labels.map { $0.lines(on: unbounded).width }.max() ?? 0
        let valueWidth = canvas.width.map { $0 - labelWidth - columnGap }
        return zip(labels, fields).map { label, field -> [Line] in
            if let width = canvas.width, let valueWidth {
                let word = field.value.span.shown(in: canvas.charset).widestWord
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

/// In cells.
private let leastPicture = 16

/// A picture beside fields, or above them if they don't fit beside it.
package struct Illustrated: View {
    private let picture: Picture
    private let fields: Fields
    private let leastWidth: Int
    private let rows: Int?
    private let seen: Int

    /// - Parameters:
    ///   - leastWidth: of the fields beside the picture.
    ///   - rows: the height of both; nil for any.
    ///   - seen: the first fields, which a picture above them does not push out of these rows.
    package init(_ picture: Picture, _ fields: Fields, leastWidth: Int, rows: Int?, seen: Int) {
        (self.picture, self.fields, self.leastWidth) = (picture, fields, leastWidth)
        (self.rows, self.seen) = (rows, seen)
    }

    package func lines(on canvas: Canvas) -> [Line] {
        let below = fields.blocks(on: canvas).prefix(seen).reduce(0) { $0 + $1.count }
        let left = rows.map { $0 - below } ?? .max
        let column = Column {
            if left >= leastPicture / 4 { picture.limited(toRows: left) }
            fields
        }
        return Row(or: column) {
            picture.atLeast(width: leastPicture)
            fields.atLeast(width: leastWidth)
        }.lines(on: canvas)
    }
}
