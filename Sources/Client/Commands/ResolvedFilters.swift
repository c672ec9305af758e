import CommandSupport
import Model
import UserdAPI

extension UserdOrCache {
    /// The key of the manager whom `--manager` means: the text itself if somebody's manager has it, or nobody is found by it;
    /// else the id of the only manager among the users of that name. Throws a `CommandError` if there are several.
    func manager(called text: String) async throws -> String {
        guard try await count(ListUsers { $0.manager = text }) == 0, canSearch(text) else { return text }
        let query = ListUsers(search: text, limit: 100)
        let found = try await read(.listUsers, \.listUsers, query).decoded().users
        let named = found.filter { $0.isNamed(text) }
        var managers: [User] = []
        for user in named.isEmpty ? found : named
        where try await count(ListUsers { $0.manager = user.id }) > 0 { managers.append(user) }
        guard managers.count < 2 else { throw CommandError.ambiguous(text, managers, total: managers.count) }
        return managers.first?.id ?? text
    }

    /// The filters whose value nobody has whole, while somebody's begins with it.
    func beginnings(_ filters: [(BeginningFilter, String?)], _ console: Console) async throws
        -> [BeginningFilter]
    {
        var beginnings: [BeginningFilter] = []
        for case (let filter, let text?) in filters where canSearch(text) {
            var query = ListUsers {
                ($0.department, $0.city) = filter == .city ? (nil, text) : (text, nil)
            }
            guard try await count(query) == 0 else { continue }
            query.beginnings = [filter]
            // An older userd, which still runs, refuses this.
            guard let count = try? await count(query), count > 0 else { continue }
            beginnings.append(filter)
            console.notice("no \(filter.rawValue) is called “\(text)”: showing those that begin with it")
        }
        return beginnings
    }

    private func count(_ query: ListUsers) async throws -> Int {
        var query = query
        query.limit = 1
        return try await read(.listUsers, \.listUsers, query).decoded().total
    }
}
