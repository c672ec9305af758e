import Cache
import Model

extension SyncEngine {
    /// Where a watch begins.
    package enum WatchStart: Hashable, Sendable {
        /// With the state of each resource.
        case now
        /// With the transitions after this index; nil takes the cache's own epoch.
        case after(index: Int, epoch: String?)
    }

    /// The states first, or the transitions since, then each transition once, in order.
    /// - Parameter progress: whether reports come too, which repeat the index of the transition to syncing.
    package func watch(
        from start: WatchStart, resources: Set<Resource>, progress: Bool
    ) async throws -> Watcher {
        let current = lastIndex
        if case .after(let index, let epoch) = start {
            guard epoch == nil || epoch == self.epoch, (0...current).contains(index) else {
                throw WatchError.sequenceGone(
                    epoch: self.epoch, oldest: try await oldestKept(), newest: current)
            }
        }
        let snapshot = start == .now ? states.filter { resources.contains($0.resource) } : []
        let watcher = subscribers.add(resources: resources, progress: progress, index: current) {
            [weak self, executor = surroundings.executor] number in
            Task(executorPreference: executor) { [self] in await self?.left(number) }
        }
        guard case .after(let index, _) = start else {
            await watcher.begin(with: snapshot)
            return watcher
        }
        let past = try await cache.reader.transitions(
            TransitionRange(after: index, through: current, resources: Array(resources), limit: .max))
        let oldest = try await oldestKept()
        guard index + 1 >= oldest || index == current else {
            throw WatchError.sequenceGone(epoch: epoch, oldest: oldest, newest: current)
        }
        await watcher.begin(with: past)
        return watcher
    }

    package var watcherCount: Int { subscribers.count }

    private func left(_ number: Int) { subscribers.remove(number) }

    private func oldestKept() async throws -> Int {
        try await cache.reader.transitions(
            TransitionRange(after: 0, through: .max, resources: Resource.allCases, limit: 1)
        ).first?.index ?? 0
    }
}
