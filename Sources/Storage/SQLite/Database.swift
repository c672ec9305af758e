import CSQLite
import Dispatch
import Synchronization

/// A connection on an executor of its own, so that what blocks in SQLite blocks no other task.
///
/// Work is done one piece after the other; on an executor that keeps the order of its jobs, in the order in which it was
/// asked for. Who asks on that very executor changes no thread.
package final class Database: Sendable {
    private let executor: any TaskExecutor
    private let interruption = Interruption()
    private let connection: Mutex<Connection?>

    /// - Parameter executor: where SQLite may block; nil for a queue of its own.
    package init(
        path: String, access: Connection.Access, busyTimeout: Duration = .seconds(5),
        executor: (any TaskExecutor)? = nil
    ) async throws {
        self.executor = executor ?? BlockingQueue(label: "sqlite")
        connection = Mutex(nil)
        // Opening may block too.
        try await onExecutor { [interruption] connection in
            let opened = try Connection(path: path, access: access, busyTimeout: busyTimeout)
            opened.heed(interruption)
            connection = opened
        }
    }

    /// With a queue of its own.
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

    /// Ends what runs and takes long, as if it had not begun; nothing that takes long succeeds afterwards.
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

/// A queue for what blocks.
package final class BlockingQueue: TaskExecutor {
    private let queue: DispatchQueue

    /// - Parameter isConcurrent: as many threads as there are jobs; else one, and the jobs keep their order.
    package init(label: String, isConcurrent: Bool = false) {
        queue = DispatchQueue(label: label, attributes: isConcurrent ? .concurrent : [])
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// Connections for reading: each read goes to one that is idle, or waits for the first to become so. One that was cancelled
/// while it waited throws `CancellationError`.
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

    /// - Parameter first: before all that waits.
    package func run<T: Sendable>(
        first: Bool = false, _ body: @Sendable (Connection) throws -> T
    ) async throws -> T {
        let database = await take(first: first)
        defer { put(database) }
        // It may have waited for longer than anybody did for what it reads.
        try Task.checkCancellation()
        return try await database.run(body)
    }

    /// How many reads wait for a connection.
    package var waitingCount: Int { contents.withLock { $0.waiting.count } }

    package func close() async {
        for database in databases { database.interrupt() }
        for database in databases { await database.close() }
    }

    private func take(first: Bool) async -> Database {
        if let database = contents.withLock({ $0.idle.popLast() }) { return database }
        return await withCheckedContinuation { continuation in
            // One may have become idle meanwhile.
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
