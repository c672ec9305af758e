import CommandSupport
import Model
import TerminalViews

/// A line for each user, in columns whose widths don't depend on the visible users.
struct UserPane: View {
    struct Row {
        /// Nil if not read yet.
        let user: User?
        let exists: Bool
        let isSelected: Bool
    }

    private let rows: [Row]
    private let width: Int
    private let hasHeadings: Bool
    private let columns: [(column: UserColumn, width: Int)]

    init(_ rows: [Row], width: Int, hasHeadings: Bool) {
        self.rows = rows
        self.width = width
        self.hasHeadings = hasHeadings
        columns = Self.columns(fitting: width)
    }

    var body: some View {
        Column {
            if hasHeadings { line("", columns.map { Text($0.column.title).style(.title) }) }
            for row in rows {
                if !row.exists {
                    Spacer()
                } else if row.isSelected {
                    line(">", cells(of: row)).highlighted()
                } else {
                    line("", cells(of: row))
                }
            }
        }
    }

    private func cells(of row: Row) -> [Text] {
        let columns = columns.map(\.column)
        guard let user = row.user else {
            return columns.map { Text($0 == .name ? "…" : "").style(.secondary) }
        }
        return UserCells(columns).cells(of: user).map { Text($0) }
    }

    private func line(_ marker: String, _ cells: [Text]) -> some View {
        TerminalViews.Row(spacing: columnGap) {
            Text(marker).frame(width: 1)
            for ((column, width), cell) in zip(columns, cells) {
                cell.truncated().frame(width: width, alignment: column.alignment)
            }
        }
        .frame(width: width)
    }

    /// The columns that fit, in order of importance; spare room goes to the first of them.
    private static func columns(fitting width: Int) -> [(column: UserColumn, width: Int)] {
        let wanted: [(column: UserColumn, least: Int, most: Int)] = [
            (.name, 20, 30), (.email, 22, 36), (.nationality, 3, 3), (.city, 14, 20), (.phone, 16, 18),
            (.username, 12, 24), (.country, 12, 20), (.age, 3, 3), (.registered, 10, 10), (.id, 36, 36),
        ]
        var room = width - 1
        let fitting = wanted.prefix { column in
            room -= columnGap + column.least
            return room >= 0 || column.column == .name
        }
        var spare = max(0, width - 1 - fitting.reduce(0) { $0 + columnGap + $1.least })
        return fitting.map { column in
            let more = min(spare, column.most - column.least)
            spare -= more
            return (column.column, min(column.least + more, max(1, width - 1 - columnGap)))
        }
    }
}
