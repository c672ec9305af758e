import Synchronization

/// A pool of read connections. A read waits for an idle one; it throws `CancellationError` if it is cancelled
/// meanwhile.
package final class ReaderPool: Sendable {
    package enum Kind: Sendable {
        /// Goes ahead of all waiting reads.
        case first
        case short
        /// Never takes the last idle connection, so that short reads do not wait for long ones.
        case long
    }

    private struct Contents {
        var idle: [Database]
        var waiting: [(kind: Kind, continuation: CheckedContinuation<Database, Never>)] = []
        var longs = 0
        let maximumLongs: Int

        mutating func take(_ kind: Kind) -> Database? {
            guard isAllowed(kind), let database = idle.popLast() else { return nil }
            if kind == .long { longs += 1 }
            return database
        }

        func isAllowed(_ kind: Kind) -> Bool { kind != .long || longs < maximumLongs }

        /// Returns the waiting read that gets the connection.
        mutating func put(_ database: Database, _ kind: Kind) -> CheckedContinuation<Database, Never>? {
            if kind == .long { longs -= 1 }
            guard let next = waiting.firstIndex(where: { isAllowed($0.kind) }) else {
                idle.append(database)
                return nil
            }
            if waiting[next].kind == .long { longs += 1 }
            return waiting.remove(at: next).continuation
        }
    }

    private let databases: [Database]
    private let contents: Mutex<Contents>

    package init(_ databases: [Database]) {
        self.databases = databases
        contents = Mutex(Contents(idle: databases, maximumLongs: max(1, databases.count - 1)))
    }

    package func run<T: Sendable>(
        _ kind: Kind = .short, _ body: @Sendable (Connection) throws -> T
    ) async throws -> T {
        let database = await take(kind)
        defer { contents.withLock { $0.put(database, kind) }?.resume(returning: database) }
        // The caller may have been cancelled during the wait.
        try Task.checkCancellation()
        return try await database.run(body)
    }

    package var waitingCount: Int { contents.withLock { $0.waiting.count } }

    /// Closes the connections; the next reads open others.
    package func drop() async {
        for database in databases { await database.drop() }
    }

    package func close() async {
        for database in databases { database.interrupt() }
        for database in databases { await database.close() }
    }

    private func take(_ kind: Kind) async -> Database {
        if let database = contents.withLock({ $0.take(kind) }) { return database }
        return await withCheckedContinuation { continuation in
            // A connection may have become idle meanwhile.
            let database = contents.withLock { contents -> Database? in
                if let database = contents.take(kind) { return database }
                contents.waiting.insert((kind, continuation), at: kind == .first ? 0 : contents.waiting.count)
                return nil
            }
            if let database { continuation.resume(returning: database) }
        }
    }
}
