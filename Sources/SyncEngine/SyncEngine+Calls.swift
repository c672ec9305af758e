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
    /// Resources that have not been taken up yet where they were: before that nobody could call.
    private var unready: Int
    fileprivate var isFetching = false

    init(
        after start: Int, record: (@Sendable (Recording.Call) -> Void)?, replaying calls: [Recording.Call],
        resources: Int
    ) {
        (self.start, self.record, rest, unready) = (start, record, calls[...], resources)
    }

    mutating func hasHandled(_ message: SyncEngine.Message) {
        if case .event(_, .restarted) = message { unready -= 1 }
    }

    /// The next of a replay where as much has happened as before it was made.
    fileprivate mutating func next(_ lastIndex: Int) -> Recording.Call.Method? {
        guard unready <= 0, !isFetching, let next = rest.first, next.transitions <= lastIndex - start else {
            return nil
        }
        rest.removeFirst()
        return next.method
    }
}

extension SyncEngine {
    func record(_ method: Recording.Call.Method) {
        calls.record?(Recording.Call(method, after: lastIndex - calls.start))
    }

    /// Does what clients had done where the recording is now. After each message: what it has brought about is the same each
    /// time, and so is what comes of the calls.
    func replayCalls() async {
        while let method = calls.next(lastIndex) {
            switch method {
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
    }

    private func replayFetch() async {
        _ = try? await fetchFact()
        calls.isFetching = false
        inbox.yield(.callEnded)
    }
}
