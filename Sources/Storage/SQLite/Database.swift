import CSQLite
import Platform
import Synchronization

/// A connection on its own executor, so that blocking SQLite calls block no other task.
///
/// Runs one piece of work at a time, in order if the executor keeps order. A call from that executor stays on
/// its thread.
package final class Database: Sendable {
    private struct OpenConnection {
        var connection: Connection?
        var isClosed = false
    }

    private let executor: any TaskExecutor
    private let interruption = Interruption()
    private let damaged: @Sendable (SQLiteError) -> Void
    private let examine: (@Sendable () async throws -> String?)?
    private let isOutdated: (@Sendable () async -> Bool)?
    private let reopens: Bool
    private let open: @Sendable () throws -> sending Connection
    private let held = Mutex(OpenConnection())

    /// Opens a connection with the first work, and another one after `drop`, a failure to open, or a failed
    /// write or sync.
    /// - Parameters:
    ///   - executor: where SQLite calls block; nil for a thread of its own.
    ///   - damaged: called when any work finds damage, with what was found.
    ///   - examine: returns the first damage in the file while other work goes on; nil to use this
    ///     connection.
    ///   - isOutdated: called before each work; if true, a new connection is opened for it.
    ///   - reopens: false for a database that ends with its connection.
    package init(
        executor: (any TaskExecutor)? = nil, damaged: @escaping @Sendable (SQLiteError) -> Void = { _ in },
        examine: (@Sendable () async throws -> String?)? = nil,
        isOutdated: (@Sendable () async -> Bool)? = nil, reopens: Bool = true,
        opening open: @escaping @Sendable () throws -> sending Connection
    ) {
        self.executor = executor ?? ThreadPool("sqlite", limit: 1)
        self.damaged = damaged
        self.examine = examine
        self.isOutdated = isOutdated
        self.reopens = reopens
        self.open = open
    }

    /// Runs the body again if a file without locks has changed meanwhile.
    ///
    /// A wrong value means damage only if an examination of the file finds some; otherwise the caller's
    /// statement is wrong. An examination takes about a second for 150 MiB.
    package func run<T: Sendable>(_ body: @Sendable (Connection) throws -> T) async throws -> T {
        if await isOutdated?() == true { await drop() }
        do {
            return try await attempt(body)
        } catch let error as SQLiteError where error.isWrongValue {
            let finding =
                if let examine { try? await examine() } else { try? await attempt { try $0.damage() } }
            guard let finding else { throw error }
            let damage = SQLiteError.damage(finding)
            damaged(damage)
            throw damage
        }
    }

    private func attempt<T: Sendable>(_ body: @Sendable (Connection) throws -> T) async throws -> T {
        try await onExecutor { held in
            for _ in 0..<3 {
                let connection = try opened(&held)
                let result = Result { try body(connection) }
                guard connection.isUnchanged?() == false else {
                    if let fault = connection.fault ?? Self.fault(in: result) { heed(fault, &held) }
                    return try result.get()
                }
                drop(&held)
            }
            throw SQLiteError(code: SQLITE_BUSY, message: "another process writes to the file")
        }
    }

    private func opened(_ held: inout OpenConnection) throws -> Connection {
        guard !held.isClosed else {
            throw SQLiteError(code: SQLITE_MISUSE, message: "the database is closed")
        }
        if let connection = held.connection { return connection }
        do {
            let connection = try open()
            connection.heed(interruption)
            held.connection = connection
            return connection
        } catch let error as SQLiteError where error.isDamage {
            damaged(error)
            throw error
        }
    }

    private func heed(_ fault: SQLiteError, _ held: inout OpenConnection) {
        if fault.isDamage { damaged(fault) } else { drop(&held) }
    }

    private func drop(_ held: inout OpenConnection) {
        guard reopens else { return }
        held.connection?.close()
        held.connection = nil
    }

    private static func fault<T>(in result: Result<T, any Error>) -> SQLiteError? {
        guard case .failure(let error as SQLiteError) = result else { return nil }
        // A connection that SQLite opened read-only remains so, even if the file becomes writable.
        return error.isDamage || error.isLostWrite || error.isReadOnly ? error : nil
    }

    /// Interrupts a long statement, which is rolled back; later long statements fail, too.
    package func interrupt() { interruption.want() }

    /// Interrupts after a time, unless the connection is closed by then.
    package func interrupt(after limit: Duration) { interruption.want(after: limit) }

    /// Closes the connection; the next work opens another.
    package func drop() async { await onExecutor { drop(&$0) } }

    package func close() async {
        await onExecutor { held in
            held.connection?.close()
            held = OpenConnection(isClosed: true)
        }
    }

    private func onExecutor<T: Sendable, Failure>(
        _ body: @Sendable (inout OpenConnection) throws(Failure) -> T
    ) async throws(Failure) -> T {
        try await withTaskExecutorPreference(executor) { () throws(Failure) in
            try held.withLock { held throws(Failure) in try body(&held) }
        }
    }
}
