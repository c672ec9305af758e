import Glibc
import Synchronization

/// Runs tasks on a thread of its own, where they may block. The thread lives as long as the program.
final class ThreadExecutor: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])
    private let condition = Semaphore()

    init() {
        var thread = pthread_t()
        let executor = Unmanaged.passRetained(self).toOpaque()
        pthread_create(
            &thread, nil,
            { executor in
                guard let executor else { return nil }
                Unmanaged<ThreadExecutor>.fromOpaque(executor).takeRetainedValue().work()
                return nil
            }, executor)
        pthread_detach(thread)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        condition.signal()
    }

    private func work() {
        // The thread that makes this one may block them, as those of the cooperative pool do.
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
        while true {
            condition.wait()
            let job = jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            job?.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}

/// sem_overview(7).
private final class Semaphore: @unchecked Sendable {
    // Its address is all that is kept here, and that does not change.
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init() { sem_init(semaphore, 0, 0) }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    func signal() { sem_post(semaphore) }

    func wait() {
        while sem_wait(semaphore) != 0, errno == EINTR {}
    }
}
