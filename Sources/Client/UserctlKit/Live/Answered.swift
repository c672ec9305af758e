import Synchronization
import UserdAPI
import Varlink

/// The answer to a call that takes as long as it takes, for as long as userd answers at once what takes no time; throws
/// `.timedOut` where it does so no longer.
func answered<Output: Sendable>(
    by userd: UserdClient, after: @escaping @Sendable (Duration, @escaping @Sendable () -> Void) -> Void,
    _ call: @escaping @Sendable () throws -> Output
) async throws -> Output {
    try await withCheckedThrowingContinuation { continuation in
        let answer = Answer(continuation)
        detachThread { answer.end(Result { try call() }) }
        answer.watch(userd, after: after)
    }
}

/// Whatever comes first: the answer, or the end of the hope for it.
private final class Answer<Output: Sendable>: Sendable {
    /// Nil once it is there.
    private let waiting: Mutex<CheckedContinuation<Output, any Error>?>

    private static var pause: Duration { .seconds(5) }

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
        after(Self.pause) {
            guard self.waiting.withLock({ $0 != nil }) else { return }
            // All other ways not to answer are the call's own to tell.
            if userd.answers == false {
                self.end(.failure(VarlinkClientError.timedOut))
            } else {
                self.watch(userd, after: after)
            }
        }
    }
}
