import Cache
import Glibc
import Logging
import Model
import Sync
import UserdAPI
import VarlinkServer

/// Runs engine and socket, and keeps the service manager informed.
///
/// The engine ends as soon as the socket begins to: watches are cut off by then, and calls that wait for a
/// sync, which would keep the socket open, are answered by the engine as it ends.
struct Serving: Sendable {
    let engine: SyncEngine
    let pictures: PictureFetcher
    let arePicturesPaused: @Sendable () -> Bool
    let asksNobody: @Sendable () -> Bool
    let reader: CacheReader
    let server: VarlinkServer
    let socket: ServedSocket
    let manager: ServiceManagerLink
    /// Called after changes of states.
    let changed: @Sendable () -> Void
    let sleep: @Sendable (Duration) async throws -> Void
    let logger: Logger

    /// Runs until the task is cancelled, or the last client of a passed connection leaves.
    func run() async throws {
        // If the socket fails, neither upstream nor cache must have been touched.
        let (listening, listens) = AsyncStream.makeStream(of: Never.self)
        let running = Task {
            for await _ in listening {}
            // Fetches pictures that an earlier daemon did not.
            pictures.wake()
            async let fetching: Void = pictures.run(isPaused: arePicturesPaused)
            async let informing: Void = inform()
            await engine.run()
            await fetching
            await informing
        }
        do {
            try await withTaskCancellationHandler {
                try await socket.serve(
                    server, logger, sleep: sleep,
                    onListening: {
                        // The engine has its state from the cache since its init.
                        manager.announcements.serves {
                            line(of: engine) + (asksNobody() ? "; \(Failure.notConnected.message)" : "")
                        }
                        listens.finish()
                    }, onEnding: { running.cancel() })
            } onCancel: {
                manager.announcements.ends()
            }
        } catch {
            running.cancel()
            await running.value
            throw error
        }
        running.cancel()
        await running.value
    }

    private func inform() async {
        // Not awaited at the end: a read from a slow disk may take long.
        let watching = Task { await watch() }
        defer { watching.cancel() }
        for await _ in engine.changes {
            manager.announcements.changed()
            changed()
        }
    }

    /// Does not ask the cache's writer: a commit of many rows may take long.
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
