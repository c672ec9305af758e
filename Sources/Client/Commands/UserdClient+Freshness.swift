import Browse
import CommandSupport
import Diagnostics
import Model
import UserdAPI

extension UserdClient {
    /// The freshness of a synced resource, from which userd's clock can be read; nil if nothing is synced, or userd
    /// does not answer.
    func freshness(of daemon: DaemonState) -> Freshness? {
        // A fact is smaller than a user.
        let synced = daemon.states.filter { $0.syncedAt != nil }.map(\.resource)
        if synced.contains(.facts) { return try? listFacts(ListFacts(limit: 1)).decoded().freshness }
        if synced.contains(.users) { return try? listUsers(ListUsers(limit: 1)).decoded().freshness }
        return nil
    }
}
