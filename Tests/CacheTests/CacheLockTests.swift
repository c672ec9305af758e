import Cache
import Glibc
import Platform
import TestSupport
import Testing

@Suite("The lock of a cache")
struct CacheLockTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test(
        "A file system without locks is named with the call that it refuses, and is not another userd",
        arguments: [true, false], [ENOLCK, EOPNOTSUPP, ENOSYS, EINVAL])
    func withoutLocks(refusesFileLocks: Bool, code: Int32) throws {
        var calls = FileLock.Calls()
        let refuse: @Sendable (Int32) -> Int32 = { _ in
            errno = code
            return -1
        }
        if refusesFileLocks { calls.lockFile = refuse } else { calls.lockRecord = refuse }
        let path = directory.file("c.db")
        let error = #expect(throws: CacheError.self) { try CacheLock(path: path, calls: calls) }
        let call = refusesFileLocks ? "flock(2)" : "fcntl(2) locks"
        #expect(
            "\(try #require(error))" == """
                \(path).lock: the file system refuses \(call): \(String(cString: strerror(code))); \
                name a file on a local disk with --database
                """)
        // Nothing is left locked.
        _ = try CacheLock(path: path)
    }

    @Test(
        "A record lock that is in the way of a file lock, as on NFS, refuses nothing",
        arguments: [EAGAIN, EACCES])
    func emulatedLocks(code: Int32) throws {
        var calls = FileLock.Calls()
        calls.lockRecord = { _ in
            errno = code
            return -1
        }
        _ = try CacheLock(path: directory.file("c.db"), calls: calls)
    }
}
