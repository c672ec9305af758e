import Dispatch
import Glibc
import Model
import Synchronization

/// The socket that a thread may be blocked on, for others to cut.
final class CancellableSocket: Sendable {
    private struct State {
        var descriptor: CInt?
        var isCut = false
        /// The work that has a limit, by number; nil without one.
        var limited: Int?
        var count = 0
        /// The limit has passed, and its work is under way.
        var isLate = false

        func shutDown() {
            if let descriptor { shutdown(descriptor, CInt(SHUT_RDWR)) }
        }
    }

    private let state = Mutex(State())

    /// The descriptor must be released before it is closed: its number may be another's then.
    func hold(_ descriptor: CInt) {
        state.withLock { state in
            state.descriptor = descriptor
            if state.isCut || state.isLate { state.shutDown() }
        }
    }

    func release() { state.withLock { $0.descriptor = nil } }

    /// Reads and writes of the socket, those under way included, end at once.
    func cut() {
        state.withLock { state in
            state.isCut = true
            state.shutDown()
        }
    }

    var isCut: Bool { state.withLock { $0.isCut || $0.isLate } }

    /// Cuts the socket where the work takes longer than the limit: libldap waits for some answers without one.
    func limit<Value>(
        _ limit: Duration, late: @autoclosure () -> UpstreamError, _ work: () throws -> Value
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
