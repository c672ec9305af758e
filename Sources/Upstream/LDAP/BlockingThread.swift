import Dispatch
import Model
import Synchronization

/// A connection that blocks, on a thread of its own, which does one piece of work after the other.
///
/// A caller that is cancelled is answered at once. Its work ends soon after: what it waits for on a socket is cut. Only the
/// lookup of a name goes on by itself; the next work waits for it.
final class BlockingThread: Sendable {
    /// What is kept from one piece of work to the next.
    struct Held {
        var connection: LDAPConnection?
        var list: ListProgress?

        mutating func drop() {
            connection = nil
            list = nil
        }
    }

    private let queue = DispatchQueue(label: "ldap")
    private let held = Mutex(Held())
    private let works = Atomic(0)
    private let busy = Atomic(false)
    /// A connection that nobody used for so long is closed.
    private static let idle = DispatchTimeInterval.seconds(60)

    var isBusy: Bool { busy.load(ordering: .relaxed) }

    /// - Parameter late: the failure where the work takes longer than the limit.
    func run<Value: Sendable>(
        within limit: Duration, late: @escaping @Sendable () -> UpstreamError,
        _ work: @escaping @Sendable (inout Held, Lifeline) throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await self.run(work) }
            group.addTask {
                try await Task.sleep(for: limit)
                return nil
            }
            guard let first = try await group.next(), let value = first else { throw late() }
            return value
        }
    }

    private func run<Value: Sendable>(
        _ work: @escaping @Sendable (inout Held, Lifeline) throws -> Value
    ) async throws -> Value {
        let turn = Turn<Value>()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                turn.wait(continuation)
                queue.async { self.perform(work, turn) }
            }
        } onCancel: {
            turn.cancel()
        }
    }

    private func perform<Value: Sendable>(
        _ work: @Sendable (inout Held, Lifeline) throws -> Value, _ turn: Turn<Value>
    ) {
        guard !turn.lifeline.isCut else { return }
        busy.store(true, ordering: .relaxed)
        defer { busy.store(false, ordering: .relaxed) }
        let result = held.withLock { held in
            held.connection?.hold(turn.lifeline)
            defer { turn.lifeline.release() }
            let result = Result { try work(&held, turn.lifeline) }
            // What was cut is of no use to the next.
            if turn.lifeline.isCut { held.drop() }
            return result
        }
        turn.answer(result)
        let number = works.add(1, ordering: .relaxed).newValue
        queue.asyncAfter(deadline: .now() + Self.idle) { [weak self] in
            guard let self, works.load(ordering: .relaxed) == number else { return }
            held.withLock { $0.drop() }
        }
    }
}
