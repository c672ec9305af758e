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
            var query = ListUsers(limit: 1)
            query[keyPath: filter] = text
            if try await read(.listUsers, \.listUsers, query).decoded().total > 0 { continue }
            query.beginnings = true
            // An older userd, which still runs, refuses this.
            let begun = try? await read(.listUsers, \.listUsers, query).decoded()
            guard let begun, begun.total > 0 else { continue }
            isBeginning = true
            console.notice("no \(name) is called “\(text)”: showing those that begin with it")
        }
        return isBeginning
    }
}
