import Cache
import Logging
import Sync

/// Makes a lost cache usable, so that userd can serve again.
struct CacheRecovery {
    let lock: CacheLock
    let environment: EngineEnvironment
    let logger: Logger
    private(set) var times: [Duration] = []
    /// A damaged cache whose users are not yet in the new one.
    private(set) var setAside: String?

    /// More recoveries would hide a broken disk, and download everything each time.
    private static let (maximum, period) = (5, Duration.seconds(600))

    /// Call with the cache closed. Rethrows errors that are not about the cache.
    mutating func recover(from error: any Error) throws {
        switch error {
        case CacheLoss.logRemoved:
            try count()
            logger.error("The cache's log was removed; opening the cache again")
        case CacheLoss.damaged(let found), CacheError.damaged(let found):
            try count()
            // Damage that comes back is not of the indexes alone.
            if times.count == 1, (try? lock.rebuildIndexes()) != nil {
                logger.error(
                    "An index of the cache was damaged; it was rebuilt from the rows",
                    metadata: ["found": "\(found)"])
                return
            }
            let path = try lock.setAside(at: environment.now())
            setAside = path
            logger.error(
                "The cache is damaged; setting it aside and fetching everything again",
                metadata: ["found": "\(found)", "set_aside": "\(path)"])
        default: throw error
        }
    }

    /// Copies what can be read of the cache that was set aside. A failure is only logged: the next sync fetches
    /// everything.
    mutating func restore(into cache: CacheWriter) async {
        guard let path = setAside else { return }
        setAside = nil
        do {
            let users = try await cache.restoreUsers(path, environment.now())
            logger.notice(
                "The new cache has the readable users of the damaged one",
                metadata: ["result": "restored \(users.restored) of \(users.total) users"])
        } catch {
            logger.warning("No users restored from the damaged cache", metadata: ["reason": "\(error)"])
        }
    }

    private mutating func count() throws {
        let now = environment.monotonic()
        times = times.filter { now - $0 < Self.period } + [now]
        guard times.count <= Self.maximum else {
            throw ExitError(
                description: "the cache was damaged \(times.count) times within ten minutes: "
                    + "check the disk and the memory of this machine, then start userd again")
        }
    }
}
