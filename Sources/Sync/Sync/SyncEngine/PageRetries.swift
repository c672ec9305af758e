import Logging
import Model

/// Requests a failed page again within the sync, if it is not the first and the failure is retryable. An
/// upstream that allows 20,000 users in five minutes then still sends 100,000.
package struct PageRetries: Sendable {
    static let most = 3
    static let longestWait = Duration.seconds(300)
    /// Maximum sum of all waits in a sync.
    static let longestTogether = Duration.seconds(1800)

    package var schedule: Schedule
    package var environment: EngineEnvironment
    package var logger: Logger
    private(set) var waited = Duration.zero

    /// Does the work, and repeats it after a wait if it fails.
    /// - Returns: what came of the work, and the retries that are left.
    static func repeating<Value>(
        _ page: PageRequest, _ retries: PageRetries?, _ work: () async throws -> Value
    ) async throws -> (Value, PageRetries?) {
        var retries = retries
        var attempt = 1
        while true {
            do {
                return (try await work(), retries)
            } catch let error as UpstreamError {
                guard page.number > 1, let wait = retries?.wait(attempt, after: error) else { throw error }
                retries?.logger.warning(
                    "A page failed and will be requested again",
                    metadata: [
                        "page": "\(page.number)", "wait": "\(wait)", "failure": "\(error.failure.message)",
                    ])
                try await retries?.environment.sleep(wait)
                attempt += 1
            }
        }
    }

    /// Nil if the sync must fail.
    private mutating func wait(_ attempt: Int, after error: UpstreamError) -> Duration? {
        guard attempt <= Self.most, error.failure.retryable else { return nil }
        let wait = max(
            schedule.backoff(attempt: attempt, draw: environment.draw()), error.retryAfter ?? .zero)
        guard wait <= Self.longestWait, waited + wait <= Self.longestTogether else { return nil }
        waited += wait
        return wait
    }
}
