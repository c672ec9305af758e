import Glibc
import Logging
import Model
import Platform
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

    private struct Stamp: Hashable {
        var name: String
        var inode: UInt
        var size: Int
        var seconds: Int
        var nanoseconds: Int
    }

    /// Of the file, or of all files in the folder; empty if there is nothing.
    private static func stamps(at path: String) -> Set<Stamp> {
        guard let own = stamp(at: path) else { return [] }
        guard let folder = opendir(path) else { return [own] }
        defer { closedir(folder) }
        var stamps: Set<Stamp> = []
        while let entry = readdir(folder), stamps.count < 100 {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if let stamp = stamp(at: "\(path)/\(name)") { stamps.insert(stamp) }
        }
        return stamps
    }

    private static func stamp(at path: String) -> Stamp? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return Stamp(
            name: path, inode: status.st_ino, size: Int(status.st_size), seconds: status.st_mtim.tv_sec,
            nanoseconds: status.st_mtim.tv_nsec)
    }
}
