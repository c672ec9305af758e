import CommandSupport
import Model
import UserdAPI

extension UserdOrCache {
    /// Whether nobody has one of these departments and cities whole, while somebody's begins with it.
    func beginnings(department: String?, city: String?, _ console: Console) async throws -> Bool {
        var isBeginning = false
        for (name, text, filter) in [
            ("department", department, \ListUsers.department), ("city", city, \.city),
        ] {
            guard let text, canSearch(text) else { continue }
            var query = ListUsers()
            query[keyPath: filter] = text
            guard try await count(query) == 0 else { continue }
            query.beginnings = true
            // An older userd, which still runs, refuses this.
            guard let count = try? await count(query), count > 0 else { continue }
            isBeginning = true
            console.notice("no \(name) is called “\(text)”: showing those that begin with it")
        }
        return isBeginning
    }

    private func count(_ query: ListUsers) async throws -> Int {
        var query = query
        query.limit = 1
        return try await read(.listUsers, \.listUsers, query).decoded().total
    }
}
