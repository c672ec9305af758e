import Cache
import ServiceLifecycle

/// Ends userd when its cache's file has been removed, or another put in its place: what it would still write is lost. Started
/// again, by a service manager for one, it makes a new file and syncs anew.
struct CacheWatch: Service, CustomStringConvertible {
    let writer: CacheWriter
    /// Has a value once that has been seen.
    let gone: AsyncStream<Void>
    let sleep: @Sendable (Duration) async throws -> Void
    let description = "cache"

    /// Where nothing is written, this often.
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
                // It may be back.
                do { try await writer.refuseGone() } catch { return error }
            }
            return nil
        }
        if let reason { throw EndError(description: "\(reason)", code: 75) }
    }
}
