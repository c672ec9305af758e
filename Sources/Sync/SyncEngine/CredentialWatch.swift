import Logging
import Model
import Synchronization

/// Syncs users within seconds of new credentials in a file, such as a token or a Kerberos ticket, after a failure that they
/// may mend. Each content is tried once.
package final class CredentialWatch: Sendable {
    private typealias Versions = [String: [String]]

    private let engine: SyncEngine
    private let places: @Sendable () -> [String]
    private let stamp: @Sendable (_ place: String) -> [String]
    private let content: @Sendable (_ place: String) -> [String]
    private let logger: Logger
    private let phases = AsyncStream.makeStream(of: Phase?.self, bufferingPolicy: .bufferingNewest(1))
    /// The last contents that were tried since the failure began, and the looks since anything changed.
    private let seen = Mutex<(tried: [Versions], looks: Int)>(([], 0))

    /// The kernel can't watch a folder that is missing, nor a file behind a link, nor say when a file is whole.
    package static let pause = Duration.seconds(2)
    /// After ten minutes.
    package static let longPause = Duration.seconds(30)

    /// - Parameters:
    ///   - places: the paths of files or folders that the settings name; empty if nobody is asked.
    ///   - stamp: changes with each change of a place, and reads no file.
    ///   - content: differs between contents; empty if there is nothing.
    package init(
        engine: SyncEngine, places: @escaping @Sendable () -> [String],
        stamp: @escaping @Sendable (_ place: String) -> [String],
        content: @escaping @Sendable (_ place: String) -> [String], logger: Logger
    ) {
        (self.engine, self.places, self.logger) = (engine, places, logger)
        (self.stamp, self.content) = (stamp, content)
        changed()
    }

    /// To be called after changes of states or settings. Returns at once.
    package func changed() { _ = phases.continuation.yield(phase) }

    /// That of users; nil after a failure that credentials do not mend.
    private var phase: Phase? {
        let users = engine.states.first { $0.resource == .users }
        let isOther = users?.phase == .error && users?.failure?.isAboutCredentials != true
        return isOther || places().isEmpty ? nil : users?.phase
    }

    /// Runs until the task is cancelled. Only wakes up by itself after such a failure. Syncs while paused, too: somebody
    /// did what the state asked for.
    package func run() async {
        note(versions(content))
        await phases.stream.following { [self] phase in
            switch phase {
            case nil: break
            // It may miss credentials that come while it runs.
            case .syncing?: note(versions(content))
            case .error?: await wait()
            case .initial?, .loaded?, .empty?: seen.withLock { $0 = ([], 0) }
            }
        }
    }

    private func wait() async {
        var (last, read) = (versions(stamp), Versions?.none)
        while (try? await engine.environment.sleep(pause)) != nil {
            let found = versions(stamp)
            defer { last = found }
            guard found == last else {
                // It may be half written.
                seen.withLock { $0.looks = 0 }
                continue
            }
            guard found != read else { continue }
            let new = versions(content)
            if !seen.withLock({ $0.tried.contains(new) }) {
                // Not as if a person asked: a password that rests goes on resting. Upstream may have asked to wait.
                let state = try? await engine.sync([.users], cause: .due, isNew: true).first
                guard Task.isCancelled || state?.phase == .syncing else { continue }
                logger.info("There may be new credentials", metadata: ["places": "\(places())"])
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

    private func versions(_ version: (_ place: String) -> [String]) -> Versions {
        Dictionary(places().map { ($0, version($0)) }) { first, _ in first }
    }
}
