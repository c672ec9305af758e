/// The result of the work, or nil if it takes longer; the work is then cancelled.
package func within<Value: Sendable>(
    _ limit: Duration, _ sleep: @escaping @Sendable (Duration) async throws -> Void,
    _ work: @escaping @Sendable () async throws -> Value
) async throws -> Value? {
    try await withThrowingTaskGroup(of: Value?.self) { group in
        defer { group.cancelAll() }
        group.addTask { try await work() }
        group.addTask {
            try await sleep(limit)
            return nil
        }
        return try await group.next() ?? nil
    }
}
