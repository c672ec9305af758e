import CSQLite
import Dispatch

/// A connection on an executor of its own, so that what blocks in SQLite blocks no other task.
/// Jobs run one after the other, in the order in which they were enqueued.
package actor Database {
    private let executor: any SerialExecutor
    private nonisolated let interruption = Interruption()
    private var connection: Connection?

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// - Parameter executor: where SQLite may block; nil for a queue of its own.
    package init(
        path: String, access: Connection.Access, busyTimeout: Duration = .seconds(5),
        executor: (any SerialExecutor)? = nil
    ) async throws {
        self.executor = executor ?? QueueExecutor(label: "sqlite")
        // With that the actor is whole, and the rest runs on its executor: opening may block too.
        connection = try Connection(path: path, access: access, busyTimeout: busyTimeout)
        connection?.heed(interruption)
    }

    /// With a queue of its own.
    package init(_ connection: sending Connection) {
        executor = QueueExecutor(label: "sqlite")
        connection.heed(interruption)
        self.connection = connection
    }

    package func run<T: Sendable>(_ body: @Sendable (Connection) throws -> T) throws -> T {
        guard let connection else {
            throw SQLiteError(code: SQLITE_MISUSE, message: "the database is closed")
        }
        return try body(connection)
    }

    /// Ends what runs and takes long, as if it had not begun; nothing that takes long succeeds afterwards.
    package nonisolated func interrupt() { interruption.want() }

    package func close() {
        connection?.close()
        connection = nil
    }
}

private final class QueueExecutor: SerialExecutor {
    private let queue: DispatchQueue

    init(label: String) { queue = DispatchQueue(label: label) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}

/// Connections for reading: each read goes to one that is idle, or waits for the first to become so. One that was cancelled
/// while it waited throws `CancellationError`.
package actor ReaderPool {
    private let databases: [Database]
    private var idle: [Database]
    private var waiting: [CheckedContinuation<Database, Never>] = []

    package init(_ databases: [Database]) {
        self.databases = databases
        idle = databases
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

    package func close() async {
        for database in databases { database.interrupt() }
        for database in databases { await database.close() }
    }

    private func take(first: Bool) async -> Database {
        if let database = idle.popLast() { return database }
        return await withCheckedContinuation { waiting.insert($0, at: first ? 0 : waiting.count) }
    }

    private func put(_ database: Database) {
        if waiting.isEmpty {
            idle.append(database)
        } else {
            waiting.removeFirst().resume(returning: database)
        }
    }
}
