import Model
import StrictJSON
import TerminalViews
import UserdAPI

struct UserTable: View {
    private let rows: [[String]]
    private let headings: [TableHeading]

    /// - Parameters:
    ///   - rows: each user's cells, from `UserCells` with the same columns.
    ///   - columns: nil for the usual ones, except those that are empty for all users.
    init(_ rows: [[String]], columns: [UserColumn]? = nil) {
        self.rows = rows
        headings = Self.headings(columns)
    }

    var body: some View { Table(headings, cells: rows.map { $0.map { Text($0) } }) }

    /// A table for any number of users, with the same cells.
    /// - Parameter columns: as for `init`.
    static func streamed(
        _ columns: [UserColumn]?, hasHeader: Bool, _ output: Console.Output
    ) -> StreamedTable {
        StreamedTable(
            headings(columns), hasHeader: hasHeader, width: output.width, colour: output.colour,
            charset: output.charset)
    }

    private static func headings(_ columns: [UserColumn]?) -> [TableHeading] {
        (columns ?? UserColumn.usual).map { column in
            TableHeading(
                column.title, alignment: column.alignment, rank: column.rank,
                isOptional: columns == nil && column != .name, isAsked: columns != nil)
        }
    }
}

struct UserCells: Sendable {
    /// Makes a text from the values of a column's fields.
    typealias Text = @Sendable (ArraySlice<String?>) -> String

    private struct Cell {
        let text: Text
        let value: Text
        let count: Int
    }

    private let columns: [Cell]
    let reader: FieldReader

    init(_ columns: [UserColumn]) {
        self.columns = columns.map { Cell(text: $0.text, value: $0.value, count: $0.sources.count) }
        reader = FieldReader(columns.flatMap(\.sources).map(\.path))
    }

    /// - Parameter user: the protocol's JSON.
    func cells(of user: JSONValue) -> [String] { cells(of: reader.read(user)) }

    /// - Parameter user: from `reader`.
    func cells(of user: FieldRecord) -> [String] { texts(of: user, \.text) }

    /// The values for scripts, each on one line.
    /// - Parameter user: the protocol's JSON.
    func values(of user: JSONValue) -> [String] { texts(of: reader.read(user), \.value) }

    private func texts(of user: FieldRecord, _ text: (Cell) -> Text) -> [String] {
        var fields = user.fields.map { user[$0]?.text }[...]
        return columns.map { column in
            defer { fields = fields.dropFirst(column.count) }
            return text(column)(fields.prefix(column.count))
        }
    }

    /// - Parameter user: encodes to the protocol's JSON.
    func cells(of user: some Encodable) -> [String] {
        cells(of: JSONValue(trusting: (try? StrictJSON.encode(user)) ?? []))
    }
}
