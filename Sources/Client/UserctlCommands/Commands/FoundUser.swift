import Model
import UserdAPI

extension UserdOrCache {
    /// The user with this key, else the only one that a search for it finds.
    /// - Parameter choose: asks which of several is meant; nil to list them in an error.
    func user(
        matching key: String, _ console: Console, choose: () throws -> User? = { nil }
    ) async throws -> RawReply<UserReply> {
        do {
            return try await user(key, console)
        } catch {
            let found = try await found(by: key, orThrow: error, choose: choose)
            return try await user(found.id, console)
        }
    }

    /// The only user that a search finds, after no user had the key.
    /// - Parameters:
    ///   - error: the error about the key. Thrown again if it is another one, or if the search fails.
    ///   - choose: as for `user`.
    func found(
        by key: String, orThrow error: any Error, choose: () throws -> User? = { nil }
    ) async throws -> User {
        guard error.isUserNotFound, canSearch(key) else { throw error }
        let query = ListUsers(search: key, limit: CommandError.mostAmbiguous)
        guard let found = try? await read(.listUsers, \.listUsers, query).decoded() else { throw error }
        guard let first = found.users.first else {
            let near = await nearLines(query).found
            let words =
                key.contains(" ")
                ? "and a search for these words finds none" : "or a word that begins with it"
            throw CommandError(
                "no user has the id, username or email address “\(key)”, \(words)", .failed,
                advice: near.isEmpty
                    ? ["`userctl list` lists all users"] : ["near:"] + near.map { "  " + $0 })
        }
        if found.total == 1 { return first }
        if let chosen = try choose() { return chosen }
        throw CommandError.ambiguous(key, found.users, total: found.total)
    }
}
