import Dispatch
import Glibc
import Model
import Synchronization

/// A socket on which a thread may block, and which other threads can cut.
final class CancellableSocket: Sendable {
    private struct State {
        var descriptor: CInt?
        var isCut = false
        /// The number of the work that has a limit; nil if none has.
        var limited: Int?
        var count = 0
        /// Whether the limit has passed while its work was running.
        var isLate = false

        func shutDown() {
            if let descriptor { shutdown(descriptor, CInt(SHUT_RDWR)) }
        }
    }

    private let state = Mutex(State())

    /// The descriptor must be released before it is closed, because its number may then be reused.
    func hold(_ descriptor: CInt) {
        state.withLock { state in
            state.descriptor = descriptor
            if state.isCut || state.isLate { state.shutDown() }
        }
    }

    func release() { state.withLock { $0.descriptor = nil } }

    /// Ends all reads and writes of the socket at once, including running ones.
    func cut() {
        state.withLock { state in
            state.isCut = true
            state.shutDown()
        }
    }

    var isCut: Bool { state.withLock { $0.isCut || $0.isLate } }

    /// Cuts the socket if the work takes longer than the limit: libldap waits for some answers without one.
    func limit<Value>(
        _ limit: Duration, late: @autoclosure () -> any Error, _ work: () throws -> Value
    ) throws -> Value {
        let number = state.withLock { state in
            state.count += 1
            state.limited = state.count
            return state.count
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(Int(limit.milliseconds))) {
            [weak self] in
            self?.state.withLock { state in
                guard state.limited == number else { return }
                state.isLate = true
                state.shutDown()
            }
        }
        let result = Result { try work() }
        let isLate = state.withLock { state in
            defer { (state.limited, state.isLate) = (nil, false) }
            return state.isLate
        }
        if isLate { throw late() }
        return try result.get()
    }
}
