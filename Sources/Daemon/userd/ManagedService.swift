import Cache
import Glibc
import Logging
import Model
import ServiceLifecycle
import SyncEngine
import SystemdNotify
import UnixSignals
import VarlinkServer

/// The service manager that started userd. From here on, no SIGHUP is lost.
struct Manager {
    let announcements: Announcements
    let watchdog: Watchdog?
    let terminal: StartTerminal
    var hangups: UnixSignalsSequence

    init(_ environment: [String: String], _ terminal: StartTerminal, _ logger: Logger) async {
        self.terminal = terminal
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

/// Keeps the service manager informed while userd serves.
struct ManagedService: Service, CustomStringConvertible {
    let manager: Manager
    let engine: SyncEngine
    let server: VarlinkServer
    let reader: CacheReader
    let sleep: @Sendable (Duration) async throws -> Void
    let logger: Logger
    let answering: AsyncStream<Never>
    let description = "service manager"

    func run() async throws {
        await withGracefulShutdownHandler {
            await cancelWhenGracefulShutdown {
                for await _ in answering {}
                // The end does not wait for it: a read from a slow disk may take long.
                let watching = Task { await watch() }
                defer { watching.cancel() }
                for await _ in engine.changes { manager.announcements.changed() }
            }
        } onGracefulShutdown: {
            manager.announcements.ends()
        }
    }

    /// Does not ask the writer: a commit of many rows may take long.
    private func watch() async {
        await manager.watchdog?.run(
            asking: [
                { try await server.answer() },
                { _ = try await reader.resources() },
                { _ = await engine.waitingCount },
            ], sleep: sleep,
            failed: {
                logger.error(
                    "Watchdog ping skipped: a component did not answer", metadata: ["reason": "\($0)"])
            }, ping: { manager.announcements.isAlive() })
    }
}

/// The states of an engine's resources in one line, in local time.
func line(of engine: SyncEngine) -> String {
    statusLine(of: engine.states, paused: engine.paused, now: engine.now) { time in
        // Without it, localtime_r(3) keeps the time zone of its first call.
        tzset()
        var (seconds, local) = (time_t(time.milliseconds / 1000), tm())
        localtime_r(&seconds, &local)
        return local.tm_gmtoff
    }
}
