import Glibc

/// Runs a task on the thread that asks for it, which waits for its end. What blocks there keeps nobody else from running,
/// and a command that needs no other thread starts none.
package final class MainThread: TaskExecutor {
    // Guarded by the mutex.
    private nonisolated(unsafe) var jobs: [UnownedJob] = []
    // Guarded by the mutex.
    private nonisolated(unsafe) var isOver = false
    // C's functions do with it what has to be done, from any thread.
    private nonisolated(unsafe) let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    // As the mutex.
    private nonisolated(unsafe) let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    private init() {
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(changed, nil)
    }

    package static func run(_ body: @escaping @Sendable () async -> Void) {
        let thread = MainThread()
        Task(executorPreference: thread) {
            await body()
            thread.change { thread.isOver = true }
        }
        while let job = thread.next() { job.runSynchronously(on: thread.asUnownedTaskExecutor()) }
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        change { jobs.append(job) }
    }

    deinit {
        pthread_cond_destroy(changed)
        pthread_mutex_destroy(mutex)
        changed.deallocate()
        mutex.deallocate()
    }

    private func change(_ body: () -> Void) {
        pthread_mutex_lock(mutex)
        body()
        pthread_cond_signal(changed)
        pthread_mutex_unlock(mutex)
    }

    private func next() -> UnownedJob? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while jobs.isEmpty, !isOver { pthread_cond_wait(changed, mutex) }
        return jobs.isEmpty ? nil : jobs.removeFirst()
    }
}
