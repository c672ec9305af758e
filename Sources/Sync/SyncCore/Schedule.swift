import Model

/// When to sync next: pure, with the random draw as an argument.
package struct Schedule: Hashable, Sendable {
    /// Between the end of a good sync and the next, give or take a tenth: those who began together drift apart.
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
        case .afterInterval: return max(interval * (0.9 + 0.2 * draw), asked)
        case .afterBackoff(let attempt): return max(backoff(attempt: attempt, draw: draw), asked)
        case .asBefore: return nil
        }
    }

    /// What is left of a wait that another daemon has set, by the wall clock. Where that runs behind the time when it was
    /// set, it was wrong then or is now, and nobody knows what is left: nothing, then.
    /// - Parameters:
    ///   - since: when it was set.
    ///   - end: nil where none was set.
    ///   - retries: it was for the next attempt after a failure, and upstream may have asked for it.
    package func remaining(
        of end: Timestamp?, setAt since: Timestamp, retries: Bool = false, now: Timestamp
    ) -> Duration {
        guard let end, now >= since else { return .zero }
        let regular = interval * 11 / 10
        let longest = retries ? max(regular, retryCap, Self.longestRetryAfter) : regular
        return min(max(end - now, .zero), longest)
    }

    /// What is left to wait for the next attempt after a failure, once something has woken us that may have mended it; never
    /// more than before.
    /// - Parameters:
    ///   - remaining: of the wait; negative where it is over.
    ///   - patience: what is left of the time for which upstream asked us to stay away.
    ///   - sinceAttempt: how long ago the last attempt ended.
    ///   - woken: attempts in a row that a wakeup has brought forward already.
    package func delayWhenWoken(
        remaining: Duration, patience: Duration, sinceAttempt: Duration, woken: Int, draw: Double
    ) -> Duration {
        // A second for addresses and routes to settle, and a few more that spread the many whom one outage has stopped.
        let soon = Duration.seconds(1) + .seconds(4) * draw
        // Three are tried in quick succession; on a machine whose networks come and go all day, the others are not.
        let apart = Duration.seconds(10) * (1 << min(max(woken - 2, 0), 16))
        return min(max(remaining, .zero), max(soon, patience, apart - sinceAttempt))
    }
}
