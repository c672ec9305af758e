import Glibc

/// Held by the one daemon that may use a cache, for as long as it lives: a lock on `<cache>.lock`, which the kernel
/// takes back however the daemon ends.
package final class CacheLock: Sendable {
    private let descriptor: Int32
    private let path: String

    package init(path: String) throws {
        self.path = path
        try CacheFile.prepare(path)
        let lock = path + ".lock"
        descriptor = open(lock, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw CacheError.unusable(
                path: lock, reason: "can't be opened: \(String(cString: strerror(errno)))",
                advice: "see that the directory may be written")
        }
        // What has got its descriptor is closed by its deinit, thrown out of here or not.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw CacheError.unusable(
                path: path, reason: "another userd uses this cache",
                advice: "stop that one, or give this one a cache of its own with --database")
        }
    }

    /// Removes the cache: nobody else has it for as long as the lock is held.
    package func removeCache() throws {
        // The file itself last: a log that was left without it would go into the next.
        for name in [path + "-wal", path + "-shm", path + "-journal", path] {
            guard unlink(name) == 0 || errno == ENOENT else {
                throw CacheError.unusable(
                    path: name, reason: "can't be removed: \(String(cString: strerror(errno)))",
                    advice: "see that the directory may be written, or name another file with --database")
            }
        }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }
}
