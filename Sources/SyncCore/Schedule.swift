import Model

/// When to sync next: pure, with the random draw as an argument.
package struct Schedule: Hashable, Sendable {
    /// Between the end of a good sync and the next.
    package var interval: Duration
    /// The longest wait after the first failure.
    package var retryBase: Duration
    /// The longest wait after any failure.
    package var retryCap: Duration

    package init(interval: Duration, retryBase: Duration = .seconds(1), retryCap: Duration = .seconds(900)) {
        self.interval = interval
        self.retryBase = retryBase
        self.retryCap = retryCap
    }

    /// An upstream that asks for more patience than a day is asked again after a day.
    package static let longestRetryAfter = Duration.seconds(86_400)

    /// Between half of and all of min(cap, base · 2^(attempt-1)).
    /// - Parameters:
    ///   - attempt: failures in a row, from 1.
    ///   - draw: in 0..<1.
    package func backoff(attempt: Int, draw: Double) -> Duration {
        let doublings = min(max(attempt, 1) - 1, 62)
        let ceiling = min(retryCap.inSeconds, retryBase.inSeconds * Double(UInt64(1) << UInt64(doublings)))
        return .milliseconds(Int64(ceiling * (0.5 + 0.5 * draw) * 1000))
    }

    /// - Parameter retryAfter: what upstream asked for with this failure.
    /// - Returns: nil where the time set before still holds.
    package func delay(until next: NextSync, retryAfter: Duration? = nil, draw: Double) -> Duration? {
        let asked = min(max(retryAfter ?? .zero, .zero), Self.longestRetryAfter)
        switch next {
        case .atOnce: return .zero
        case .afterInterval: return max(interval, asked)
        case .afterBackoff(let attempt): return max(backoff(attempt: attempt, draw: draw), asked)
        case .asBefore: return nil
        }
    }
    /// What is left of a wait that was set before, by the wall clock: no longer than any that is set here, since that clock
    /// may have been wrong then.
    /// - Parameter wait: nil where none was set, negative where it is over.
    package func remaining(of wait: Duration?) -> Duration {
        min(max(wait ?? .zero, .zero), max(interval, retryCap, Self.longestRetryAfter))
    }
}
