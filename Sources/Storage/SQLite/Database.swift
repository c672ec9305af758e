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

/// A pool of read connections. A read waits for an idle one; it throws `CancellationError` if it is cancelled
/// meanwhile.
package final class ReaderPool: Sendable {
    private struct Contents {
        var idle: [Database]
        var waiting: [CheckedContinuation<Database, Never>] = []
    }

    private let databases: [Database]
    private let contents: Mutex<Contents>

    package init(_ databases: [Database]) {
        self.databases = databases
        contents = Mutex(Contents(idle: databases))
    }

    /// - Parameter first: goes ahead of all waiting reads.
    package func run<T: Sendable>(
        first: Bool = false, _ body: @Sendable (Connection) throws -> T
    ) async throws -> T {
        let database = await take(first: first)
        defer { put(database) }
        // The wait may have outlasted the caller.
        try Task.checkCancellation()
        return try await database.run(body)
    }

    /// Number of reads waiting for a connection.
    package var waitingCount: Int { contents.withLock { $0.waiting.count } }

    package func close() async {
        for database in databases { database.interrupt() }
        for database in databases { await database.close() }
    }

    private func take(first: Bool) async -> Database {
        if let database = contents.withLock({ $0.idle.popLast() }) { return database }
        return await withCheckedContinuation { continuation in
            // A connection may have become idle meanwhile.
            let database = contents.withLock { contents -> Database? in
                if let database = contents.idle.popLast() { return database }
                contents.waiting.insert(continuation, at: first ? 0 : contents.waiting.count)
                return nil
            }
            if let database { continuation.resume(returning: database) }
        }
    }

    private func put(_ database: Database) {
        let next = contents.withLock { contents -> CheckedContinuation<Database, Never>? in
            guard contents.waiting.isEmpty else { return contents.waiting.removeFirst() }
            contents.idle.append(database)
            return nil
        }
        next?.resume(returning: database)
    }
}
