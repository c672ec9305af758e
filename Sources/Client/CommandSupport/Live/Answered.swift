import Synchronization
import UserdAPI
import Varlink

/// Makes a call without a time limit; throws `.timedOut` if userd stops answering other calls meanwhile.
package func answered<Output: Sendable>(
    by userd: UserdClient, after: @escaping @Sendable (Duration, @escaping @Sendable () -> Void) -> Void,
    _ call: @escaping @Sendable () throws -> Output
) async throws -> Output {
    try await withCheckedThrowingContinuation { continuation in
        let answer = Answer(continuation)
        detachThread { answer.end(Result { try call() }) }
        answer.watch(userd, after: after)
    }
}

/// Resumes the caller once: with the answer, or when userd stops answering.
private final class Answer<Output: Sendable>: Sendable {
    /// Nil once resumed.
    private let waiting: Mutex<CheckedContinuation<Output, any Error>?>

    init(_ waiting: CheckedContinuation<Output, any Error>) { self.waiting = Mutex(waiting) }

    func end(_ result: Result<Output, any Error>) {
        waiting.withLock { waiting in
            waiting?.resume(with: result)
            waiting = nil
        }
    }

    func watch(
        _ userd: UserdClient, after: @escaping @Sendable (Duration, @escaping @Sendable () -> Void) -> Void
    ) {
        after(.seconds(5)) {
            guard self.waiting.withLock({ $0 != nil }) else { return }
            // The call itself throws any other error.
            if userd.answers == false {
                self.end(.failure(VarlinkClientError.timedOut))
            } else {
                self.watch(userd, after: after)
            }
        }
    }
}
