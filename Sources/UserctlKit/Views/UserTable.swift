import Model
import TerminalViews

/// A line for each user.
package struct UserTable: View {
    /// What is printed of one user: a list of many is kept as that and no more.
    package struct Row: Sendable {
        fileprivate let cells: [String]

        package init(_ user: User, _ columns: [UserColumn]) {
            cells = columns.map { $0.text(user) }
        }
    }

    private let rows: [Row]
    private let columns: [UserColumn]

    /// - Parameter columns: the same that the rows were made with.
    package init(_ rows: [Row], columns: [UserColumn]) {
        self.rows = rows
        self.columns = columns
    }

    package var body: some View {
        Table(rows) {
            for (index, column) in columns.enumerated() {
                TableColumn(column.title, alignment: column.alignment, priority: column.priority) {
                    Text($0.cells[index])
                }
            }
        }
    }
}
