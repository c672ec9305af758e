import Glibc

/// Held by the one daemon that may use a cache, for as long as it lives: a lock on `<cache>.lock`, which the kernel
/// takes back however the daemon ends.
package final class CacheLock: Sendable {
    private let descriptor: Int32

    package init(path: String) throws {
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

    deinit { if descriptor >= 0 { close(descriptor) } }
}
