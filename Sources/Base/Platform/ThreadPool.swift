import Dispatch
import Glibc
import Synchronization

/// Runs tasks on threads of its own, where they may block. An idle thread ends after a while, which frees its
/// memory.
package final class ThreadPool: TaskExecutor {
    private struct Contents {
        var waiting: [UnownedJob] = []
        /// Number of jobs that wait or run.
        var jobs = 0
        var threads = 0
    }

    private let name: String
    private let limit: Int
    private let rest: Duration
    private let contents = Mutex(Contents())
    /// Signalled for each job.
    private let arrivals = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - name: name of its threads, for debuggers; at most 15 bytes.
    ///   - limit: maximum number of threads. With one, jobs keep their order.
    ///   - rest: idle time after which a thread ends.
    package init(_ name: String, limit: Int, rest: Duration = .seconds(5)) {
        (self.name, self.limit, self.rest) = (name, limit, rest)
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let needsThread = contents.withLock { contents in
            contents.waiting.append(job)
            contents.jobs += 1
            guard contents.jobs > contents.threads, contents.threads < limit else { return false }
            contents.threads += 1
            return true
        }
        arrivals.signal()
        // Retries, because a lack of threads or memory is usually temporary.
        while needsThread, startThread(name, run) != 0 { usleep(10_000) }
    }

    private func run() {
        while true {
            if arrivals.wait(timeout: .now() + rest / .seconds(1)) == .success {
                let job = contents.withLock { $0.waiting.removeFirst() }
                job.runSynchronously(on: asUnownedTaskExecutor())
                contents.withLock { $0.jobs -= 1 }
            } else {
                let isOver = contents.withLock { contents in
                    // A job may have arrived meanwhile: this thread must run it.
                    if contents.waiting.isEmpty { contents.threads -= 1 }
                    return contents.waiting.isEmpty
                }
                if isOver { return }
            }
        }
    }
}
