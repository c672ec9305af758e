import Model

/// Computes when the next sync is due. Pure: the random draw is an argument.
package struct Schedule: Hashable, Sendable {
    /// Time from the end of a successful sync to the next, ±10 %: daemons that started together drift apart.
    package var interval: Duration
    /// Takes the place of the interval while what a directory says of changes is trusted; nil if the interval stays.
    package var trustedInterval: Duration?
    /// Maximum wait after the first failure.
    package var retryBase: Duration
    /// Maximum wait after any failure.
    package var retryCap: Duration

    package init(
        interval: Duration, trustedInterval: Duration? = nil, retryBase: Duration = .seconds(1),
        retryCap: Duration = .seconds(900)
    ) {
        (self.interval, self.trustedInterval) = (interval, trustedInterval)
        self.retryBase = retryBase
        self.retryCap = retryCap
    }

    /// Longer `Retry-After` values are cut to a day.
    package static let longestRetryAfter = Duration.seconds(86_400)

    /// A wait between half of and all of min(cap, base · 2^(attempt-1)).
    /// - Parameters:
    ///   - attempt: consecutive failures, from 1.
    ///   - draw: random, in 0..<1.
    package func backoff(attempt: Int, draw: Double) -> Duration {
        let doublings = min(max(attempt, 1) - 1, 62)
        let ceiling = min(retryCap.inSeconds, retryBase.inSeconds * Double(UInt64(1) << UInt64(doublings)))
        return .milliseconds(Int64(ceiling * (0.5 + 0.5 * draw) * 1000))
    }

    /// - Parameter retryAfter: upstream's `Retry-After` with this failure.
    /// - Returns: nil if the time that is already set still applies.
    package func delay(until next: NextSync, retryAfter: Duration? = nil, draw: Double) -> Duration? {
        let requestedDelay = min(max(retryAfter ?? .zero, .zero), Self.longestRetryAfter)
        switch next {
        case .atOnce: return .zero
        case .afterInterval: return max(interval * (0.9 + 0.2 * draw), requestedDelay)
        case .afterBackoff(let attempt): return max(backoff(attempt: attempt, draw: draw), requestedDelay)
        case .asBefore: return nil
        }
    }

    /// The remaining part of a wait that an earlier daemon set, by the wall clock. Zero if the clock is now
    /// behind `since`: one of the two readings is wrong.
    /// - Parameters:
    ///   - end: nil if no wait was set.
    ///   - retries: the wait follows a failure, so it may come from a `Retry-After`.
    package func remaining(
        of end: Timestamp?, setAt since: Timestamp, retries: Bool = false, now: Timestamp
    ) -> Duration {
        guard let end, now >= since else { return .zero }
        let regular = interval * 11 / 10
        let longest = retries ? max(regular, retryCap, Self.longestRetryAfter) : regular
        return min(max(end - now, .zero), longest)
    }

    /// The schedule for a directory whose changes are trusted so far.
    package func following(_ changes: TrackedChanges?) -> Schedule {
        var schedule = self
        if let trustedInterval, let changes, changes.token != nil, changes.trust.level == .trusted {
            schedule.interval = trustedInterval
        }
        return schedule
    }

    /// The wait for the next sync once the machine may reach its directory again: within ten minutes, since the machines of an
    /// organisation come back together. Unchanged if the last success is recent.
    /// - Parameters:
    ///   - remaining: rest of the current wait; zero if it is over.
    ///   - age: time since the last success; nil if there was none.
    package func delayWhenBack(remaining: Duration, age: Duration?, draw: Double) -> Duration {
        guard let age, age > .seconds(900) else { return remaining }
        let soon = Duration.seconds(600) * draw
        return remaining > .zero ? min(remaining, soon) : soon
    }

    /// The wait for the next attempt after a wakeup that may have fixed the failure; never longer than
    /// before.
    /// - Parameters:
    ///   - remaining: rest of the current wait; negative if it is over.
    ///   - patience: remaining time of upstream's `Retry-After`.
    ///   - sinceAttempt: time since the last attempt ended.
    ///   - woken: consecutive attempts that wakeups have already brought forward.
    package func delayWhenWoken(
        remaining: Duration, patience: Duration, sinceAttempt: Duration, woken: Int, draw: Double
    ) -> Duration {
        // One second for addresses and routes to settle, plus jitter: many daemons recover from the same
        // outage.
        let soon = Duration.seconds(1) + .seconds(4) * draw
        // Three attempts may follow quickly. After that the gap doubles, for machines whose network comes and
        // goes.
        let apart = Duration.seconds(10) * (1 << min(max(woken - 2, 0), 16))
        return min(max(remaining, .zero), max(soon, patience, apart - sinceAttempt))
    }
}
