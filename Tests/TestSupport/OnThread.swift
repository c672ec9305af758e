import Foundation

/// Runs what blocks on a thread of its own: on the cooperative pool it would keep the code from running that it waits for.
package func onThread<Result: Sendable>(
    _ body: @escaping @Sendable () throws -> Result
) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        Thread { continuation.resume(with: Swift.Result { try body() }) }.start()
    }
}
