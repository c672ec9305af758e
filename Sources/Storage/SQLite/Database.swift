import CSQLite
import Dispatch
import Synchronization

/// A connection on its own executor, so that blocking SQLite calls block no other task.
///
/// Runs one piece of work at a time, in order if the executor keeps order. A caller on that executor changes no
/// thread.
package final class Database: Sendable {
    private let executor: any TaskExecutor
    private let interruption = Interruption()
    private let connection: Mutex<Connection?>

    /// - Parameter executor: where SQLite calls block; nil for a new queue.
    package init(
        path: String, access: Connection.Access, busyTimeout: Duration = .seconds(5),
        executor: (any TaskExecutor)? = nil
    ) async throws {
        self.executor = executor ?? BlockingQueue(label: "sqlite")
        connection = Mutex(nil)
        // Opening may block.
        try await onExecutor { [interruption] connection in
            let opened = try Connection(path: path, access: access, busyTimeout: busyTimeout)
            opened.heed(interruption)
            connection = opened
        }
    }

    /// Uses a new queue.
    package init(_ connection: sending Connection) {
        executor = BlockingQueue(label: "sqlite")
        connection.heed(interruption)
        self.connection = Mutex(connection)
    }

    package func run<T: Sendable>(_ body: @Sendable (Connection) throws -> T) async throws -> T {
        try await onExecutor { connection in
            guard let connection else {
                throw SQLiteError(code: SQLITE_MISUSE, message: "the database is closed")
            }
            return try body(connection)
        }
    }

    /// Interrupts a long statement, which is rolled back; later long statements fail, too.
    package func interrupt() { interruption.want() }

    package func close() async {
        await onExecutor { connection in
            connection?.close()
            connection = nil
        }
    }

    private func onExecutor<T: Sendable, Failure>(
        _ body: @Sendable (inout Connection?) throws(Failure) -> T
    ) async throws(Failure) -> T {
        try await withTaskExecutorPreference(executor) { () throws(Failure) in
            try connection.withLock { connection throws(Failure) in try body(&connection) }
        }
    }
}

/// An executor for blocking calls.
package final class BlockingQueue: TaskExecutor {
    private let queue: DispatchQueue

    /// - Parameter isConcurrent: false: one thread, jobs keep their order. True: a thread for each job.
    package init(label: String, isConcurrent: Bool = false) {
        queue = DispatchQueue(label: label, attributes: isConcurrent ? .concurrent : [])
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
