import Model
import TerminalViews
import UserdAPI
import Varlink

extension Connection {
    /// A user who is asked for by a key. Where there is no such user because there are no users at all, a page on stderr
    /// says so and why.
    func user(_ key: String, _ console: Console) async throws -> UserdReply<UserReply> {
        do {
            return try await read(.getUser, \.getUser, GetUser(key: key))
        } catch let error where UserdError(any: error) == .notFound(key: key) {
            let states =
                if let state = try await daemonState() {
                    try state.decoded().states
                } else {
                    try await cachedStates()
                }
            guard let users = states.first(where: { $0.resource == .users }), users.count == 0 else {
                throw error
            }
            console.explain(
                NoRecordsPage(
                    resource: .users, freshness: Freshness(users, now: console.clock.now()), isFiltered: false
                ))
            console.note(source)
            throw Outcome.failed
        }
    }
}

extension UserdError {
    /// From userd it comes as itself, from the cache file as it would go over the wire.
    fileprivate init?(any error: any Error) {
        if let error = error as? UserdError {
            self = error
        } else {
            guard let wire = error as? VarlinkError else { return nil }
            self.init(wire: wire)
        }
    }
}
