import Cache
import ServiceLifecycle

/// Ends userd when the cache file has been removed or replaced, because further writes would be lost. After a restart,
/// userd creates a new file and syncs anew.
struct CacheWatch: Service, CustomStringConvertible {
    let writer: CacheWriter
    /// Has a value when the writer has seen it.
    let gone: AsyncStream<Void>
    let sleep: @Sendable (Duration) async throws -> Void
    let description = "cache"

    /// Also checks this often, in case nothing is written.
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
            for await _ in gone {
                // The file may be back.
                do { try await writer.refuseGone() } catch { return error }
            }
            return nil
        }
        if let reason { throw ExitError(description: "\(reason)", code: 75) }
    }
}
