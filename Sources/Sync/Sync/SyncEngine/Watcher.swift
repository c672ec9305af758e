import Cache
import Model

/// Why a watch can't begin or continue.
package enum WatchError: Error, Hashable, Sendable {
    /// The watcher was too slow; it has had all transitions up to this index.
    case fellBehind(epoch: String, index: Int)
    /// The requested transitions are no longer kept, or belong to another cache.
    case sequenceGone(epoch: String, oldest: Int, newest: Int)
}

/// A client's watch.
package actor Watcher {
    private nonisolated let transitionFeed: TransitionFeed
    /// Number of its slot in the feed.
    private nonisolated let slot: Int
    private let resources: Set<Resource>
    private let epoch: String
    private let reader: CacheReader
    /// States to return before the feed's next.
    private var first: ArraySlice<State>

    /// Number of transitions per read of the cache.
    private static let pageSize = 100

    /// - Parameter index: the last transition that the snapshot includes.
    init(
        _ transitionFeed: TransitionFeed, snapshot: [State], after index: Int, resources: Set<Resource>,
        progress: Bool, epoch: String, reader: CacheReader
    ) {
        self.transitionFeed = transitionFeed
        self.resources = resources
        self.epoch = epoch
        self.reader = reader
        first = snapshot[...]
        slot = transitionFeed.enter(after: index, resources: resources, progress: progress)
    }

    deinit { transitionFeed.leave(slot) }

    /// Nil when the engine has ended, or the watch or this task was cancelled. Throws `WatchError`, and
    /// `CacheError` if earlier transitions can't be read. One call at a time: a second concurrent call traps.
    package func next() async throws -> State? {
        while true {
            if let state = first.popFirst() { return state }
            switch await transitionFeed.next(slot) {
            case .state(let state): return state
            case .past(let index, let newest): try await read(after: index, through: newest)
            case .fellBehind(let index): throw WatchError.fellBehind(epoch: epoch, index: index)
            case .ended: return nil
            }
        }
    }

    private func read(after index: Int, through newest: Int) async throws {
        let past = try await reader.transitions(
            after: index, through: newest, of: Array(resources), limit: Self.pageSize)
        // Checked after the read: transitions may have been removed meanwhile.
        let oldest = try await reader.oldestTransition()
        guard index + 1 >= oldest else {
            transitionFeed.leave(slot)
            throw WatchError.sequenceGone(epoch: epoch, oldest: oldest, newest: newest)
        }
        first = past[...]
        transitionFeed.advance(slot, to: past.count < Self.pageSize ? newest : past.last?.index ?? newest)
    }

    package nonisolated func cancel() { transitionFeed.leave(slot) }
}

extension CacheReader {
    /// Index of the oldest transition; 0 without transitions.
    func oldestTransition() async throws -> Int {
        try await transitions(after: 0, of: Resource.allCases, limit: 1).first?.index ?? 0
    }
}
