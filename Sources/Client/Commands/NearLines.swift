import CommandSupport
import MessageText
import Model
import TerminalViews
import UserdAPI

/// The nearest to a query that finds nobody, in words.
struct NearLines {
    /// Names, and who has them.
    var found: [String] = []
    /// A line for each filter whose value nobody has.
    var unknown: [String] = []
}

extension UserdOrCache {
    /// Empty if userd can't say.
    func nearLines(_ query: ListUsers) async -> NearLines {
        var query = query
        query.limit = CommandError.mostNear
        guard let list = try? await near(query) else { return NearLines() }
        // A userd of an earlier version lists users alone.
        guard let near = list.near else { return NearLines(found: list.users.map(\.identity)) }
        let asked = [
            "department": query.department, "city": query.city, "country": query.country,
            "company": query.company, "title": query.title, "manager": query.manager,
        ]
        var lines = NearLines()
        for near in near {
            let counted = near.values.map { "\($0.value) (\(grouped($0.count)))" }
            if let value = asked[near.field] ?? nil {
                let rest = counted.isEmpty ? "" : "; near: " + counted.joined(separator: ", ")
                lines.unknown.append("Nobody's \(near.field) is “\(value)”\(rest)")
            } else {
                // A number of each only if several have one of the names.
                lines.found += near.values.contains { $0.count > 1 } ? counted : list.users.map(\.identity)
            }
        }
        return lines
    }
}
