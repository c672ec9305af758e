/// Returns once the condition is true, however long that takes. Polls every few milliseconds, for conditions
/// without a notification.
package func wait(
    isolation: isolated (any Actor)? = #isolation, until isSo: () async throws -> Bool
) async throws {
    while try await !isSo() { try await Task.sleep(for: .milliseconds(5)) }
}
