import Synchronization

/// A timer that a test fires.
package final class ManualTimer: Sendable {
    private let waiting = Mutex<[@Sendable () -> Void]>([])

    package init() {}

    package var count: Int { waiting.withLock(\.count) }

    @Sendable package func after(_ duration: Duration, _ body: @escaping @Sendable () -> Void) {
        waiting.withLock { $0.append(body) }
    }

    /// Fires all current waits, but not those that begin meanwhile.
    package func pass() {
        let bodies = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        for body in bodies { body() }
    }
}
