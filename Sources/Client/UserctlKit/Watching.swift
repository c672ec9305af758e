import Model
import UserdAPI
import Varlink

/// Follows the transitions for as long as it is let, across restarts of userd, with no gap and no repeat: after a lost
/// connection it asks for what came after the last index that it has seen.
package struct Watching {
    private let watch: UserdClient.MoreCall<Watch, WatchedState>
    private let sleep: (Duration) async throws -> Void
    private let say: (String) -> Void
    private let silence: Silence?

    private static let shortestDelay = Duration.milliseconds(200)
    private static let longestDelay = Duration.seconds(5)

    /// - Parameter silence: told of what is heard of userd; nil where somebody else notices that nothing is.
    package init(
        watch: @escaping UserdClient.MoreCall<Watch, WatchedState>,
        sleep: @escaping (Duration) async throws -> Void, say: @escaping (String) -> Void,
        silence: Silence? = nil
    ) {
        self.watch = watch
        self.sleep = sleep
        self.say = say
        self.silence = silence
    }

    /// Throws where userd can't be reached at first, where it refuses, and what `show` throws.
    package func run(
        _ start: Watch, show: (State, RawReply<WatchedState>) throws -> Void
    ) async throws -> Never {
        var parameters = start
        var wasConnected = false
        var isConnected = false
        var hasBegun = false
        var isRefused = false
        var delay = Self.shortestDelay
        while true {
            var next = parameters
            // Who resumed before the last of these would not see its resource.
            var firstStates = parameters.since == nil ? parameters.resourceCount : 0
            do {
                let replies = try watch(parameters)
                if wasConnected, !isConnected { say("userd is back") }
                (wasConnected, isConnected) = (true, true)
                silence?.connected()
                defer { silence?.disconnected() }
                try replies.forEach { reply in
                    silence?.hear()
                    let state = try reply.decoded().state
                    try show(state, reply)
                    next.resume(after: state)
                    firstStates -= 1
                    if firstStates <= 0 { parameters = next }
                    (hasBegun, isRefused) = (true, false)
                    delay = Self.shortestDelay
                    return .proceed
                }
                throw VarlinkClientError.closed
            } catch let error where hasBegun && error.isRefusal {
                if !isRefused { say("userd can't go on at the moment; trying again") }
                isRefused = true
            } catch let error as UserdError {
                guard let message = parameters.recover(from: error) else { throw error }
                say(message)
            } catch let error as VarlinkClientError {
                guard wasConnected, error.mayPass else { throw error }
                if isConnected { say("lost userd; waiting for it to come back") }
                isConnected = false
            }
            try await sleep(delay)
            delay = min(delay * 2, Self.longestDelay)
        }
    }
}

extension Watch {
    /// A report of progress has the index of its sync's begin, and the states at the start come in any order.
    fileprivate mutating func resume(after state: State) {
        since = epoch == state.epoch ? max(since ?? 0, state.index) : state.index
        epoch = state.epoch
    }

    fileprivate var resourceCount: Int {
        guard let resources, !resources.isEmpty else { return Resource.allCases.count }
        return Set(resources).count
    }

    /// Asks for what can be had instead; returns what to say about it, or nil where there is no way on.
    fileprivate mutating func recover(from error: UserdError) -> String? {
        switch error {
        case .sequenceGone(_, let oldest, let newest):
            guard let since else { return nil }
            (self.since, epoch) = (nil, nil)
            return "what came after transition #\(since) is not known any more"
                + " (there are #\(oldest) to #\(newest)); starting afresh"
        case .fellBehind(let epoch, let index):
            (since, self.epoch) = (index, epoch)
            return "fell behind; going on after transition #\(index)"
        default:
            return nil
        }
    }
}

extension Error {
    /// userd is there, and has no place or no cache to answer from at the moment.
    fileprivate var isRefusal: Bool {
        if case .cacheUnavailable = self as? UserdError { return true }
        return self as? VarlinkError == .permissionDenied
    }
}

extension VarlinkClientError {
    /// What a restart of userd looks like from outside.
    fileprivate var mayPass: Bool {
        switch self {
        case .noSocket, .refused, .closed, .timedOut, .system: true
        case .permissionDenied, .badPath, .violation, .interrupted: false
        }
    }
}
