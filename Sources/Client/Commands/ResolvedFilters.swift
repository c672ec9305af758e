import CommandSupport
import Model
import TextFolding
import UserdAPI

extension UserdOrCache {
    /// The key of the manager whom `--manager` means: the text itself if somebody's manager is called so, else the id of
    /// the only manager among the users of that name. Throws a `CommandError` if there are several, or none.
    func manager(called text: String) async throws -> String {
        func manages(_ key: String) async throws -> Bool {
            try await count(ListUsers { $0.manager = key }) > 0
        }
        // Without users, the list says why there are none.
        if try await manages(text) { return text }
        if try await count(ListUsers()) == 0 { return text }
        let query = ListUsers(search: text, limit: 100)
        let found = canSearch(text) ? try await read(.listUsers, \.listUsers, query).decoded().users : []
        let called = found.filter { $0.isCalled(text) }
        var managers: [User] = []
        for user in called.isEmpty ? found : called where try await manages(user.id) { managers.append(user) }
        guard managers.count < 2 else {
            throw CommandError.ambiguous(text, managers, total: managers.count)
        }
        if let manager = managers.first { return manager.id }
        let near = found.isEmpty && canSearch(text) ? try? await self.near(query).users : nil
        throw CommandError(
            "no user has the manager “\(text)”", .failed,
            advice: near.map { near in near.isEmpty ? [] : ["near:"] + near.map { "  " + $0.identity } }
                ?? ["`userctl list --columns name,manager` shows who has which"])
    }

    /// The filters whose value nobody has whole, while somebody's begins with it.
    func beginnings(_ filters: [(FilterValue, String?)], _ console: Console) async throws -> [FilterValue] {
        var beginnings: [FilterValue] = []
        for case (let filter, let text?) in filters {
            var query = ListUsers {
                switch filter {
                case .department: $0.department = text
                case .city: $0.city = text
                }
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

    /// At least this many, if it is a search of more than `SearchLimits.countedExactly`.
    private func count(_ query: ListUsers) async throws -> Int {
        var query = query
        query.limit = 1
        return try await read(.listUsers, \.listUsers, query).decoded().total
    }

    /// Prints the number of users. Throws `Outcome.failed` if a search finds none.
    func printCount(of query: ListUsers, _ console: Console) async throws {
        var (query, total) = (query, 0)
        query.limit = 1
        var page = try await read(.listUsers, \.listUsers, query).decoded()
        let isCounted = query.search == nil || page.total <= SearchLimits.countedExactly
        if isCounted {
            total = page.total
        } else {
            query.limit = 1000
            repeat {
                page = try await read(.listUsers, \.listUsers, query).decoded()
                total += page.users.count
                query.cursor = page.next
            } while page.next != nil && !page.users.isEmpty
        }
        try console.output.write(Array("\(total)\n".utf8))
        console.note(page.freshness, of: .users, source)
        if total == 0, query.search != nil { throw Outcome.failed }
    }
}
