import Glibc
import Platform
import Synchronization

/// The lock of the one daemon that writes a cache: a `FileLock` on `<cache>.lock`.
package final class CacheLock: Sendable {
    private let lock = Mutex<FileLock?>(nil)
    private let calls: FileLock.Calls
    let path: String

    /// Takes the lock. If its file can't be made for lack of space or permission, an existing cache is only
    /// read.
    /// - Parameter isNamed: whether a person has named the path, which may be another program's file.
    package init(
        path: String, isNamed: Bool = false, calls: FileLock.Calls = FileLock.Calls()
    ) throws {
        (self.path, self.calls) = (path, calls)
        if isNamed { try CacheFile.refuseForeign(path) }
        try CacheFile.prepare(path)
        do {
            try take()
        } catch let error as FileWriteError {
            guard [EROFS, EACCES, ENOSPC, EDQUOT].contains(error.code), CacheFile.exists(path) else {
                throw Self.unusable(error)
            }
        }
    }

    /// Takes the lock, unless it is held already. Call before writing to the cache.
    package func require() throws {
        do { try take() } catch let error as FileWriteError { throw Self.unusable(error) }
    }

    private static func unusable(_ error: FileWriteError) -> CacheError {
        let reason = String(cString: strerror(error.code))
        guard let call = error.call else {
            return .unusable(
                path: error.path, reason: "can't be opened: \(reason)",
                advice: "check the permissions of the directory")
        }
        return .unusable(
            path: error.path, reason: "the file system refuses \(call): \(reason)",
            advice: "name a file on a local disk with --database")
    }

    private func take() throws {
        try lock.withLock { lock in
            guard lock == nil else { return }
            let file = path + ".lock"
            // SQLite uses record locks.
            lock = try FileLock.take(file, needsRecordLocks: true, calls: calls)
            guard lock == nil else { return }
            let holder = FileLock.holder(of: file).map { " (process \($0))" } ?? ""
            throw CacheError.unusable(
                path: path, reason: "another userd uses this cache",
                advice: "stop the other userd\(holder), or name another cache for this one with --database")
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
}
