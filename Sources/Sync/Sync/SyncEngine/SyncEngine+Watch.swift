import Cache
import Model

extension SyncEngine {
    package enum WatchStart: Hashable, Sendable {
        /// Begins with the state of each resource.
        case now
        /// Begins with the transitions after this index. Without an epoch, the cache's own.
        case after(index: Int, epoch: String?)
    }

    /// Watches the states, or the transitions since `start`, then each transition once, in order.
    /// - Parameter progress: also report progress, with the index of the transition to syncing.
    package func watch(
        from start: WatchStart, resources: Set<Resource>, progress: Bool
    ) async throws -> Watcher {
        func watcher(_ snapshot: [State], after index: Int) -> Watcher {
            Watcher(
                transitionFeed, snapshot: snapshot, after: index, resources: resources, progress: progress,
                epoch: epoch, reader: cache.reader)
        }
        guard case .after(let index, let epoch) = start else {
            // Without a suspension, no transition comes between the states and the index.
            return watcher(states.filter { resources.contains($0.resource) }, after: lastIndex)
        }
        let newest = lastIndex
        let oldest = try await cache.reader.oldestTransition()
        guard epoch == nil || epoch == self.epoch, (0...newest).contains(index),
            index + 1 >= oldest || index == newest
        else {
            throw WatchError.sequenceGone(epoch: self.epoch, oldest: oldest, newest: newest)
        }
        return watcher([], after: index)
    }

    package var watcherCount: Int { transitionFeed.count }

    // MARK: Progress

    static let reportInterval = Duration.milliseconds(100)

    /// Sends watchers the progress at most ten times a second. In between, the newest report waits.
    func report(_ resource: Resource) {
        guard let runner = runners[resource], runner.progress != nil, let state = state(of: resource)
        else { return }
        let time = environment.monotonic()
        let due = runner.reported.map { $0 + Self.reportInterval } ?? time
        if due <= time {
            runners[resource]?.reported = time
            transitionFeed.report(state)
        } else if runner.report == nil, transitionFeed.wantsProgress {
            runners[resource]?.report = sending(.reportIsDue(resource), after: due - time)
        }
    }

    /// Drops a waiting report.
    func endReports(_ resource: Resource) {
        runners[resource]?.progress = nil
        runners[resource]?.report?.cancel()
        runners[resource]?.report = nil
    }
}
