import Model
import TerminalViews
import UserdAPI

/// A line for each user, in columns whose widths don't depend on the visible users.
struct UserPane: View {
    struct Row {
        /// Nil if not read yet.
        let user: User?
        let exists: Bool
        let isSelected: Bool
        let isMarked: Bool
        /// A text that tells the user from one of the same name.
        let distinction: String?

        fileprivate var signs: String { (isSelected ? ">" : isMarked ? " " : "") + (isMarked ? "*" : "") }
    }

    private let rows: [Row]
    private let width: Int
    private let hasHeadings: Bool
    private let columns: [(column: UserColumn, width: Int)]

    init(_ rows: [Row], width: Int, hasHeadings: Bool, widest: WidestCells) {
        (self.rows, self.width, self.hasHeadings) = (rows, width, hasHeadings)
        columns = Self.columns(fitting: width, widest)
    }

    var body: some View {
        Column {
            if hasHeadings { line("", columns.map { Text($0.column.title).style(.title) }) }
            for row in rows {
                if !row.exists {
                    Spacer()
                } else if row.isSelected {
                    line(row.signs, cells(of: row), row.distinction).highlighted()
                } else {
                    line(row.signs, cells(of: row), row.distinction)
                }
            }
        }
    }

    private func cells(of row: Row) -> [Text] {
        let columns = columns.map(\.column)
        guard let user = row.user else {
            return columns.map { Text($0 == .name ? "…" : "").style(.secondary) }
        }
        var cells = UserCells(columns).cells(of: user)
        if let kind = user.shownKind { cells[0] = kind + cells[0] }
        return cells.map { Text($0) }
    }

    /// - Parameter distinction: shown beside the name if the name has no other column beside it.
    private func line(_ marker: String, _ cells: [Text], _ distinction: String? = nil) -> some View {
        TerminalViews.Row(spacing: 0) {
            Text(marker).frame(width: Self.margin)
            TerminalViews.Row(spacing: columnGap) {
                for ((column, width), cell) in zip(columns, cells) {
                    if let distinction, columns.count == 1 {
                        TerminalViews.Row {
                            cell.truncated()
                            Text(distinction).style(.secondary).truncated()
                        }.frame(width: width)
                    } else {
                        cell.truncated().frame(width: width, alignment: column.alignment)
                    }
                }
            }
        }
        .frame(width: width)
    }

    /// Width of the signs of the selected user and of marked users, and a gap.
    private static let margin = 1 + columnGap

    /// A column's least width, and that up to which it gets room that no cell needs.
    private typealias PreferredWidth = (column: UserColumn, least: Int, most: Int)

    /// In order of importance.
    private static let preferredWidths: [PreferredWidth] = [
        (.name, 20, 30), (.email, 22, 36), (.jobTitle, 14, 24), (.department, 14, 24), (.nationality, 3, 3),
        (.city, 14, 20), (.phone, 16, 18), (.username, 12, 24), (.country, 12, 20), (.age, 3, 3),
        (.registered, 10, 10), (.id, 36, 36),
    ]
    /// Names and addresses up to this width are shown in full before there is room for further columns.
    private static let longestWhole = 64

    /// The columns that fit, of those that are not empty for everyone read so far. Spare room goes to columns whose cells are cut, then to the first columns.
    private static func columns(
        fitting width: Int, _ widest: WidestCells
    ) -> [(column: UserColumn, width: Int)] {
        let preferredWidths = preferredWidths.filter {
            !widest.isEmpty($0.column) || [.name, .email].contains($0.column)
        }.map { preferred -> PreferredWidth in
            let (column, least, most) = preferred
            guard [.jobTitle, .department].contains(column) else { return preferred }
            // They are short in one company and long in another: they get no more than the widest needs.
            return (column, min(least, max(widest[column], column.title.displayWidth)), most)
        }
        let room = width - margin + columnGap
        /// The number of columns that fit, at least the first.
        func count(_ width: (PreferredWidth) -> Int) -> Int {
            var left = room
            let fitting = preferredWidths.prefix { preferred in
                left -= columnGap + width(preferred)
                return left >= 0
            }
            return max(1, fitting.count)
        }
        let whole = count { preferred in
            let isWhole = [.name, .email].contains(preferred.column)
            return isWhole
                ? max(preferred.least, min(widest[preferred.column], longestWhole)) : preferred.least
        }
        let fitting = preferredWidths.prefix(max(whole, min(2, count(\.least))))
        var widths = fitting.map(\.least)
        var spare = max(0, room - widths.reduce(0) { $0 + columnGap + $1 })
        for limit in [{ widest[$0.column] }, \.most] as [(PreferredWidth) -> Int] {
            for (index, preferred) in fitting.enumerated() {
                let more = max(0, min(spare, limit(preferred) - widths[index]))
                widths[index] += more
                spare -= more
            }
        }
        return zip(fitting, widths).map { ($0.column, min($1, max(1, width - margin))) }
    }
}

extension User {
    /// Stands before the name in a row; nil for persons.
    fileprivate var shownKind: String? { isOther ? kind.map { "(\($0.rawValue)) " } : nil }
}

/// The widths of the widest cells of all users read so far. They only grow, so that columns keep their places.
struct WidestCells {
    private var widths: [UserColumn: Int] = [:]

    private static let measured: [UserColumn] = [
        .name, .email, .city, .phone, .username, .country, .nationality, .jobTitle, .department,
    ]

    /// 0 for columns that are not measured.
    subscript(_ column: UserColumn) -> Int { widths[column] ?? 0 }

    /// Whether the column is measured and no user has a value in it.
    func isEmpty(_ column: UserColumn) -> Bool {
        self[column] == 0 && Self.measured.contains(column)
    }

    /// - Returns: true if the widest address has changed.
    mutating func add(_ users: [User]) -> Bool {
        let before = self[.email]
        for var user in users {
            for column in Self.measured {
                let text =
                    column == .name
                    ? (user.shownKind ?? "") + user.name.sorted : column.fields[0].text(of: &user)
                guard let text, text.utf8.count > self[column] else { continue }
                widths[column] = max(self[column], text.sanitised.displayWidth)
            }
        }
        return self[.email] != before
    }
}
