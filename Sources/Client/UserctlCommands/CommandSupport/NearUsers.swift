import Model
import TerminalViews
import UserdAPI
import Varlink

/// The nearest to a query that finds nobody, in words.
struct NearLines {
    /// Names, and who has them.
    var found: [String] = []
    /// A line for each filter whose value nobody has.
    var unknown: [String] = []
}

extension UserdOrCache {
    /// The users nearest to a search that finds nobody, and values near to those of filters that nobody has.
    func near(_ query: ListUsers) async throws -> UserList {
        var query = query
        (query.near, query.cursor) = (true, nil)
        return try await read(.listUsers, \.listUsers, query).decoded()
    }

    func page(_ query: ListUsers) async throws -> RawReply<UserList> {
        try await knowing(query) { try await read(.listUsers, \.listUsers, $0) }
    }

    /// Calls with a query. A userd of an earlier version does not know the order of matches: it is asked for the usual one.
    func knowing<T>(
        _ query: ListUsers, _ call: (ListUsers) async throws -> T
    ) async throws -> T {
        do {
            return try await call(query)
        } catch let error as VarlinkError where query.order == .match && error == .invalidParameter("order") {
            var query = query
            query.order = nil
            return try await call(query)
        }
    }

    /// Empty if userd can't say.
    func nearLines(_ query: ListUsers) async -> NearLines {
        var query = query
        query.limit = CommandError.mostNear
        var lines = NearLines()
        guard let list = try? await near(query) else { return lines }
        // A userd of an earlier version lists users alone.
        guard let near = list.near else {
            lines.found = list.users.map(\.identity)
            return lines
        }
        let asked = [
            "department": query.department, "city": query.city, "country": query.country,
            "company": query.company, "title": query.title, "manager": query.manager,
        ]
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
