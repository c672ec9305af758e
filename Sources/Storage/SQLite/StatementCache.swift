import CSQLite

/// Prepared statements that are not in use; evicts the least recently used.
struct StatementCache {
    private static let capacity = 64

    private var idle: [(sql: String, statement: OpaquePointer)] = []

    /// Removes the statement while it is in use: a second use of the same SQL prepares another.
    mutating func take(_ sql: String) -> OpaquePointer? {
        guard let index = idle.lastIndex(where: { $0.sql == sql }) else { return nil }
        return idle.remove(at: index).statement
    }

    mutating func put(_ statement: OpaquePointer, _ sql: String) {
        if idle.count == Self.capacity { _ = sqlite3_finalize(idle.removeFirst().statement) }
        idle.append((sql, statement))
    }

    mutating func removeAll() {
        for (_, statement) in idle { _ = sqlite3_finalize(statement) }
        idle = []
    }
}
