import Glibc

/// A POSIX semaphore (sem_overview(7)).
package final class Semaphore: @unchecked Sendable {
    // Sendable: the pointer does not change, and sem_t is thread-safe.
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    package init() { sem_init(semaphore, 0, 0) }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    package func signal() { sem_post(semaphore) }

    package func wait() {
        while sem_wait(semaphore) != 0, errno == EINTR {}
    }

    /// Returns whether it was signalled in time, by the wall clock.
    package func wait(atMost limit: Duration) -> Bool {
        var end = timespec()
        clock_gettime(CLOCK_REALTIME, &end)
        end = timespec(.seconds(end.tv_sec) + .nanoseconds(end.tv_nsec) + limit)
        while sem_timedwait(semaphore, &end) != 0 {
            if errno != EINTR { return false }
        }
        return true
    }
}

extension timespec {
    init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        self.init(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
    }
}
