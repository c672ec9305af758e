import CommandSupport
import MessageText
import Model
import TerminalViews

/// The widths of the widest cells of all users read so far. They only grow, so that columns keep their places.
struct WidestCells {
    private var widths: [UserColumn: Int] = [:]

    private static let measured: [(column: UserColumn, text: @Sendable (User) -> String?)] = [
        (.name, { [$0.name.last, $0.name.first].filter { !$0.isEmpty }.joined(separator: ", ") }),
        (.email, { $0.email }), (.city, { $0.address.city }), (.phone, { $0.phone }),
        (.username, { $0.username }), (.country, { $0.address.country }),
        (.nationality, { $0.nationality }), (.jobTitle, { $0.jobTitle }),
        (.department, { $0.department }),
    ]

    /// 0 for columns that are not measured.
    subscript(_ column: UserColumn) -> Int { widths[column] ?? 0 }

    /// Whether the column is measured and no user has a value in it.
    func isEmpty(_ column: UserColumn) -> Bool {
        self[column] == 0 && Self.measured.contains { $0.column == column }
    }

    /// - Returns: true if the widest address has changed.
    mutating func add(_ users: [User]) -> Bool {
        let before = self[.email]
        for user in users {
            for (column, text) in Self.measured {
                guard let text = text(user), text.utf8.count > self[column] else { continue }
                widths[column] = max(self[column], text.sanitised.displayWidth)
            }
        }
        return self[.email] != before
    }
}
