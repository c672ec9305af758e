import Model
import SQLite

extension UserRow {
    /// The rows of a page in the order of their names, in which a commit writes new users: it then reads what was staged from
    /// one place of each page, not from everywhere.
    ///
    /// Left in upstream's order where the place counts: of a user who comes twice the first is kept.
    static func sorted(_ users: [User], folded: @escaping Folding) -> [[Value]] {
        let rows = values(of: users, folded: folded)
        guard Set(users.lazy.map(\.id)).count == rows.count,
            let column = columns.firstIndex(of: "name_key")
        else { return rows }
        let names = rows.map { if case .text(let name) = $0[column] { name } else { "" } }
        return names.indices.sorted { (names[$0], $0) < (names[$1], $1) }.map { rows[$0] }
    }
}
