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

    /// Throws an error if a group, a room or the like has the key.
    /// - Parameter place: where the key is written.
    func refuseOther(_ key: String, at place: String = "") async throws {
        guard let user = await other(key), let kind = user.otherKind else { return }
        throw CommandError(
            "\(place)\(user.shownName) is a \(kind.rawValue): only persons have managers and reports", .failed
        )
    }

    /// Throws a `CommandError` if a group, room or the like has the key: the user meant that, not persons whose fields have the
    /// same word.
    func refuseUnasked(_ key: String) async throws {
        guard let kind = await other(key)?.otherKind else { return }
        throw CommandError(
            "“\(key)” is a \(kind.rawValue), and only persons were asked for", .failed,
            advice: "add `--kind \(kind.rawValue)`")
    }

    /// The group, room or the like that has the key.
    private func other(_ key: String) async -> User? {
        try? await read(.getUser, \.getUser, GetUser(key: key, kinds: UserKind.others)).decoded().user
    }

    private func count(_ kinds: [UserKind], _ query: ListUsers) async -> Int {
        var query = query
        (query.kinds, query.limit, query.cursor) = (kinds, 1, nil)
        (query.order, query.descending) = (nil, nil)
        return (try? await read(.listUsers, \.listUsers, query).decoded().total) ?? 0
    }
}
