import Logging
import Model
import Synchronization

/// Syncs users within seconds of new credentials in a file, such as a token or a Kerberos ticket, after a failure that they
/// may mend. Each content is tried once.
package final class CredentialWatch: Sendable {
    /// Digests of what is in the files or folders that the settings name, by their paths.
    package typealias Contents = [String: [Int]]

    private let engine: SyncEngine
    private let look: @Sendable () -> Contents
    private let logger: Logger
    private let phases = AsyncStream.makeStream(of: Phase?.self, bufferingPolicy: .bufferingNewest(1))
    /// The last contents that were tried since the failure began.
    private let tried = Mutex<[Contents]>([])

    /// The kernel can't watch a folder that is missing, nor a file behind a link, nor say when a file is whole.
    package static let pause = Duration.seconds(2)

    /// - Parameter look: reads the files; empty if nobody is asked.
    package init(engine: SyncEngine, logger: Logger, look: @escaping @Sendable () -> Contents) {
        (self.engine, self.logger, self.look) = (engine, logger, look)
        changed()
    }

    /// To be called after changes of states or settings. Returns at once.
    package func changed() { _ = phases.continuation.yield(phase) }

    /// That of users; nil after a failure that credentials do not mend.
    private var phase: Phase? {
        let users = engine.states.first { $0.resource == .users }
        let isMended = users?.failure?.isAboutCredentials == true && !look().isEmpty
        return users?.phase == .error && !isMended ? nil : users?.phase
    }

    /// Runs until the task is cancelled. Only wakes up by itself after such a failure. Syncs while paused, too: somebody
    /// did what the state asked for.
    package func run() async {
        note(look())
        await phases.stream.following { [self] phase in
            switch phase {
            case nil: break
            // It may miss credentials that come while it runs.
            case .syncing?: note(look())
            case .error?: await wait()
            case .initial?, .loaded?, .empty?: tried.withLock { $0 = [] }
            }
        }
    }

    private func wait() async {
        var last = look()
        while (try? await engine.environment.sleep(Self.pause)) != nil {
            let found = look()
            defer { last = found }
            // What has changed just now may be half written.
            guard found == last, !tried.withLock({ $0.contains(found) }) else { continue }
            // Not as if a person asked: a password that rests goes on resting. Upstream may have asked to wait.
            let state = try? await engine.sync([.users], cause: .due, isNew: true).first
            guard Task.isCancelled || state?.phase == .syncing else { continue }
            logger.info("There may be new credentials", metadata: ["places": "\(found.keys.sorted())"])
            note(found)
        }
    }

    private func note(_ contents: Contents) {
        tried.withLock { $0 = $0.filter { $0 != contents }.suffix(20) + [contents] }
    }
}
