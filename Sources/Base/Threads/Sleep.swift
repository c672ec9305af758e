import Synchronization

/// Like `Task.sleep`, but leaves no timer behind when the task is cancelled.
package func sleep(for time: Duration) async throws {
    let sleeper = Sleeper()
    try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { sleeper.begin(time, $0) }
    } onCancel: {
        sleeper.end(.failure(CancellationError()))
    }
}

private final class Sleeper: Sendable {
    private enum State {
        /// Exits: waiting, over.
        case new
        /// Exits: over.
        case waiting(CheckedContinuation<Void, any Error>, timer: Int)
        case over
    }

    private let state = Mutex(State.new)

    func begin(_ time: Duration, _ continuation: CheckedContinuation<Void, any Error>) {
        let isCancelled = state.withLock { state in
            guard case .new = state else { return true }
            state = .waiting(continuation, timer: Timers.shared.after(time) { self.end(.success(())) })
            return false
        }
        if isCancelled { continuation.resume(throwing: CancellationError()) }
    }

    func end(_ result: Result<Void, any Error>) {
        let ended = state.withLock { state in
            defer { state = .over }
            return state
        }
        guard case .waiting(let continuation, let timer) = ended else { return }
        Timers.shared.cancel(timer)
        continuation.resume(with: result)
    }
}
