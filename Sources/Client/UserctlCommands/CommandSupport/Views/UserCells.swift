import Model
import StrictJSON
import TerminalViews
import UserdAPI

extension [TableHeading] {
    /// Those of a table of users, whose cells are from `UserCells` with the same columns.
    /// - Parameter columns: nil for the usual ones, except those that are empty for all users.
    static func users(_ columns: [UserColumn]? = nil) -> [TableHeading] {
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
