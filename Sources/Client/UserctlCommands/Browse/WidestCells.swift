import Model
import TerminalViews
import UserdAPI

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
                let text = column == .name ? user.name.sorted : column.fields[0].text(of: &user)
                guard let text, text.utf8.count > self[column] else { continue }
                widths[column] = max(self[column], text.sanitised.displayWidth)
            }
        }
        return self[.email] != before
    }
}
