import Cache
import Model
import Sync
import Synchronization

/// Watches the daemons of a simulation one after the other without a gap, and checks their transitions.
final class Observer: Sendable {
    struct Contents {
        var seen: [State] = []
        /// The first violation found.
        var violation: String?
        /// Number of the watched daemon.
        var daemon = 0
    }

    let contents = Mutex(Contents())
    private let onState: @Sendable (State) -> Void

    private let afterError: (@Sendable () async throws -> Void)?

    /// - Parameter afterError: waits before a failed watch is started again; nil if no watch may fail.
    init(
        afterError: (@Sendable () async throws -> Void)? = nil, onState: @escaping @Sendable (State) -> Void
    ) {
        self.afterError = afterError
        self.onState = onState
    }

    var lastIndex: Int { contents.withLock { $0.seen.count } }

    func fail(_ message: String) { contents.withLock { $0.violation = $0.violation ?? message } }

    /// Stops watching the previous daemon. Returns the number of the next.
    func next() -> Int {
        contents.withLock {
            $0.daemon += 1
            return $0.daemon
        }
    }

    func watch(_ engine: SyncEngine, number: Int) async {
        do {
            let watcher = try await engine.watch(
                from: .after(index: lastIndex, epoch: "epoch"), resources: Set(Resource.allCases),
                progress: false)
            while let state = try await watcher.next() {
                guard contents.withLock({ $0.daemon }) == number else { return }
                take(state)
            }
        } catch is CancellationError {
            // The daemon has ended.
        } catch {
            guard contents.withLock({ $0.daemon }) == number else { return }
            guard let afterError else { return fail("the watch ended: \(error)") }
            try? await afterError()
            await watch(engine, number: number)
        }
    }

    private func take(_ state: State) {
        onState(state)
        contents.withLock { contents in
            func fail(_ message: String) {
                contents.violation = contents.violation ?? "#\(state.index): \(message)"
            }
            if state.index != contents.seen.count + 1 { fail("came after #\(contents.seen.count)") }
            let before = contents.seen.last { $0.resource == state.resource }?.phase ?? .initial
            if (before == .syncing) == (state.phase == .syncing) { fail("\(before) led to \(state.phase)") }
            switch state.phase {
            case .loaded where state.count == 0: fail("loaded without rows")
            case .empty where state.count > 0 && state.cause.isCommitted: fail("empty with rows")
            case .error where state.failure == nil: fail("an error without a failure")
            default: break
            }
            contents.seen.append(state)
        }
    }
}
