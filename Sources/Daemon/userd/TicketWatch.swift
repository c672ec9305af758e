import Glibc
import Logging
import Model
import Platform
import SyncEngine

/// Syncs users within seconds of `kinit`, if they wait for a Kerberos ticket in a file or a folder. Tickets elsewhere are
/// found at the next regular attempt.
struct TicketWatch: Sendable {
    let engine: SyncEngine
    /// Whether tickets are used, at the start and after each reload.
    let uses: AsyncStream<Bool>
    let sleep: @Sendable (Duration) async throws -> Void
    let logger: Logger

    /// The kernel can't watch a folder that is missing until the first `kinit`, nor say when a ticket is whole.
    private static let pause = Duration.seconds(2)

    /// Runs until the task is cancelled. Without tickets it never wakes up. Syncs while paused, too: somebody did what the
    /// state asked for.
    func run() async {
        let name = getenv("KRB5CCNAME").map { String(cString: $0) } ?? ""
        let cache = name.isEmpty ? .usual(of: getuid()) : TicketCache(name)
        guard let path = cache.path else { return }
        await uses.following { isUsed in
            if isUsed { await watch(path) }
        }
    }

    private func watch(_ path: String) async {
        var seen = Self.stamps(at: path)
        while (try? await sleep(Self.pause)) != nil {
            let stamps = Self.stamps(at: path)
            let users = engine.states.first { $0.resource == .users }
            // A sync that is running may have missed the ticket: its end decides.
            guard stamps != seen, users?.phase != .syncing else { continue }
            seen = stamps
            guard users?.phase == .error, users?.failure?.kind == .credentials else { continue }
            logger.info("There may be a new Kerberos ticket", metadata: ["place": "\(path)"])
            _ = try? await engine.sync([.users])
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
