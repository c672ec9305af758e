import Model
import UserdAPI
import Varlink

extension UserdOrCache {
    /// The users nearest to a search that finds nobody, and values near to those of filters that nobody has.
    package func near(_ query: ListUsers) async throws -> UserList {
        var query = query
        (query.near, query.cursor) = (true, nil)
        return try await read(.listUsers, \.listUsers, query).decoded()
    }

    /// A page of users.
    package func page(_ query: ListUsers) async throws -> RawReply<UserList> {
        try await knowing(query) { try await read(.listUsers, \.listUsers, $0) }
    }

    /// Calls with a query. A userd of an earlier version does not know the order of matches: it is asked for the usual one.
    package func knowing<T>(
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
}
