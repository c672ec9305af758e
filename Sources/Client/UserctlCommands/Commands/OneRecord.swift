import Model
import UserdAPI
import Varlink

extension UserdOrCache {
    /// - Parameter kinds: nil for persons.
    func user(
        _ key: String, kinds: [UserKind]? = nil, _ console: Console
    ) async throws -> RawReply<UserReply> {
        try await record(of: .users, kinds: kinds, console) {
            try await read(.getUser, \.getUser, GetUser(key: key, kinds: kinds))
        }
    }

    /// Reads a single record. If the cache has no records at all, explains that on stderr and throws `Outcome.failed`;
    /// if a key matches several users, throws an error that lists them.
    func record<Output>(
        of resource: Resource, kinds: [UserKind]? = nil, _ console: Console,
        _ read: () async throws -> RawReply<Output>
    ) async throws -> RawReply<Output> {
        do {
            return try await namingAmbiguous(kinds: kinds, read)
        } catch {
            switch UserdError(any: error) {
            case .notFound, .noFacts:
                let states = try await states()
                if case .facts = resource { try states.require([.facts]) }
                let state = states.first { $0.resource == resource }
                guard !console.isQuiet, let state, state.count == 0 else { throw error }
                if let words = await notConnected() { throw CommandError(words, .failed) }
                console.explain(
                    NoRecordsPage(
                        resource: resource, freshness: Freshness(state, now: console.clock.now()),
                        isFiltered: false))
                console.note(source)
                throw Outcome.failed
            default: throw error
            }
        }
    }

    /// Throws an error that lists the users if a key is several users'.
    /// - Parameter kinds: those among whom the key was looked for; nil for persons.
    func namingAmbiguous<T>(
        kinds: [UserKind]? = nil, _ read: () async throws -> T
    ) async throws -> T {
        do {
            return try await read()
        } catch {
            guard case .ambiguous(let key, let ids) = UserdError(any: error) else { throw error }
            // Those who are gone meanwhile come last.
            let found = await users(ids, kinds)
            let others = ids.filter { id in !found.contains { $0.id == id } }
            throw CommandError.ambiguous(key, found.map(\.id) + others, found.tellingApart)
        }
    }

    func states() async throws -> [State] {
        if let state = try await daemonState() { return try state.decoded().states }
        return try await cachedStates()
    }

    /// Reads the first of these users, and leaves out those who are gone.
    private func users(_ ids: [String], _ kinds: [UserKind]?) async -> [User] {
        var users: [User] = []
        for id in ids.prefix(CommandError.mostAmbiguous) {
            do {
                users.append(
                    try await read(.getUser, \.getUser, GetUser(key: id, kinds: kinds)).decoded().user)
            } catch  where error.isUserNotFound {
                continue
            } catch {
                break
            }
        }
        return users
    }
}

extension CommandError {
    /// - Parameter total: the number of matches; `users` has the first of them.
    static func ambiguous(_ key: String, _ users: [User], total: Int) -> CommandError {
        // A username that two users share would be ambiguous again.
        let keys = users.map { user in
            user.username.flatMap { name in users.count { $0.username == name } == 1 ? name : nil } ?? user.id
        }
        return ambiguous(key, keys, users.tellingApart, total: total, advice: "choose one")
    }
}

extension Error {
    var isUserNotFound: Bool {
        if case .notFound = UserdError(any: self) { true } else { false }
    }
}

extension UserdOrCache {
    /// The user with this key, else the only one that a search for it finds. Throws a `CommandError` if persons are looked for, and
    /// a group or the like has the key.
    /// - Parameter choose: asks which of several is meant; nil to list them in an error.
    func user(
        matching key: String, kinds: [UserKind]? = nil, _ console: Console,
        choose: () throws -> User? = { nil }
    ) async throws -> RawReply<UserReply> {
        do {
            return try await user(key, kinds: kinds, console)
        } catch {
            if kinds == nil, error.isUserNotFound { try await refuseUnasked(key) }
            let found = try await found(by: key, kinds: kinds, orThrow: error, choose: choose)
            return try await user(found.id, kinds: found.kind.map { [$0] }, console)
        }
    }

    /// The only user that a search finds, after no user had the key.
    /// - Parameters:
    ///   - error: the error about the key. Thrown again if it is another one, or if the search fails.
    ///   - choose: as for `user`.
    func found(
        by key: String, kinds: [UserKind]? = nil, orThrow error: any Error,
        choose: () throws -> User? = { nil }
    ) async throws -> User {
        guard error.isUserNotFound, canSearch(key) else { throw error }
        let query = ListUsers(search: key, limit: CommandError.mostAmbiguous) { $0.kinds = kinds }
        guard let found = try? await read(.listUsers, \.listUsers, query).decoded() else { throw error }
        guard let first = found.users.first else {
            let near = await nearLines(query).found
            let others = kinds == nil ? await others(than: query) : nil
            let words =
                key.contains(" ")
                ? "and a search for these words finds none" : "or a word that begins with it"
            let found = others.map {
                ["it finds \($0): `userctl search --kind all \(shellQuoted(key))` shows them"]
            }
            throw CommandError(
                "no user has the id, username or email address “\(key)”, \(words)", .failed,
                advice: (found ?? [])
                    + (near.isEmpty
                        ? found == nil ? ["`userctl list` lists all users"] : []
                        : ["near:"] + near.map { "  " + $0 }))
        }
        if found.total == 1 { return first }
        if let chosen = try choose() { return chosen }
        throw CommandError.ambiguous(key, found.users, total: found.total)
    }
}
