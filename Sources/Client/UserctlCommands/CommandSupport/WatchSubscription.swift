import Model
import UserdAPI
import Varlink

/// A subscription to transitions that survives restarts of userd, without gaps or repeats: after a lost connection it
/// resumes after the last index that it has seen.
struct WatchSubscription {
    let watch: (Watch) throws -> RawReplies<WatchedState>
    /// The number of resources that have a state; called only if a watch names no resource.
    var count: () throws -> Int = { Resource.allCases.count }
    let sleep: (Duration) async throws -> Void
    let say: (String) -> Void
    /// Nil if a userd that does not answer is noticed elsewhere.
    var liveness: Liveness?
    /// Called before each wait for a reply; returns the time until the next call.
    var whenIdle: VarlinkClient.Idle = { .seconds(3600) }
    /// The time that userd has to start.
    var patience = Duration.zero

    private static let shortestDelay = Duration.milliseconds(200)
    private static let longestDelay = Duration.seconds(5)

    /// Throws if `patience` ends before the first reply, if userd refuses the call, and if `show` throws.
    func run(
        _ start: Watch, show: (State, RawReply<WatchedState>) throws -> Void
    ) async throws -> Never {
        var parameters = start
        var isConnected = false
        var hasBegun = false
        var isRefused = false
        var delay = Self.shortestDelay
        var patience = patience
        var next = parameters
        var seen = 0
        while true {
            // Only resources that are turned on have a state.
            if parameters.since == nil, seen > 0, let count = try? count(), seen >= count {
                parameters = next
            }
            (next, seen) = (parameters, 0)
            do {
                let replies = try watch(parameters)
                if hasBegun, !isConnected { say("userd is back") }
                isConnected = true
                liveness?.connected()
                try replies.forEach { reply in
                    liveness?.replied()
                    let state = try reply.decoded().state
                    try show(state, reply)
                    next.resume(after: state)
                    seen += 1
                    // The first replies are a state of each resource. Resuming before the last of them would lose a resource.
                    if parameters.since != nil || seen >= parameters.resourceCount { parameters = next }
                    (hasBegun, isRefused) = (true, false)
                    delay = Self.shortestDelay
                    return .proceed
                } whenIdle: {
                    min(try whenIdle(), liveness?.check() ?? .seconds(3600))
                }
                throw VarlinkClientError.closed
            } catch let error where hasBegun && error.isRefusal {
                if !isRefused { say("userd can't answer at the moment; trying again") }
                isRefused = true
            } catch let error as UserdError {
                guard let message = parameters.recover(from: error) else { throw error }
                say(message)
            } catch let error as VarlinkClientError {
                guard hasBegun ? error.mayPass : patience > .zero && error.isAbsence else { throw error }
                if !hasBegun {
                    if patience == self.patience { say("userd is not running; waiting for it to start") }
                    // userd starts within moments, if at all.
                    delay = min(Self.shortestDelay, patience)
                    patience -= delay
                } else if isConnected {
                    say("lost the connection to userd; reconnecting")
                }
                isConnected = false
            }
            try await sleep(delay)
            delay = min(delay * 2, Self.longestDelay)
        }
    }
}

extension Watch {
    /// Progress has the index of its sync's start, and the first states come in any order: neither moves `since` back.
    fileprivate mutating func resume(after state: State) {
        since = epoch == state.epoch ? max(since ?? 0, state.index) : state.index
        epoch = state.epoch
    }

    fileprivate var resourceCount: Int {
        guard let resources, !resources.isEmpty else { return Resource.allCases.count }
        return Set(resources).count
    }

    /// Adapts the parameters to a recoverable error; returns the message for the user, or nil for other errors.
    fileprivate mutating func recover(from error: UserdError) -> String? {
        switch error {
        case .sequenceGone(let current, let oldest, let newest):
            guard let since else { return nil }
            if let epoch, epoch != current {
                (self.since, self.epoch) = (nil, nil)
                return
                    "userd has a new cache, with new numbers of transitions; starting with the current states"
            }
            (self.since, epoch) = (nil, nil)
            return "transitions after #\(since) are no longer kept"
                + " (available are #\(oldest) to #\(newest)); starting with the current states"
        case .fellBehind(let epoch, let index):
            (since, self.epoch) = (index, epoch)
            return "fell behind; continuing after transition #\(index)"
        default:
            return nil
        }
    }
}

extension Error {
    /// True if userd runs, but has no free connection or no usable cache at the moment.
    fileprivate var isRefusal: Bool {
        if case .cacheUnavailable = self as? UserdError { return true }
        return self as? VarlinkError == .permissionDenied
    }
}

extension VarlinkClientError {
    /// Errors that, before the first reply, mean that userd does not run. systemd also listens for a userd
    /// that can't start, and closes its connections.
    fileprivate var isAbsence: Bool {
        switch self {
        case .noSocket, .refused, .closed: true
        default: false
        }
    }

    /// True for errors that a restart of userd causes.
    fileprivate var mayPass: Bool {
        switch self {
        case .noSocket, .refused, .closed, .timedOut, .system: true
        case .permissionDenied, .otherUser, .badPath, .violation, .interrupted: false
        }
    }
}
