/// A column's title and the limits of its width.
package struct TableHeading {
    let title: String
    let alignment: Alignment
    let minimum: Int
    let priority: Int
    let isOptional: Bool

    /// - Parameters:
    ///   - minimum: the column is not shrunk below this width, nor below its title's, in cells.
    ///   - priority: columns of lower priority shrink first.
    ///   - isOptional: the column is left out if all of its cells are empty.
    package init(
        _ title: String, alignment: Alignment = .leading, minimum: Int = 8, priority: Int = 0,
        isOptional: Bool = false
    ) {
        (self.title, self.alignment, self.minimum, self.priority) = (title, alignment, minimum, priority)
        self.isOptional = isOptional
    }
}

/// A column of a table: its heading, and the cell of each row.
package struct TableColumn<Record> {
    let heading: TableHeading
    let cell: (Record) -> Text

    /// Takes the same parameters as `TableHeading`.
    package init(
        _ title: String, alignment: Alignment = .leading, minimum: Int = 8, priority: Int = 0,
        cell: @escaping (Record) -> Text
    ) {
        heading = TableHeading(title, alignment: alignment, minimum: minimum, priority: priority)
        self.cell = cell
    }
}

/// A line for each record, below the headings.
///
/// If the columns don't fit, they shrink and their cells are truncated; if even their minimums don't fit, each record is
/// drawn as a block of labels and values.
package struct Table: View {
    private let headings: [TableHeading]
    private let cells: [[Text]]

    /// - Parameter cells: a row for each record, with a cell for each heading.
    package init(_ headings: [TableHeading], cells: [[Text]]) {
        self.headings = headings
        self.cells = cells
    }

    package init<Record>(
        _ records: [Record], @ListBuilder<TableColumn<Record>> columns: () -> [TableColumn<Record>]
    ) {
        let columns = columns()
        self.init(columns.map(\.heading), cells: records.map { record in columns.map { $0.cell(record) } })
    }

    package func lines(on canvas: Canvas) -> [Line] {
        let filled = headings.filled(in: cells) { $0.span.width == 0 }
        let headings = filled.map { self.headings[$0] }
        let cells = filled.count == self.headings.count ? cells : cells.map { row in filled.map { row[$0] } }
        let rows = cells.map { $0.map { $0.span.shown(in: canvas.charset) } }
        guard let layout = TableLayout(headings, rows, canvas) else {
            return Column(spacing: 1, cells.map { Fields($0, under: headings) }).lines(on: canvas)
        }
        return [layout.titles] + rows.map(layout.line)
    }
}

extension [TableHeading] {
    /// The indices of the columns to draw: without optional ones that are empty in all rows.
    func filled<Cell>(in rows: [[Cell]], _ isEmpty: (Cell) -> Bool) -> [Int] {
        indices.filter { column in
            !self[column].isOptional || rows.contains { !isEmpty($0[column]) }
        }
    }
}

extension Fields {
    /// A record as a block; empty cells are left out.
    init(_ row: [Text], under headings: [TableHeading]) {
        self.init(
            zip(headings, row).compactMap { heading, cell in
                cell.span.width > 0 ? Field(heading.title, cell) : nil
            })
    }
}

/// The widths of a table's columns.
struct TableLayout {
    let headings: [TableHeading]
    let canvas: Canvas
    let widths: [Int]

    /// Nil if even the least widths don't fit.
    init?(_ headings: [TableHeading], _ rows: [[Span]], hasTitles: Bool = true, _ canvas: Canvas) {
        (self.headings, self.canvas) = (headings, canvas)
        let flexible = headings.indices.map { column in
            let title = hasTitles ? Span(headings[column].title).shown(in: canvas.charset).width : 0
            let widths = rows.map { $0[column].width }.filter { $0 > 0 }.sorted()
            return FlexibleWidth(
                natural: max(title, widths.last ?? 0),
                // Wide enough for nine cells of ten.
                usual: max(title, widths.isEmpty ? 0 : widths[(widths.count * 9 + 9) / 10 - 1]),
                minimum: max(headings[column].minimum, title),
                priority: headings[column].priority)
        }
        let available = canvas.width.map { $0 - columnGap * (headings.count - 1) }
        guard let widths = fitted(flexible, to: available ?? .max) else { return nil }
        self.widths = widths
    }

    var titles: Line { line(headings.map { Span($0.title, style: .title).shown(in: canvas.charset) }) }

    func line(_ row: [Span]) -> Line {
        var line = Line()
        line.spans.reserveCapacity(3 * headings.count)
        for (column, heading) in headings.enumerated() {
            if column > 0 { line.spans.append(Span(blanks: columnGap)) }
            // Nothing is cut in a file.
            let cell =
                canvas.width == nil ? row[column] : row[column].truncated(to: widths[column], canvas.charset)
            let missing = widths[column] - cell.width
            if missing > 0, heading.alignment == .trailing { line.spans.append(Span(blanks: missing)) }
            line.spans.append(cell)
            if missing > 0, heading.alignment == .leading { line.spans.append(Span(blanks: missing)) }
        }
        return line
    }
}
