import CSQLite
import Dispatch
import Synchronization

/// A connection on its own executor, so that blocking SQLite calls block no other task.
///
/// Runs one piece of work at a time, in order if the executor keeps order. A caller on that executor changes no
/// thread.
package final class Database: Sendable {
    private struct Held {
        var connection: Connection?
        /// Nil once the database is closed.
        var open: (@Sendable () throws -> Connection)?
    }

    private let executor: any TaskExecutor
    private let interruption = Interruption()
    private let damaged: @Sendable (SQLiteError) -> Void
    private let held: Mutex<Held>

    /// - Parameters:
    ///   - executor: where SQLite calls block; nil for a new queue.
    ///   - damaged: called when any work finds damage, with what was found.
    ///   - reopening: opens the file again after the system has failed to write or sync it; nil if that is not wanted.
    package init(
        path: String, access: Connection.Access, busyTimeout: Duration = .seconds(5),
        executor: (any TaskExecutor)? = nil, damaged: @escaping @Sendable (SQLiteError) -> Void = { _ in },
        reopening: (@Sendable () throws -> Connection)? = nil
    ) async throws {
        self.executor = executor ?? BlockingQueue(label: "sqlite")
        self.damaged = damaged
        held = Mutex(Held(open: reopening))
        // Opening may block.
        try await onExecutor { [interruption] held in
            let opened = try Connection(path: path, access: access, busyTimeout: busyTimeout)
            opened.heed(interruption)
            held.connection = opened
        }
    }

    /// Uses a new queue.
    package init(_ connection: sending Connection) {
        executor = BlockingQueue(label: "sqlite")
        connection.heed(interruption)
        damaged = { _ in }
        held = Mutex(Held(connection: connection))
    }

    package func run<T: Sendable>(_ body: @Sendable (Connection) throws -> T) async throws -> T {
        try await onExecutor { held in
            let connection = try held.connection ?? reopened(&held)
            let result = Result { try Self.explainingWrongValues(connection) { try body(connection) } }
            if let fault = connection.fault ?? Self.fault(in: result) { heed(fault, &held) }
            return try result.get()
        }
    }

    /// A wrong value is damage if the file's examination, which takes about a second for 150 MiB, finds any: otherwise it is
    /// the caller's.
    private static func explainingWrongValues<T>(
        _ connection: Connection, _ body: () throws -> T
    ) throws -> T {
        do {
            return try body()
        } catch let error as SQLiteError where error.isWrongValue {
            guard let finding = try? connection.damage() else { throw error }
            throw SQLiteError.damage(finding)
        }
    }

    private func heed(_ fault: SQLiteError, _ held: inout Held) {
        if fault.isDamage {
            damaged(fault)
        } else if held.open != nil {
            held.connection?.close()
            held.connection = nil
        }
    }

    private func reopened(_ held: inout Held) throws -> Connection {
        guard let connection = try held.open?() else {
            throw SQLiteError(code: SQLITE_MISUSE, message: "the database is closed")
        }
        connection.heed(interruption)
        held.connection = connection
        return connection
    }

    private static func fault<T>(in result: Result<T, any Error>) -> SQLiteError? {
        guard case .failure(let error as SQLiteError) = result else { return nil }
        return error.isDamage || error.isLostWrite ? error : nil
    }

    /// Interrupts a long statement, which is rolled back; later long statements fail, too.
    package func interrupt() { interruption.want() }

    package func close() async {
        await onExecutor { held in
            held.connection?.close()
            held = Held()
        }
    }

    private func onExecutor<T: Sendable, Failure>(
        _ body: @Sendable (inout Held) throws(Failure) -> T
    ) async throws(Failure) -> T {
        try await withTaskExecutorPreference(executor) { () throws(Failure) in
            try held.withLock { held throws(Failure) in try body(&held) }
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
