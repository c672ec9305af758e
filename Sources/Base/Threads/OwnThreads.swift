#if compiler(>=6.3) && !compiler(>=6.4)
    // What Swift has for it so far: the next version is to have the same without @_spi.
    @_spi(ExperimentalCustomExecutors) @_spi(ExperimentalScheduling) import _Concurrency
    import Glibc

    /// Has the program's tasks run on threads of its own. Call before the first task.
    ///
    /// Otherwise they run on threads that libdispatch shares out: once it has one, it looks every second how they are.
    package func runTasksOnOwnThreads() { _createExecutors(factory: OwnThreads.self) }

    private enum OwnThreads: ExecutorFactory {
        static let mainExecutor = PlatformExecutorFactory.mainExecutor
        static let defaultExecutor: any TaskExecutor = TaskThreads()
    }

    private final class TaskThreads: TaskExecutor, SchedulingExecutor {
        private let usual: ThreadPool
        /// Nobody waits for tasks of low priority, so they keep no other waiting.
        private let background: ThreadPool

        init() {
            let processors = sysconf(Int32(_SC_NPROCESSORS_ONLN))
            usual = ThreadPool("tasks", limit: processors, isDefault: true)
            background = ThreadPool("background", limit: processors, niceness: 2, isDefault: true)
        }

        func enqueue(_ job: consuming ExecutorJob) {
            let isUsual = job.priority.rawValue >= TaskPriority.medium.rawValue
            (isUsual ? usual : background).enqueue(job)
        }

        func enqueue<C: Clock>(
            _ job: consuming ExecutorJob, at instant: C.Instant, tolerance: C.Duration?, clock: C
        ) {
            let job = UnownedJob(job)
            // The clocks that ask for this all count in it.
            let delay = clock.now.duration(to: instant) as? Duration ?? .zero
            Timers.shared.after(delay) { self.enqueue(job) }
        }
    }
#else
    /// Other versions of Swift run tasks on libdispatch's threads.
    package func runTasksOnOwnThreads() {}
#endif
