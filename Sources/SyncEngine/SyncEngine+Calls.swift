import Logging
import Model
import Services
import SyncCore

/// What clients have the engine do, as it is kept for a recording and done once more in a replay.
struct Calls {
    /// The index of the last transition before this engine's first.
    let start: Int
    /// Nil where nothing is recorded.
    let record: (@Sendable (Recording.Call) -> Void)?
    /// Those that are still to come, in their order.
    fileprivate var rest: ArraySlice<Recording.Call>
    /// After so many transitions there is no more in the recording; nil where none is replayed, or where it does not say.
    private let end: Int?
    fileprivate var hasEnded = false
    /// On the alarms' clock.
    fileprivate var lastTransition: Duration
    /// Resources that have not been taken up yet where they were: before that nobody could call.
    private var unready: Int
    fileprivate var isFetching = false

    init(
        after start: Int, at time: Duration, record: (@Sendable (Recording.Call) -> Void)?,
        replaying calls: [Recording.Call], until end: Int?, resources: Int
    ) {
        (self.start, self.record, rest, unready) = (start, record, calls[...], resources)
        (self.end, lastTransition) = (end, time)
    }

    mutating func hasHandled(_ message: SyncEngine.Message) {
        if case .event(_, .restarted) = message { unready -= 1 }
    }

    mutating func hasTransitioned(at time: Duration) { lastTransition = time }

    fileprivate func isOver(_ lastIndex: Int) -> Bool {
        guard let end else { return false }
        return lastIndex - start >= end && rest.isEmpty && !isFetching
    }

    /// The next of a replay where as much has happened as before it was made.
    fileprivate mutating func next(_ lastIndex: Int) -> Recording.Call? {
        guard unready <= 0, !isFetching, let next = rest.first, next.transitions <= lastIndex - start else {
            return nil
        }
        rest.removeFirst()
        return next
    }
}

extension SyncEngine {
    func record(_ method: Recording.Call.Method) {
        let idle = alarmTime - calls.lastTransition
        calls.record?(Recording.Call(method, after: lastIndex - calls.start, idle: max(.zero, idle)))
    }

    /// Does what clients had done where the recording is now. After each message: what it has brought about is the same each
    /// time, and so is what comes of the calls.
    func replayCalls() async {
        while let call = calls.next(lastIndex) {
            // It is done at once, and alarms are then as near as they were.
            skip(to: calls.lastTransition + call.idle)
            switch call.method {
            case .sync(let resource, let acceptsRemovals):
                await handle(.want(resource, .requested, acceptsRemovals: acceptsRemovals, wait: false, nil))
            case .retry(let resource):
                await handle(.want(resource, .retried, acceptsRemovals: false, wait: false, nil))
            case .cancel(let resource): try? await perform(.cancelled, on: resource)
            case .setPaused(let paused): try? await pause(paused)
            case .fetchFact:
                calls.isFetching = true
                Task(executorPreference: surroundings.executor) { await self.replayFetch() }
            }
        }
        if calls.isOver(lastIndex) { rest() }
    }

    /// What would come next is not in the recording.
    private func rest() {
        for resource in Resource.allCases where runners[resource]?.alarm != nil { wake(resource, nil) }
        guard !calls.hasEnded else { return }
        calls.hasEnded = true
        logger.notice("The recording ends here: nothing syncs by itself any more")
    }

    private func replayFetch() async {
        _ = try? await fetchFact()
        calls.isFetching = false
        inbox.yield(.callEnded)
    }
}
