import Glibc
import Synchronization

/// The lock of the one daemon that writes a cache: flock(2) on `<cache>.lock`, which the kernel releases when the
/// process ends.
package final class CacheLock: Sendable {
    private let descriptor = Mutex<Int32>(-1)
    let path: String

    /// Takes the lock. If its file can't be made for lack of space or permission, an existing cache is only
    /// read.
    package init(path: String) throws {
        self.path = path
        try CacheFile.prepare(path)
        do {
            try take()
        } catch let error as Failure {
            guard [EROFS, EACCES, ENOSPC, EDQUOT].contains(error.code), CacheFile.exists(path) else {
                throw error.unusable
            }
        }
    }

    /// Takes the lock, unless it is held already. Call before writing to the cache.
    package func require() throws {
        do { try take() } catch let error as Failure { throw error.unusable }
    }

    private struct Failure: Error {
        var path: String
        var code: Int32

        var unusable: CacheError {
            .unusable(
                path: path, reason: "can't be opened: \(String(cString: strerror(code)))",
                advice: "check the permissions of the directory")
        }
    }

    private func take() throws {
        try descriptor.withLock { descriptor in
            guard descriptor < 0 else { return }
            let lock = path + ".lock"
            let opened = open(lock, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
            guard opened >= 0 else { throw Failure(path: lock, code: errno) }
            guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
                close(opened)
                throw CacheError.unusable(
                    path: path, reason: "another userd uses this cache",
                    advice: "stop the other userd, or name another cache for this one with --database")
            }
            descriptor = opened
        }
    }

    /// Removes the cache file and SQLite's files next to it.
    package func removeCache() throws {
        try require()
        // The database goes last: a remaining log would be applied to the next database.
        for name in [path + "-wal", path + "-shm", path + "-journal", path] {
            guard unlink(name) == 0 || errno == ENOENT else {
                throw CacheError.unusable(
                    path: name, reason: "can't be removed: \(String(cString: strerror(errno)))",
                    advice: "check the permissions of the directory, or name another file with --database")
            }
        }
    }

    deinit {
        let descriptor = descriptor.withLock { $0 }
        if descriptor >= 0 { close(descriptor) }
    }
}
