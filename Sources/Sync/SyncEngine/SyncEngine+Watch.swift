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
        func watcher(_ snapshot: [State], after index: Int) -> Watcher {
            Watcher(
                transitionLog, snapshot: snapshot, after: index, resources: resources, progress: progress,
                epoch: epoch, reader: cache.reader)
        }
        guard case .after(let index, let epoch) = start else {
            // Nothing happens between the two: this is one turn of the engine.
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

    package var watcherCount: Int { transitionLog.count }

    // MARK: Progress

    /// Between two reports of a resource.
    static let reportInterval = Duration.milliseconds(100)

    /// Tells the watchers how far the sync is, ten times a second at the most. What is not told at once is told then, if
    /// nothing newer is.
    func report(_ resource: Resource) {
        guard let runner = runners[resource], runner.progress != nil, let state = state(of: resource) else {
            return
        }
        let time = environment.monotonic()
        let due = runner.reported.map { $0 + Self.reportInterval } ?? time
        if due <= time {
            runners[resource]?.reported = time
            transitionLog.report(state)
        } else if runner.report == nil, transitionLog.wantsProgress {
            let (sleep, inbox, delay) = (environment.sleep, inbox, due - time)
            runners[resource]?.report = Task(executorPreference: environment.executor) {
                do { try await sleep(delay) } catch { return }
                inbox.yield(.reportIsDue(resource))
            }
        }
    }

    /// What has not been told by now is of no interest any more.
    func endReports(_ resource: Resource) {
        runners[resource]?.progress = nil
        runners[resource]?.report?.cancel()
        runners[resource]?.report = nil
    }
}
