import Glibc
import Logging
import Model
import Platform
import Settings
import SyncEngine
import Synchronization

/// Syncs users within seconds of `kinit`, if they wait for a Kerberos ticket in a file or a folder. Tickets elsewhere are
/// found at the next regular attempt.
struct TicketWatch: Sendable {
    enum Need: Sendable {
        case none
        /// A sync is running, which may miss a ticket that comes meanwhile.
        case trying
        case waiting
    }

    let engine: SyncEngine
    /// Has an element at least at each change.
    let needs: AsyncStream<Need>
    let sleep: @Sendable (Duration) async throws -> Void
    let logger: Logger

    /// The kernel can't watch a folder that is missing until the first `kinit`, nor say when a ticket is whole.
    private static let pause = Duration.seconds(2)

    static func need(of engine: SyncEngine, usesTickets: Bool) -> Need {
        guard usesTickets, let users = engine.states.first(where: { $0.resource == .users }) else {
            return .none
        }
        if users.phase == .syncing { return .trying }
        return users.phase == .error && users.failure?.kind == .credentials ? .waiting : .none
    }

    /// Runs until the task is cancelled. Only wakes up by itself while a ticket is missing. Syncs while paused, too: somebody
    /// did what the state asked for.
    func run() async {
        let name = getenv("KRB5CCNAME").map { String(cString: $0) } ?? ""
        let cache = name.isEmpty ? .usual(of: getuid()) : TicketCache(name)
        guard let path = cache.path else { return }
        let seen = Mutex(Self.stamps(at: path))
        await needs.following { need in
            switch need {
            case .none: break
            case .trying: seen.withLock { $0 = Self.stamps(at: path) }
            case .waiting:
                while (try? await sleep(Self.pause)) != nil {
                    let stamps = Self.stamps(at: path)
                    let isNew = seen.withLock { seen in
                        defer { seen = stamps }
                        return seen != stamps
                    }
                    guard isNew else { continue }
                    logger.info("There may be a new Kerberos ticket", metadata: ["place": "\(path)"])
                    _ = try? await engine.sync([.users], isNew: true)
                }
            }
        }
    }

    /// Differs between versions of the file, or of the files in the folder; empty if there is nothing.
    private static func stamps(at path: String) -> Set<String> {
        let paths = [path] + names(in: path).filter { $0 != ".." }.prefix(100).map { "\(path)/\($0)" }
        return Set(paths.compactMap(Secret.version(ofFile:)))
    }
}
