import StrictJSON
import TerminalViews

/// A line for each user.
package struct UserTable: View {
    private let rows: [[String]]
    private let columns: [UserColumn]

    /// - Parameter rows: each user's cells, from `UserCells` with the same columns.
    package init(_ rows: [[String]], columns: [UserColumn]) {
        self.rows = rows
        self.columns = columns
    }

    package var body: some View {
        Table(Self.headings(columns), cells: rows.map { $0.map { Text($0) } })
    }

    /// A table for any number of users, with the same cells.
    package static func streamed(_ columns: [UserColumn], _ output: Console.Output) -> StreamedTable {
        StreamedTable(headings(columns), width: output.width, colour: output.colour, charset: output.charset)
    }

    private static func headings(_ columns: [UserColumn]) -> [TableHeading] {
        columns.map { TableHeading($0.title, alignment: $0.alignment, priority: $0.priority) }
    }
}

/// Reads the cells of columns from a user.
package struct UserCells: Sendable {
    /// The columns, and how many fields each combines.
    private let columns: [(column: UserColumn, count: Int)]
    package let reader: FieldReader

    package init(_ columns: [UserColumn]) {
        self.columns = columns.map { ($0, $0.csv.count) }
        reader = FieldReader(columns.flatMap(\.csv))
    }

    /// - Parameter user: the protocol's JSON.
    package func cells(of user: JSONValue) -> [String] { cells(of: reader.read(user)) }

    /// - Parameter user: from `reader`.
    package func cells(of user: FieldRecord) -> [String] {
        var fields = user.fields.map { user[$0]?.text }[...]
        return columns.map { column, count in
            defer { fields = fields.dropFirst(count) }
            return column.text(fields.prefix(count))
        }
    }

    /// - Parameter user: encodes to the protocol's JSON.
    package func cells(of user: some Encodable) -> [String] {
        cells(of: JSONValue(trusting: (try? StrictJSON.encode(user)) ?? []))
    }
}
