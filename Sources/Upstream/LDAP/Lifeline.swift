import Glibc
import Synchronization

/// The socket that a thread may be blocked on, for others to cut.
final class Lifeline: Sendable {
    private struct State {
        var descriptor: CInt?
        var isCut = false
    }

    private let state = Mutex(State())

    /// The descriptor must be released before it is closed: its number may be another's then.
    func hold(_ descriptor: CInt) {
        state.withLock { state in
            state.descriptor = descriptor
            if state.isCut { shutdown(descriptor, CInt(SHUT_RDWR)) }
        }
    }

    func release() { state.withLock { $0.descriptor = nil } }

    /// Reads and writes of the socket, those under way included, end at once.
    func cut() {
        state.withLock { state in
            state.isCut = true
            if let descriptor = state.descriptor { shutdown(descriptor, CInt(SHUT_RDWR)) }
        }
    }

    var isCut: Bool { state.withLock { $0.isCut } }
}

/// A caller that waits for work on another thread. It is answered once: by the work, or at once where it is cancelled.
final class Turn<Value: Sendable>: Sendable {
    private enum State {
        case new, answered
        case waiting(CheckedContinuation<Value, any Error>)
    }

    let lifeline = Lifeline()
    private let state = Mutex(State.new)

    func wait(_ continuation: CheckedContinuation<Value, any Error>) {
        let isCancelled = state.withLock { state in
            guard case .new = state else { return true }
            state = .waiting(continuation)
            return false
        }
        if isCancelled { continuation.resume(throwing: CancellationError()) }
    }

    func answer(_ result: Result<Value, any Error>) {
        let continuation = state.withLock { state -> CheckedContinuation<Value, any Error>? in
            defer { state = .answered }
            guard case .waiting(let continuation) = state else { return nil }
            return continuation
        }
        continuation?.resume(with: result)
    }

    func cancel() {
        answer(.failure(CancellationError()))
        lifeline.cut()
    }
}
