import Cache
import Logging
import Platform
import Sync

/// How often the cache's files are checked as well: the kernel does not report that a parent folder has moved or
/// that a network disk has changed.
private let interval = Duration.seconds(300)

extension Daemon {
    /// Waits until the cache file can't be used any more. Throws `CacheLoss` if userd can go on in this process, or
    /// `ExitError` if the file has been removed or replaced: userd does not touch another file.
    func watchCache(_ writer: CacheWriter, _ losses: AsyncStream<CacheLoss>) async throws {
        let path = current.loaded.settings.database
        let changes = changes(
            in: parent(of: path), ofNames: path.split(separator: "/").last.map(String.init) ?? "",
            failed: {
                logger.notice(
                    "Can't watch folders: a removed cache or socket is found within minutes, not at once",
                    metadata: [
                        "reason": "\($0)",
                        "advice": "raise fs.inotify.max_user_instances or max_user_watches",
                    ])
            })
        let telling = Task { for await _ in changes { try? await writer.refuseGone() } }
        let looking = Task {
            while !Task.isCancelled {
                try? await writer.refuseGone()
                try await environment.sleep(interval)
            }
        }
        defer {
            telling.cancel()
            looking.cancel()
        }
        for await loss in losses {
            guard loss == .gone else {
                manager.announcements.opensCacheAgain()
                throw loss
            }
            // The file may be back.
            do { try await writer.refuseGone() } catch {
                throw ExitError(description: "\(error)", code: 75)
            }
        }
    }
}
