/// Returns once it is so, however long that takes. For what tells no one when it changes: it looks every few milliseconds.
package func wait(
    isolation: isolated (any Actor)? = #isolation, until isSo: () async throws -> Bool
) async throws {
    while try await !isSo() { try await Task.sleep(for: .milliseconds(5)) }
}
