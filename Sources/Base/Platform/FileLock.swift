import Glibc

/// A lock between processes: flock(2) on a file of its own, which has the holder's process id. The kernel
/// releases it when the process ends, however that happens. Also excludes other holders in the same process.
package final class FileLock: Sendable {
    /// The calls that a file system may refuse.
    package struct Calls: Sendable {
        package var lockFile: @Sendable (Int32) -> Int32 = { flock($0, LOCK_EX | LOCK_NB) }
        package var lockRecord: @Sendable (Int32) -> Int32 = { descriptor in
            var lock = flock()
            lock.l_type = Int16(F_WRLCK)
            return fcntl(descriptor, F_SETLK, &lock)
        }

        package init() {}
    }

    private let descriptor: Int32

    private init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Nil if the lock is held. Does not block. Creates the file if it is missing.
    /// - Parameter needsRecordLocks: also requires that the file system has those of fcntl(2).
    package static func take(
        _ path: String, needsRecordLocks: Bool = false, calls: Calls = Calls()
    ) throws(FileWriteError) -> FileLock? {
        let descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FileWriteError(path: path, code: errno) }
        let lock = FileLock(descriptor)
        while calls.lockFile(descriptor) != 0 {
            let code = errno
            if code == EINTR { continue }
            if code == EWOULDBLOCK { return nil }
            throw FileWriteError(path: path, code: code, call: "flock(2)")
        }
        if needsRecordLocks {
            // EAGAIN and EACCES: NFS makes a record lock of flock(2), which may be in the way.
            guard calls.lockRecord(descriptor) == 0 || [EAGAIN, EACCES, EINTR].contains(errno) else {
                throw FileWriteError(path: path, code: errno, call: "fcntl(2) locks")
            }
        }
        // For people: without room for it, the lock is no weaker.
        if ftruncate(descriptor, 0) == 0 {
            let holder = Array("\(getpid())\n".utf8)
            _ = pwrite(descriptor, holder, holder.count, 0)
        }
        return lock
    }

    /// The process that holds the lock, as far as its file says.
    package static func holder(of path: String) -> pid_t? {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = read(descriptor, &bytes, bytes.count)
        return pid_t(String(decoding: bytes.prefix(max(0, count)).prefix { $0 != 0x0A }, as: UTF8.self))
    }

    deinit { close(descriptor) }
}
