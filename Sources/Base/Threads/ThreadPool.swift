import Glibc
import Synchronization

/// Runs tasks on threads of its own, where they may block. A thread ends when it has had nothing to do for a while, so that
/// nothing wakes up in a program at rest.
package final class ThreadPool: TaskExecutor {
    fileprivate struct Contents {
        var waiting: [UnownedJob] = []
        /// Jobs that wait or run.
        var jobs = 0
        var threads = 0
    }

    private let name: String
    private let limit: Int
    private let niceness: Int32
    private let isDefault: Bool
    private let rest: Duration
    private let contents = Mutex(Contents())
    /// Signalled for each job.
    private let arrivals = Semaphore()

    /// - Parameters:
    ///   - name: of its threads, for debuggers; at most 15 bytes.
    ///   - limit: of threads. With one, jobs keep their order.
    ///   - niceness: of its threads (nice(2)).
    ///   - isDefault: for tasks that prefer no executor.
    ///   - rest: after which a thread ends.
    package init(
        _ name: String, limit: Int, niceness: Int32 = 0, isDefault: Bool = false,
        rest: Duration = .seconds(5)
    ) {
        (self.name, self.limit, self.niceness) = (name, limit, niceness)
        (self.isDefault, self.rest) = (isDefault, rest)
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
        // Too many threads or too little memory is expected to pass.
        while needsThread, startThread(name, run) != 0 { usleep(10_000) }
    }

    private func run() {
        if niceness != 0 { setpriority(Int32(PRIO_PROCESS.rawValue), 0, niceness) }
        while true {
            if arrivals.wait(atMost: rest) {
                let job = contents.withLock { $0.waiting.removeFirst() }
                if isDefault {
                    job.runSynchronously(on: .none)
                } else {
                    job.runSynchronously(on: asUnownedTaskExecutor())
                }
                contents.withLock { $0.jobs -= 1 }
            } else if contents.withLock({ $0.endsThread() }) {
                return
            }
        }
    }
}

extension ThreadPool.Contents {
    /// False if a job has come meanwhile, which counts on this thread.
    fileprivate mutating func endsThread() -> Bool {
        guard waiting.isEmpty else { return false }
        threads -= 1
        return true
    }
}

extension UnownedSerialExecutor {
    /// Of tasks that are neither an actor's nor prefer an executor. Run as if they preferred one, they would change threads
    /// once more. Swift has no public name for it.
    fileprivate static let none = unsafeBitCast((0, 0), to: UnownedSerialExecutor.self)
}
