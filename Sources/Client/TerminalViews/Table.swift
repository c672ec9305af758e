import Model

/// The treatment of a column on a terminal that is too narrow for all of them.
package enum Rank: Sendable {
    /// Left out, those at the right first.
    case extra
    /// Stays; a longer cell is cut.
    case name
    /// Stays; a longer cell is whole, on a line of its own below its row.
    case whole
    /// The same as `whole`, but all others have room first.
    case message
}

/// A column's title, and its behaviour on a narrow terminal.
package struct TableHeading {
    let title: String
    let alignment: Alignment
    let rank: Rank
    let isOptional: Bool
    let isAsked: Bool
    /// Makes the address of a cell's text, for a column of links.
    let link: Link?

    package typealias Link = @Sendable (String) -> ActionAddress?

    /// - Parameters:
    ///   - isOptional: the column is left out if all of its cells are empty.
    ///   - isAsked: the columns were asked for, all of them or none. Each is shown, if need be on a further line of its
    ///     row, and no cell is cut.
    package init(
        _ title: String, alignment: Alignment = .leading, rank: Rank = .extra, isOptional: Bool = false,
        isAsked: Bool = false, link: Link? = nil
    ) {
        (self.title, self.alignment, self.rank) = (title, alignment, rank)
        (self.isOptional, self.isAsked, self.link) = (isOptional, isAsked, link)
    }
}

package struct TableColumn<Record> {
    let heading: TableHeading
    let cell: (Record) -> Text

    /// Takes the same parameters as `TableHeading`.
    package init(
        _ title: String, alignment: Alignment = .leading, rank: Rank = .extra,
        cell: @escaping (Record) -> Text
    ) {
        heading = TableHeading(title, alignment: alignment, rank: rank)
        self.cell = cell
    }
}

/// A line for each record, below the headings.
///
/// If the columns don't fit, those of the lowest rank are left out; if even those that stay don't fit, each record is
/// drawn as a block of labels and values.
package struct Table: View {
    private let headings: [TableHeading]
    private let cells: [[Text]]
    private let hasHeader: Bool

    package init(_ headings: [TableHeading], cells: [[Text]], hasHeader: Bool = true) {
        self.headings = headings
        self.cells = cells
        self.hasHeader = hasHeader
    }

    package init<Record>(
        _ records: [Record], hasHeader: Bool = true,
        @ListBuilder<TableColumn<Record>> columns: () -> [TableColumn<Record>]
    ) {
        let columns = columns()
        self.init(
            columns.map(\.heading), cells: records.map { record in columns.map { $0.cell(record) } },
            hasHeader: hasHeader)
    }

    package func lines(on canvas: Canvas) -> [Line] {
        let filled = headings.filled(in: cells) { $0.span.width == 0 }
        let headings = filled.map { self.headings[$0] }
        let cells = filled.count == self.headings.count ? cells : cells.map { row in filled.map { row[$0] } }
        let rows = cells.map { $0.map { $0.span.shown(in: canvas.charset) } }
        guard let layout = TableLayout(headings, rows, canvas) else {
            return Column(spacing: 1, cells.map { Fields($0, under: headings) }).lines(on: canvas)
        }
        return (hasHeader ? layout.titles : []) + rows.flatMap(layout.lines)
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
