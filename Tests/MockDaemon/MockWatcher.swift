import Dispatch
import Model
import Synchronization
import UserdAPI
import Varlink

/// States not yet delivered.
final class MockWatcher: Sendable {
    private let resources: [Resource]
    private let wantsProgress: Bool
    private let waiting = Mutex<(states: [State], isInterrupted: Bool)>(([], false))
    /// Counts undelivered states.
    private let signal = DispatchSemaphore(value: 0)

    init(_ parameters: Watch) {
        let named = parameters.resources ?? []
        resources = named.isEmpty ? Resource.allCases : named
        wantsProgress = parameters.progress ?? false
    }

    func tell(_ state: State) {
        guard resources.contains(state.resource), state.progress == nil || wantsProgress else { return }
        waiting.withLock { $0.states.append(state) }
        signal.signal()
    }

    func interrupt() {
        waiting.withLock { $0.isInterrupted = true }
        signal.signal()
    }

    /// Blocks until there is a state.
    /// - Parameter limit: the longest wait; nil for no limit.
    /// - Returns: nil if none came in time.
    func next(atMost limit: Duration?) throws -> State? {
        let time = limit.map { DispatchTime.now() + $0 / .seconds(1) } ?? .distantFuture
        guard signal.wait(timeout: time) == .success else { return nil }
        return try waiting.withLock { waiting in
            guard !waiting.isInterrupted else { throw VarlinkClientError.interrupted }
            return waiting.states.removeFirst()
        }
    }
}
