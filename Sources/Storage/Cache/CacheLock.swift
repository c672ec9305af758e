import Glibc

/// The lock of the one daemon that uses a cache: flock(2) on `<cache>.lock`, which the kernel releases when the
/// process ends.
package final class CacheLock: Sendable {
    private let descriptor: Int32
    let path: String

    package init(path: String) throws {
        self.path = path
        try CacheFile.prepare(path)
        let lock = path + ".lock"
        descriptor = open(lock, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw CacheError.unusable(
                path: lock, reason: "can't be opened: \(String(cString: strerror(errno)))",
                advice: "check the permissions of the directory")
        }
        // On failure, deinit closes the descriptor.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw CacheError.unusable(
                path: path, reason: "another userd uses this cache",
                advice: "stop the other userd, or name another cache for this one with --database")
        }
    }

    /// Removes the cache file and SQLite's files beside it.
    package func removeCache() throws {
        // The database last: a remaining log would be applied to the next database.
        for name in [path + "-wal", path + "-shm", path + "-journal", path] {
            guard unlink(name) == 0 || errno == ENOENT else {
                throw CacheError.unusable(
                    path: name, reason: "can't be removed: \(String(cString: strerror(errno)))",
                    advice: "check the permissions of the directory, or name another file with --database")
            }
        }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }
}
