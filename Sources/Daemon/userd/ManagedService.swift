import Cache
import Glibc
import Logging
import Model
import ServiceLifecycle
import SyncEngine
import SystemdNotify
import UnixSignals
import VarlinkServer

/// Who started userd, and what it asks of this process. Its signals, of which none is lost from here on.
struct Manager {
    let announcements: Announcements
    let watchdog: Watchdog?
    let hangups: UnixSignalsSequence

    init(_ environment: [String: String], _ logger: Logger) async {
        let manager: ServiceManager?
        do {
            manager = try ServiceManager.taken(from: environment)
        } catch {
            logger.warning("The service manager is told nothing", metadata: ["reason": "\(error)"])
            manager = nil
        }
        announcements = Announcements(manager)
        watchdog = Watchdog.taken(from: environment)
        hangups = await UnixSignalsSequence(trapping: .sighup)
    }
}

/// Keeps the service manager informed while userd serves. The first to hear of the end.
struct ManagedService: Service {
    let manager: Manager
    let engine: SyncEngine
    let server: VarlinkServer
    let reader: CacheReader
    let sleep: @Sendable (Duration) async throws -> Void
    let logger: Logger
    let answering: AsyncStream<Never>

    func run() async throws {
        await withGracefulShutdownHandler {
            await cancelWhenGracefulShutdown {
                for await _ in answering {}
                // Nobody waits for its end: the read that it may be waiting for can be as long as a disk is slow.
                let watching = Task { await watch() }
                defer { watching.cancel() }
                for await _ in engine.changes { manager.announcements.changed() }
            }
        } onGracefulShutdown: {
            manager.announcements.ends()
        }
    }

    /// The writer is not asked: a commit of many rows takes as long as it takes, and no reader waits for it.
    private func watch() async {
        await manager.watchdog?.run(
            asking: [
                { try await server.answer() },
                { _ = try await reader.resources() },
                { _ = await engine.waitingCount },
            ], sleep: sleep,
            failed: {
                logger.error(
                    "The watchdog is not petted", metadata: ["reason": "\($0)"])
            }, pet: { manager.announcements.isAlive() })
    }
}

// The group logs a service with all that is in it unless it has a name.
extension ManagedService: CustomStringConvertible {
    var description: String { "service manager" }
}

/// Where the resources of an engine stand, in one line, local time.
func line(of engine: SyncEngine) -> String {
    statusLine(of: engine.states, paused: engine.paused, now: engine.now) { time in
        // Without it, localtime_r(3) keeps to the zone of its first call.
        tzset()
        var (seconds, local) = (time_t(time.milliseconds / 1000), tm())
        localtime_r(&seconds, &local)
        return local.tm_gmtoff
    }
}
