import Cache
import Model

/// Why a watch can't go on, or begin.
package enum WatchError: Error, Hashable, Sendable {
    /// The watcher was too slow; it has had all transitions up to this index.
    case fellBehind(epoch: String, index: Int)
    /// The transitions asked for are not kept any more, or never were of this cache.
    case sequenceGone(epoch: String, oldest: Int, newest: Int)
}

/// One who watches: asks for state after state until there is none.
package actor Watcher {
    private nonisolated let transitionLog: TransitionLog
    /// Its place in the log.
    private nonisolated let place: Int
    private let resources: Set<Resource>
    private let epoch: String
    private let reader: CacheReader
    /// What comes before the first transition that the log keeps.
    private var first: ArraySlice<State>

    /// Transitions that are read from the cache at once.
    private static let pageSize = 100

    /// - Parameters:
    ///   - snapshot: what comes first of all.
    ///   - index: the last transition that is seen then.
    init(
        _ transitionLog: TransitionLog, snapshot: [State], after index: Int, resources: Set<Resource>,
        progress: Bool,
        epoch: String, reader: CacheReader
    ) {
        self.transitionLog = transitionLog
        self.resources = resources
        self.epoch = epoch
        self.reader = reader
        first = snapshot[...]
        place = transitionLog.enter(after: index, resources: resources, progress: progress)
    }

    deinit { transitionLog.leave(place) }

    /// Nil when the engine has ended or the watch was cancelled, this call's task among it. Throws `WatchError`, and
    /// `CacheError` where the past can't be read. One call at a time: who asks again before the first has been answered
    /// ends the program.
    package func next() async throws -> State? {
        while true {
            if let state = first.popFirst() { return state }
            switch await transitionLog.next(place) {
            case .state(let state): return state
            case .past(let index, let newest): try await read(after: index, through: newest)
            case .fellBehind(let index): throw WatchError.fellBehind(epoch: epoch, index: index)
            case .ended: return nil
            }
        }
    }

    private func read(after index: Int, through newest: Int) async throws {
        let past = try await reader.transitions(
            TransitionRange(
                after: index, through: newest, resources: Array(resources), limit: Self.pageSize))
        // Looked at afterwards, since meanwhile some may have been trimmed.
        let oldest = try await reader.oldestTransition()
        guard index + 1 >= oldest else {
            transitionLog.leave(place)
            throw WatchError.sequenceGone(epoch: epoch, oldest: oldest, newest: newest)
        }
        first = past[...]
        transitionLog.advance(place, to: past.count < Self.pageSize ? newest : past.last?.index ?? newest)
    }

    package nonisolated func cancel() { transitionLog.leave(place) }
}

extension CacheReader {
    /// The index of the oldest that is kept; 0 where there is none.
    func oldestTransition() async throws -> Int {
        try await transitions(
            TransitionRange(after: 0, through: .max, resources: Resource.allCases, limit: 1)
        ).first?.index ?? 0
    }
}
