import Model
import Sync
import Synchronization
import TestSupport
import UserdAPI
import Varlink

/// Records the states of a machine, an engine or a socket as they come.
package final class StateRecorder: AsyncSequence, Sendable {
    private let read: @Sendable () async throws -> State?
    private let recorded = Mutex(StateHistory())
    private let end: @Sendable () -> Void

    /// - Parameter read: waits for the next state; returns nil at the end.
    package init(
        read: @escaping @Sendable () async throws -> State?, end: @escaping @Sendable () -> Void = {}
    ) {
        self.read = read
        self.end = end
    }

    deinit { end() }

    /// All states so far.
    package var history: StateHistory { recorded.withLock { $0 } }

    package func next() async throws -> RecordedState? {
        guard let state = try await read() else { return nil }
        let next = RecordedState(state)
        recorded.withLock { $0.states.append(next) }
        return next
    }

    /// Records until the next state of this phase.
    /// - Returns: all states so far. Throws `Ended` if the phase does not come.
    @discardableResult
    package func states(upTo phase: Phase) async throws -> StateHistory {
        while let state = try await next() {
            if state.phase == phase { return history }
        }
        throw Ended(waitedFor: phase, history: history)
    }

    package func makeAsyncIterator() -> Iterator { Iterator(recorder: self) }

    package struct Iterator: AsyncIteratorProtocol {
        fileprivate let recorder: StateRecorder

        package func next() async throws -> RecordedState? { try await recorder.next() }
    }

    package struct Ended: Error, CustomStringConvertible {
        let waitedFor: Phase
        let history: StateHistory
        package var description: String { "it ended before it was \(waitedFor), after\n\(history)" }
    }
}

extension StateRecorder {
    /// Records a watch of an engine.
    package convenience init(_ engine: SyncEngine, _ resource: Resource) async throws {
        let watcher = try await engine.watch(from: .now, resources: [resource], progress: false)
        self.init(read: { try await watcher.next() })
    }

    /// Records the replies to `Watch` over the socket, beginning with the state when this returns.
    package convenience init(socket: String, _ resource: Resource) async throws {
        let replies = Channel<Result<State, any Error>>()
        let begun = Channel<Result<RawReplies<WatchedState>, any Error>>()
        Task {
            try await onThread {
                do {
                    let watching = try UserdClient.live(socket: socket, timeout: .seconds(20)).watch(
                        Watch(resources: [resource]))
                    var isBegun = false
                    try watching.forEach { reply in
                        replies.send(.success(try reply.decoded().state))
                        if !isBegun { begun.send(.success(watching)) }
                        isBegun = true
                        return .proceed
                    }
                } catch {
                    begun.send(.failure(error))
                    replies.send(.failure(error))
                }
            }
        }
        let watching = try await begun.receive().get()
        self.init(read: { try await replies.receive().get() }, end: watching.interrupt)
    }
}
