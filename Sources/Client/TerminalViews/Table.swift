/// What stands above a column of a table, and what its width does.
package struct TableHeading {
    let title: String
    let alignment: Alignment
    let minimum: Int
    let priority: Int

    /// - Parameters:
    ///   - minimum: the cells that it needs to be of use where it is wider by nature; its title always fits.
    ///   - priority: columns of lower priority are narrowed first.
    package init(_ title: String, alignment: Alignment = .leading, minimum: Int = 8, priority: Int = 0) {
        self.title = title
        self.alignment = alignment
        self.minimum = minimum
        self.priority = priority
    }
}

/// A column of a table: its heading, and the cell of each row.
package struct TableColumn<Record> {
    let heading: TableHeading
    let cell: (Record) -> Text

    /// As `TableHeading` has it.
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
/// Where the width is too small for all, columns are narrowed and their cells cut with an ellipsis; where it is too small
/// even for their minimums, each record becomes a block of labels and values.
package struct Table: View {
    private let headings: [TableHeading]
    private let cells: [[Text]]

    /// - Parameter cells: of each record, one for each heading.
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
        let charset = canvas.charset
        let titles = headings.map { Span($0.title, style: .title).shown(in: charset) }
        let rows = cells.map { $0.map { $0.span.shown(in: charset) } }
        let flexible = headings.indices.map { column in
            let title = titles[column].width
            let widths = rows.map { $0[column].width }.filter { $0 > 0 }.sorted()
            return FlexibleWidth(
                natural: max(title, widths.last ?? 0),
                // Of nine cells in ten, and of all where there are fewer.
                usual: max(title, widths.isEmpty ? 0 : widths[(widths.count * 9 + 9) / 10 - 1]),
                minimum: max(headings[column].minimum, title),
                priority: headings[column].priority)
        }
        let available = canvas.width.map { $0 - columnGap * (headings.count - 1) }
        guard let widths = fitted(flexible, to: available ?? .max) else { return blocks.lines(on: canvas) }
        return ([titles] + rows).map { row in
            var line = Line()
            line.spans.reserveCapacity(3 * headings.count)
            for (column, heading) in headings.enumerated() {
                if column > 0 { line.spans.append(Span(blanks: columnGap)) }
                let cell = row[column].truncated(to: widths[column], charset)
                let missing = widths[column] - cell.width
                if missing > 0, heading.alignment == .trailing { line.spans.append(Span(blanks: missing)) }
                line.spans.append(cell)
                if missing > 0, heading.alignment == .leading { line.spans.append(Span(blanks: missing)) }
            }
            return line
        }
    }

    private var blocks: Column {
        let blocks = cells.map { row in
            Fields(
                zip(headings, row).compactMap { heading, cell in
                    cell.span.width > 0 ? Field(heading.title, cell) : nil
                })
        }
        return Column(spacing: 1, blocks)
    }
}
