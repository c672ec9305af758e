import Cache
import Logging
import Model

/// Makes a lost cache usable, so that userd can serve again.
struct CacheRecovery {
    let lock: CacheLock
    let now: @Sendable () -> Timestamp
    let monotonic: @Sendable () -> Duration
    let logger: Logger
    private var times: [Duration] = []

    /// More recoveries would hide a broken disk, and download everything each time.
    private static let (maximum, period) = (5, Duration.seconds(600))

    init(
        lock: CacheLock, now: @escaping @Sendable () -> Timestamp,
        monotonic: @escaping @Sendable () -> Duration, logger: Logger
    ) {
        (self.lock, self.now, self.monotonic, self.logger) = (lock, now, monotonic, logger)
    }

    /// Call with the cache closed. Rethrows errors that are not about the cache.
    mutating func recover(from error: any Error) throws {
        switch error {
        case CacheLoss.logRemoved:
            try count()
            logger.error("The cache's log was removed; opening the cache again")
        case CacheLoss.damaged(let found), CacheError.damaged(let found):
            try count()
            let path = try lock.setAside(at: now())
            logger.error(
                "The cache is damaged; setting it aside and fetching everything again",
                metadata: ["found": "\(found)", "set_aside": "\(path)"])
        default: throw error
        }
    }

    private mutating func count() throws {
        times = times.filter { monotonic() - $0 < Self.period } + [monotonic()]
        guard times.count <= Self.maximum else {
            throw ExitError(
                description: "the cache was damaged \(times.count) times within ten minutes: "
                    + "check the disk and the memory of this machine, then start userd again")
        }
    }
}
