import Cache
import Model
import Synchronization

/// The states and the pause, readable without waiting for the engine.
final class StateStore: Sendable {
    private let contents = Mutex<(states: [SavedResource], paused: Bool)>(([], false))
    /// Has a value after one or more changes. For one reader.
    let changes: AsyncStream<Void>
    private let change: AsyncStream<Void>.Continuation

    init() { (changes, change) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    func publish(_ runners: [Resource: Runner]) {
        let states = Resource.allCases.compactMap { runners[$0] }.filter { $0.plan != nil }.map(\.shown)
        contents.withLock { $0.states = states }
        change.yield()
    }

    func publish(paused: Bool) {
        contents.withLock { $0.paused = paused }
        change.yield()
    }

    /// How far the changes of users are trusted; nil if the directory can't say what changed.
    var changeTrust: ChangeTrust? {
        contents.withLock { $0.states }.first { $0.state.resource == .users }?.changes?.trust
    }

    var notes: [Resource: ListNotes] {
        Dictionary(
            contents.withLock { $0.states }.compactMap { shown in
                shown.notes.map { (shown.state.resource, $0) }
            }, uniquingKeysWith: { $1 })
    }

    var paused: Bool { contents.withLock { $0.paused } }

    func states(now: Timestamp) -> [State] { contents.withLock { $0.states }.map { $0.state(at: now) } }
}

extension SavedResource {
    /// The state as last written; whether it is stale depends on the time of reading.
    func state(at now: Timestamp) -> State {
        var state = state
        state.stale = freshness(of: state, now: now).stale
        return state
    }
}
