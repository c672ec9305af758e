import Dispatch
import Glibc
import Synchronization

/// Runs tasks on one thread, where they may block: Swift's pool has only one thread per processor. A command without
/// other threads does not start the pool at all.
package final class ThreadExecutor: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])
    /// Signalled for each job, and at the end.
    private let arrivals = DispatchSemaphore(value: 0)

    private init() {}

    /// Runs a task on the calling thread, and waits for its end.
    package static func runHere(_ body: @escaping @Sendable () async -> Void) {
        let executor = ThreadExecutor()
        let isOver = Mutex(false)
        Task(executorPreference: executor) {
            await body()
            isOver.withLock { $0 = true }
            executor.arrivals.signal()
        }
        while !isOver.withLock({ $0 }) { executor.runNext() }
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        arrivals.signal()
    }

    private func runNext() {
        arrivals.wait()
        let job = jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        job?.runSynchronously(on: asUnownedTaskExecutor())
    }
}
