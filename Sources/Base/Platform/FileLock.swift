import Glibc

/// A lock between processes: flock(2) on a file of its own. The kernel releases it when the process ends,
/// however that happens. Also excludes other holders in the same process.
package final class FileLock: Sendable {
    private let descriptor: Int32

    private init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Nil if the lock is held. Does not block. Creates the file if it is missing.
    package static func take(_ path: String) throws(FileWriteError) -> FileLock? {
        let descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FileWriteError(path: path, code: errno) }
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            let code = errno
            if code == EINTR { continue }
            close(descriptor)
            if code == EWOULDBLOCK { return nil }
            throw FileWriteError(path: path, code: code)
        }
        return FileLock(descriptor)
    }

    deinit { close(descriptor) }
}
