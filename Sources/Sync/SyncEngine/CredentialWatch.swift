import Logging
import Model
import Synchronization

/// Syncs users within seconds of new credentials in a file, such as a token or a Kerberos ticket, after a failure that they
/// may mend. Each content is tried once.
package final class CredentialWatch: Sendable {
    /// By the paths of files or folders that the settings name.
    package typealias Versions = [String: [String]]

    private let engine: SyncEngine
    private let look: @Sendable (_ reading: Bool) -> Versions
    private let logger: Logger
    private let phases = AsyncStream.makeStream(of: Phase?.self, bufferingPolicy: .bufferingNewest(1))
    /// The last contents that were tried since the failure began, and the looks since anything changed.
    private let seen = Mutex<(tried: [Versions], looks: Int)>(([], 0))

    /// The kernel can't watch a folder that is missing, nor a file behind a link, nor say when a file is whole.
    package static let pause = Duration.seconds(2)
    /// After ten minutes.
    package static let longPause = Duration.seconds(30)

    /// - Parameter look: what differs between contents, or without `reading` after each change of a file or its folder; empty
    ///   if nobody is asked.
    package init(
        engine: SyncEngine, logger: Logger, look: @escaping @Sendable (_ reading: Bool) -> Versions
    ) {
        (self.engine, self.logger, self.look) = (engine, logger, look)
        changed()
    }

    /// To be called after changes of states or settings. Returns at once.
    package func changed() { _ = phases.continuation.yield(phase) }

    /// That of users; nil after a failure that credentials do not mend.
    private var phase: Phase? {
        let users = engine.states.first { $0.resource == .users }
        let isOther = users?.phase == .error && users?.failure?.isAboutCredentials != true
        return isOther || look(false).isEmpty ? nil : users?.phase
    }

    /// Runs until the task is cancelled. Only wakes up by itself after such a failure. Syncs while paused, too: somebody
    /// did what the state asked for.
    package func run() async {
        note(look(true))
        await phases.stream.following { [self] phase in
            switch phase {
            case nil: break
            // It may miss credentials that come while it runs.
            case .syncing?: note(look(true))
            case .error?: await wait()
            case .initial?, .loaded?, .empty?: seen.withLock { $0 = ([], 0) }
            }
        }
    }

    private func wait() async {
        var (last, read) = (look(false), Versions?.none)
        while (try? await engine.environment.sleep(pause)) != nil {
            let found = look(false)
            defer { last = found }
            guard found == last else {
                // It may be half written.
                seen.withLock { $0.looks = 0 }
                continue
            }
            guard found != read else { continue }
            let new = look(true)
            if !seen.withLock({ $0.tried.contains(new) }) {
                // Not as if a person asked: a password that rests goes on resting. Upstream may have asked to wait.
                let state = try? await engine.sync([.users], cause: .due, isNew: true).first
                guard Task.isCancelled || state?.phase == .syncing else { continue }
                logger.info("There may be new credentials", metadata: ["places": "\(new.keys.sorted())"])
                note(new)
            }
            read = found
        }
    }

    private var pause: Duration {
        seen.withLock {
            $0.looks += 1
            return $0.looks > 300 ? Self.longPause : Self.pause
        }
    }

    private func note(_ versions: Versions) {
        seen.withLock { $0.tried = $0.tried.filter { $0 != versions }.suffix(20) + [versions] }
    }
}
