/// A column of a table: its heading, and the cell of each row.
package struct TableColumn<Record> {
    let title: String
    let alignment: Alignment
    let minimum: Int
    let priority: Int
    let cell: (Record) -> Text

    /// - Parameters:
    ///   - minimum: the cells that it needs to be of use where it is wider by nature; its title always fits.
    ///   - priority: columns of lower priority are narrowed first.
    package init(
        _ title: String, alignment: Alignment = .leading, minimum: Int = 8, priority: Int = 0,
        cell: @escaping (Record) -> Text
    ) {
        self.title = title
        self.alignment = alignment
        self.minimum = minimum
        self.priority = priority
        self.cell = cell
    }
}

/// A line for each record, below the headings.
///
/// Where the width is too small for all, columns are narrowed and their cells cut with an ellipsis; where it is too small
/// even for their minimums, each record becomes a block of labels and values.
package struct Table<Record>: View {
    private let records: [Record]
    private let columns: [TableColumn<Record>]

    package init(_ records: [Record], @ListBuilder<TableColumn<Record>> columns: () -> [TableColumn<Record>])
    {
        self.records = records
        self.columns = columns()
    }

    package func lines(on canvas: Canvas) -> [Line] {
        let charset = canvas.charset
        let titles = columns.map { Span($0.title, style: .title).shown(in: charset) }
        let rows = records.map { record in columns.map { $0.cell(record).span.shown(in: charset) } }
        let flexible = columns.indices.map { column in
            FlexibleWidth(
                natural: rows.reduce(titles[column].width) { max($0, $1[column].width) },
                minimum: max(columns[column].minimum, titles[column].width),
                priority: columns[column].priority)
        }
        let available = canvas.width.map { $0 - columnGap * (columns.count - 1) }
        guard let widths = fitted(flexible, to: available ?? .max) else { return blocks.lines(on: canvas) }
        return ([titles] + rows).map { row in
            columns.indices.map { column in
                Line(spans: [row[column].truncated(to: widths[column], charset)])
                    .padded(to: widths[column], columns[column].alignment)
            }
            .joined(gap: columnGap)
        }
    }

    private var blocks: Column {
        let blocks = records.map { record in
            Fields(
                columns.compactMap { column in
                    let cell = column.cell(record)
                    return cell.span.width > 0 ? Field(column.title, cell) : nil
                })
        }
        return Column(spacing: 1, blocks)
    }
}
