import Model
import UserdAPI

extension UserdClient {
    /// What it says of something that it has synced, and so of what time it is by its clock; nil where there is nothing, or it
    /// has no answer.
    func freshness(of daemon: DaemonState) -> Freshness? {
        // Facts are the fewer.
        let synced = daemon.states.filter { $0.syncedAt != nil }.map(\.resource)
        if synced.contains(.facts) { return try? listFacts(ListFacts(limit: 1)).decoded().freshness }
        if synced.contains(.users) { return try? listUsers(ListUsers(limit: 1)).decoded().freshness }
        return nil
    }
}
