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
    let isReplay: Bool
    /// Those that are still to come, in their order.
    fileprivate var rest: ArraySlice<Recording.Call>
    /// After so many transitions there is no more in the recording; nil where none is replayed, or where it does not say.
    private let end: Int?
    fileprivate var hasEnded = false
    /// On the alarms' clock.
    fileprivate var lastTransition: Duration
    /// Resources that have not been taken up yet where they were: before that nobody could call.
    private var unready: Int

    init(
        after start: Int, at time: Duration, record: (@Sendable (Recording.Call) -> Void)?,
        replaying calls: [Recording.Call]?, until end: Int?, resources: Int
    ) {
        (self.start, self.record, rest, unready) = (start, record, (calls ?? [])[...], resources)
        (isReplay, self.end, lastTransition) = (calls != nil, end, time)
    }

    mutating func hasHandled(_ message: SyncEngine.Message) {
        if case .event(_, .restarted) = message { unready -= 1 }
    }

    mutating func hasTransitioned(at time: Duration) { lastTransition = time }

    fileprivate func isOver(_ lastIndex: Int) -> Bool {
        guard let end else { return false }
        return lastIndex - start >= end && rest.isEmpty
    }

    /// Where a replay has that sync cancelled; nil where it doesn't.
    func cancellation(of sync: Int, _ resource: Resource) -> Recording.Call.Point? {
        for case .cancel(resource, let point?) in rest.map(\.method) where point.sync == sync { return point }
        return nil
    }

    /// The next of a replay where as much has happened as before it was made.
    /// - Parameter points: where the syncs are that run.
    fileprivate mutating func next(
        _ lastIndex: Int, at points: (Resource) -> Recording.Call.Point?
    ) -> Recording.Call? {
        guard unready <= 0, let next = rest.first, next.transitions <= lastIndex - start else { return nil }
        if case .cancel(let resource, let point?) = next.method, let here = points(resource),
            here.sync == point.sync, here.requests < point.requests
        {
            return nil
        }
        rest.removeFirst()
        return next
    }
}

extension SyncEngine {
    func record(_ method: @autoclosure () -> Recording.Call.Method) {
        guard let record = calls.record else { return }
        let idle = alarmTime - calls.lastTransition
        record(Recording.Call(method(), after: lastIndex - calls.start, idle: max(.zero, idle)))
    }

    /// Does what clients had done where the recording is now. After each message: what it has brought about is the same each
    /// time, and so is what comes of the calls.
    func replayCalls() async {
        while let call = calls.next(lastIndex, at: { runners[$0]?.point }) {
            // It is done at once, and alarms are then as near as they were.
            skip(to: calls.lastTransition + call.idle)
            switch call.method {
            case .sync(let resource, let acceptsRemovals):
                await handle(.want(resource, .requested, acceptsRemovals: acceptsRemovals, wait: false, nil))
            case .retry(let resource):
                await handle(.want(resource, .retried, acceptsRemovals: false, wait: false, nil))
            case .cancel(let resource, _): try? await perform(.cancelled, on: resource)
            case .setPaused(let paused): try? await pause(paused)
            case .fetchFact: await replayFetch()
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

    /// In place: what comes of other work meanwhile came after the calls that are next.
    private func replayFetch() async {
        guard let fact = try? await fetchOneFact() else { return }
        _ = try? await add(Fact(fact, firstSeenAt: timeOfCalls))
    }
}
