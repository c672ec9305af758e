import Model
import Sync
import Synchronization
import TestSupport

/// The pure machine, with just enough around it to give its transitions an index and rows.
package final class MachineStage: Stage {
    fileprivate struct World {
        var machine = Machine()
        var upstream = Scenario.Upstream.hangs
        var state = State(
            epoch: "machine", index: 0, resource: .users, phase: .initial, since: Timestamp(milliseconds: 0),
            cause: .created, count: 0, stale: true)
    }

    private let world = Mutex(World())
    package let recorder: StateRecorder
    private let states = Channel<State>()

    package init() {
        recorder = StateRecorder(read: { [states] in try await states.receive() })
        states.send(world.withLock { $0.state })
    }

    package func upstream(_ upstream: Scenario.Upstream) { world.withLock { $0.upstream = upstream } }

    package func sync() { handle(.wanted(.requested)) }
    package func retry() { handle(.wanted(.retried)) }
    package func cancel() { handle(.cancelled) }

    private func handle(_ event: Machine.Event) {
        var next: Machine.Event?
        let transitions = world.withLock { world in
            let actions = world.machine.handle(event)
            for case .startSync(let generation) in actions {
                next = world.upstream.event(generation, world.state.count)
            }
            return actions.compactMap { world.transition(by: $0, after: event) }
        }
        for transition in transitions { states.send(transition) }
        if let next { handle(next) }
    }
}

extension MachineStage.World {
    fileprivate mutating func transition(by action: Machine.Action, after event: Machine.Event) -> State? {
        guard case .record(let transition) = action else { return nil }
        if case .committed(_, let rows, _) = event { state.count = rows }
        state.index += 1
        (state.phase, state.cause, state.failure) = (transition.phase, transition.cause, transition.failure)
        return state
    }
}

extension Scenario.Upstream {
    /// The event that ends a started sync; nil while it runs.
    fileprivate func event(_ generation: Int, _ cached: Int) -> Machine.Event? {
        switch self {
        case .people:
            .committed(
                generation: generation, rows: Self.peopleCount,
                Changes(added: Self.peopleCount - cached))
        case .nobody: .committed(generation: generation, rows: 0, Changes(removed: cached))
        case .offline:
            .failed(generation: generation, Failure(kind: .offline, message: "offline", retryable: true))
        case .hangs: nil
        }
    }
}
