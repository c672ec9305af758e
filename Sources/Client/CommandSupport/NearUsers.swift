import Model
import UserdAPI

extension UserdOrCache {
    /// The users nearest to a search that finds nobody.
    package func near(_ query: ListUsers) async throws -> UserList {
        var query = query
        (query.near, query.cursor) = (true, nil)
        return try await read(.listUsers, \.listUsers, query).decoded()
    }
}
