import Cache
import Glibc
import Logging
import Model
import Sync
import UserdAPI
import VarlinkServer

extension Daemon {
    /// Runs engine and socket, and keeps the service manager informed, until the task is cancelled, or the last
    /// client of a passed connection leaves.
    ///
    /// The engine ends as soon as the socket begins to: watches are cut off by then, and calls that wait for a
    /// sync, which would keep the socket open, are answered by the engine as it ends.
    func serveCalls(_ parts: Parts, on socket: ServedSocket) async throws {
        let (engine, pictures, announcements) = (parts.engine, parts.pictures, manager.announcements)
        let settings = current.loaded.settings
        // If the socket fails, neither upstream nor cache must have been touched.
        let (listening, listens) = AsyncStream.makeStream(of: Never.self)
        let running = Task {
            for await _ in listening {}
            // Fetches pictures that an earlier daemon did not.
            pictures.wake()
            // A replay ends with a pause, but its pictures are still fetched.
            async let fetching: Void = pictures.run(isPaused: {
                replay == nil ? engine.paused || current.asksNobody : settings.paused
            })
            async let informing: Void = inform(parts)
            await engine.run()
            await fetching
            await informing
        }
        do {
            try await withTaskCancellationHandler {
                try await socket.serve(
                    parts.server, logger, sleep: environment.sleep,
                    onListening: {
                        // The engine has its state from the cache since its init.
                        announcements.serves {
                            line(of: engine)
                                + (current.asksNobody ? "; \(Failure.notConnected.message)" : "")
                        }
                        listens.finish()
                    }, onEnding: { running.cancel() })
            } onCancel: {
                announcements.ends()
            }
        } catch {
            running.cancel()
            await running.value
            throw error
        }
        running.cancel()
        await running.value
    }

    private func inform(_ parts: Parts) async {
        // Not awaited at the end: a read from a slow disk may take long.
        let watching = Task { await watch(parts) }
        defer { watching.cancel() }
        for await _ in parts.engine.changes {
            manager.announcements.changed()
            parts.credentials.changed()
            markAttention(parts.engine.states)
        }
    }

    /// Does not ask the cache's writer: a commit of many rows may take long.
    private func watch(_ parts: Parts) async {
        await manager.watchdog?.run(
            asking: [
                { try await parts.server.answer() },
                { _ = try await parts.cache.reader.resources() },
                { _ = await parts.engine.waitingCount },
            ], sleep: environment.sleep,
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
