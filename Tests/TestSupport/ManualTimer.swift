import Synchronization

/// Time that passes when the test says so.
package final class ManualTimer: Sendable {
    private let waiting = Mutex<[@Sendable () -> Void]>([])

    package init() {}

    package var count: Int { waiting.withLock(\.count) }

    @Sendable package func after(_ duration: Duration, _ body: @escaping @Sendable () -> Void) {
        waiting.withLock { $0.append(body) }
    }

    /// Calls all that wait for a time to pass, and not those that begin to meanwhile.
    package func pass() {
        let bodies = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        for body in bodies { body() }
    }
}
