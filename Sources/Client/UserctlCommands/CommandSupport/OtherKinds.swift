import Model
import TerminalViews
import UserdAPI

extension UserdOrCache {
    /// How many users of other kinds a search for persons leaves out: `3 groups, 1 room`. Nil if there are none, and if userd is
    /// of an earlier version.
    func others(than query: ListUsers) async -> String? {
        guard await count(UserKind.others, query) > 0 else { return nil }
        var counts: [String] = []
        for kind in UserKind.others {
            let count = await count([kind], query)
            if count > 0 { counts.append(kind.counted(grouped(count))) }
        }
        return counts.isEmpty ? nil : counts.joined(separator: ", ")
    }

    private func count(_ kinds: [UserKind], _ query: ListUsers) async -> Int {
        var query = query
        (query.kinds, query.limit, query.cursor) = (kinds, 1, nil)
        (query.order, query.descending) = (nil, nil)
        return (try? await read(.listUsers, \.listUsers, query).decoded().total) ?? 0
    }
}
