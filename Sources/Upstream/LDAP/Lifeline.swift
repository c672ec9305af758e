import Dispatch
import Glibc
import Model
import Synchronization

/// The socket that a thread may be blocked on, for others to cut.
final class Lifeline: Sendable {
    private struct State {
        var descriptor: CInt?
        var isCut = false
        /// Of the limits so far, the last.
        var limit = 0
        /// The last limit has passed, and its work is under way.
        var isLate = false
    }

    private let state = Mutex(State())

    /// The descriptor must be released before it is closed: its number may be another's then.
    func hold(_ descriptor: CInt) {
        state.withLock { state in
            state.descriptor = descriptor
            if state.isCut || state.isLate { shutdown(descriptor, CInt(SHUT_RDWR)) }
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

    var isCut: Bool { state.withLock { $0.isCut || $0.isLate } }

    /// Cuts the socket where the work takes longer than the limit: libldap waits for some answers without one.
    func limit<Value>(
        _ limit: Duration, late: @autoclosure () -> UpstreamError, _ work: () throws -> Value
    ) throws -> Value {
        let number = state.withLock { state in
            state.limit += 1
            return state.limit
        }
        let timer = DispatchSource.makeTimerSource()
        timer.schedule(deadline: .now() + .milliseconds(Int(limit.milliseconds)))
        timer.setEventHandler { [weak self] in self?.end(number) }
        timer.resume()
        defer { timer.cancel() }
        let result = Result { try work() }
        let isLate = state.withLock { state in
            defer { (state.limit, state.isLate) = (number + 1, false) }
            return state.isLate
        }
        if isLate { throw late() }
        return try result.get()
    }

    private func end(_ number: Int) {
        state.withLock { state in
            guard state.limit == number else { return }
            state.isLate = true
            if let descriptor = state.descriptor { shutdown(descriptor, CInt(SHUT_RDWR)) }
        }
    }
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
