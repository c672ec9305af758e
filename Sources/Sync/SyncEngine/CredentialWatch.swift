import Logging
import Model
import Synchronization

/// Syncs users within seconds of new credentials in a file, such as a token or a Kerberos ticket, after a failure that they
/// may mend. Each content is tried once.
package struct CredentialWatch: Sendable {
    private enum Need {
        case none
        /// A sync is running, which may miss credentials that come meanwhile.
        case trying
        case waiting
    }

    private let engine: SyncEngine
    private let places: @Sendable () -> [String]
    private let version: @Sendable (_ place: String) -> [String]
    private let logger: Logger
    private let needs: (stream: AsyncStream<Need>, continuation: AsyncStream<Need>.Continuation)

    /// The kernel can't watch a folder that is missing, nor a file behind a link, nor say when a file is whole.
    package static let pause = Duration.seconds(2)

    /// - Parameters:
    ///   - places: the paths of files or folders that the settings name.
    ///   - version: differs between contents; empty if there is nothing.
    package init(
        engine: SyncEngine, places: @escaping @Sendable () -> [String],
        version: @escaping @Sendable (_ place: String) -> [String], logger: Logger
    ) {
        (self.engine, self.places, self.version, self.logger) = (engine, places, version, logger)
        needs = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        changed()
    }

    /// To be called after changes of states or settings. Returns at once.
    package func changed() { _ = needs.continuation.yield(need) }

    private var need: Need {
        guard !places().isEmpty, let users = engine.states.first(where: { $0.resource == .users }) else {
            return .none
        }
        if users.phase == .syncing { return .trying }
        return users.phase == .error && users.failure?.isAboutCredentials == true ? .waiting : .none
    }

    /// Runs until the task is cancelled. Only wakes up by itself after such a failure. Syncs while paused, too: somebody
    /// did what the state asked for.
    package func run() async {
        let tried = Mutex(versions)
        await needs.stream.following { need in
            switch need {
            case .none: break
            case .trying: tried.withLock { $0 = versions }
            case .waiting:
                var last = versions
                while (try? await engine.environment.sleep(Self.pause)) != nil {
                    let found = versions
                    defer { last = found }
                    // One that has just changed may be half written.
                    guard found == last, tried.withLock({ $0 != found }) else { continue }
                    tried.withLock { $0 = found }
                    logger.info("There may be new credentials", metadata: ["places": "\(places())"])
                    // Not as if a person asked: a password that rests goes on resting.
                    _ = try? await engine.sync([.users], cause: .due, isNew: true)
                }
            }
        }
    }

    private var versions: [String: [String]] {
        Dictionary(places().map { ($0, version($0)) }) { first, _ in first }
    }
}
