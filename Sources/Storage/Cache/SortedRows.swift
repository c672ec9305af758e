import Model
import SQLite

extension UserRow {
    /// The rows of a page in the order of their names, in which a commit writes new users: it then reads what was staged from
    /// one place of each page, not from everywhere.
    ///
    /// Left in upstream's order where the place counts: of a user who comes twice the first is kept.
    static func sorted(_ users: PageRecords<User>, folded: @escaping Folding) -> PageRecords<[Value]> {
        let rows = PageRecords(
            values(of: users.read, folded: folded), digests: users.digests, same: users.same)
        guard rows.same.isEmpty, Set(users.read.lazy.map(\.id)).count == rows.read.count,
            let column = columns.firstIndex(of: "name_key")
        else { return rows }
        let names = rows.read.map { if case .text(let name) = $0[column] { name } else { "" } }
        let places = names.indices.sorted { (names[$0], $0) < (names[$1], $1) }
        var sorted = rows
        sorted.read = places.map { rows.read[$0] }
        if !rows.digests.isEmpty { sorted.digests = places.map { rows.digests[$0] } }
        return sorted
    }
}
