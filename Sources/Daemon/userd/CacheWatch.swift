import Cache
import ServiceLifecycle

/// Ends the serving when the cache file can't be used any more. Throws `CacheLoss` if userd can go on in this process, or
/// `ExitError` if the file has been removed or replaced: what is there now is not for userd to touch.
struct CacheWatch: Service, CustomStringConvertible {
    let writer: CacheWriter
    let losses: AsyncStream<CacheLoss>
    let announcements: Announcements
    let sleep: @Sendable (Duration) async throws -> Void
    let description = "cache"

    /// Also looks for the files this often, in case nothing is written.
    private static let interval = Duration.seconds(15)

    func run() async throws {
        let looking = Task {
            while !Task.isCancelled {
                try await sleep(Self.interval)
                try? await writer.refuseGone()
            }
        }
        defer { looking.cancel() }
        let reason: (any Error)? = await cancelWhenGracefulShutdown {
            for await loss in losses {
                guard loss == .gone else {
                    announcements.opensCacheAgain()
                    return loss
                }
                // The file may be back.
                do {
                    try await writer.refuseGone()
                } catch {
                    return ExitError(description: "\(error)", code: 75)
                }
            }
            return nil
        }
        if let reason { throw reason }
    }
}
