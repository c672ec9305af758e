import Model

/// The state machine of one resource, without I/O and without a clock: takes an event, returns the action.
///
/// A value, so that the engine can compute a transition, write it, and keep the new machine only after SQLite
/// has committed.
package struct Machine: Hashable, Sendable {
    /// The state between two syncs.
    package enum RestState: Hashable, Sendable {
        case initial, loaded, empty
        case error(Failure)
    }

    package enum Position: Hashable, Sendable {
        /// Exits: `wanted`; `turnedOff`, which leads back here.
        case resting(RestState)
        /// Exits: `committed`, `failed`, `cancelled`, `superseded`, `restarted` and `turnedOff`.
        case syncing(generation: Int, before: RestState)
    }

    package enum Event: Hashable, Sendable {
        /// A client asked for a sync, or one is due.
        case wanted(Cause)
        case page(generation: Int, Progress)
        /// Handled within SQLite's transaction, or after it.
        case committed(generation: Int, rows: Int, Changes = Changes())
        case failed(generation: Int, Failure)
        case cancelled
        /// The settings name another upstream than that of the running sync.
        case superseded
        /// The daemon started and restored this machine from the cache.
        case restarted
        case turnedOff
    }

    package enum Action: Hashable, Sendable {
        case record(Transition)
        case startSync(generation: Int)
        case stopSync(generation: Int)
        case report(Progress)
        case schedule(NextSync)
    }

    package private(set) var position: Position
    /// Number of the current sync; results with an older number are ignored.
    package private(set) var generation = 0
    /// Number of failed syncs since the last success or new settings, for the wait until the next.
    package private(set) var failures: Int
    /// The last failure, if it follows no success and no new settings: `attempts` counts those that are alike.
    private var last: Failure?
    /// Number of consecutive interrupted syncs, as found at the start.
    private var interruptions = 0

    package init(_ rest: RestState = .initial, failures: Int = 0) {
        position = .resting(rest)
        self.failures = failures
        last = rest.failure
    }

    /// A machine found at the start, after the daemon ended during a sync. Exit: `restarted`.
    /// - Parameter interruptions: number of interrupted syncs directly before this one.
    package init(syncingFrom before: RestState, failures: Int, interruptions: Int = 0) {
        position = .syncing(generation: 0, before: before)
        self.failures = failures
        last = before.failure
        self.interruptions = interruptions
    }

    /// New settings are in force: failures under the old ones no longer count.
    package mutating func beginAnew() { (failures, last) = (0, nil) }

    package mutating func handle(_ event: Event) -> [Action] {
        switch (position, event) {
        case (.resting(let rest), .wanted(let cause)):
            generation += 1
            position = .syncing(generation: generation, before: rest)
            return [.record(Transition(phase: .syncing, cause: cause)), .startSync(generation: generation)]

        case (.syncing, .wanted):
            return []

        case (.syncing(let current, _), .page(let generation, let progress)) where generation == current:
            return [.report(progress)]

        case (.syncing(let current, _), .committed(let generation, let rows, let changes))
        where generation == current:
            beginAnew()
            return rest(rows > 0 ? .loaded : .empty, cause: .committed(changes), next: .afterInterval)

        case (.syncing(let current, _), .failed(let generation, var failure)) where generation == current:
            failures += 1
            failure.attempts = last.map { $0.isLike(failure) ? $0.attempts + 1 : 1 } ?? 1
            last = failure
            let next: NextSync = failure.retryable ? .afterBackoff(attempt: failures) : .afterInterval
            return rest(.error(failure), cause: .failed, next: next)

        case (.syncing, .cancelled):
            return stop(because: "the sync was stopped on request", next: .afterInterval)

        case (.syncing, .superseded):
            return stop(because: "the settings name another directory", next: .atOnce)

        case (.syncing(_, let before), .restarted):
            interruptions += 1
            let failure = Failure(
                kind: .interrupted, message: "userd ended during the sync", retryable: true,
                attempts: failures + interruptions)
            // The sync itself may crash userd each time.
            let next: NextSync = interruptions == 1 ? .atOnce : .afterBackoff(attempt: interruptions - 1)
            return rest(before, cause: .interrupted, next: next, because: failure)

        case (.resting(let rest), .restarted):
            // A failure that is not retryable may have been fixed before the restart.
            let isOver = rest == .initial || rest.failure?.retryable == false
            return [.schedule(isOver ? .atOnce : .asBefore)]

        case (.resting(let rest), .turnedOff):
            return self.rest(rest, cause: .turnedOff, next: .afterInterval)

        case (.syncing(let generation, let before), .turnedOff):
            return [.stopSync(generation: generation)]
                + rest(before, cause: .turnedOff, next: .afterInterval)

        case (.resting, .page), (.resting, .committed), (.resting, .failed), (.resting, .cancelled),
            (.resting, .superseded), (.syncing, .page), (.syncing, .committed), (.syncing, .failed):
            return []
        }
    }

    private mutating func stop(because message: String, next: NextSync) -> [Action] {
        guard case .syncing(let generation, let before) = position else { return [] }
        let failure = Failure(
            kind: .cancelled, message: message, retryable: true, attempts: failures + 1)
        return [.stopSync(generation: generation)]
            + rest(before, cause: .cancelled, next: next, because: failure)
    }

    private mutating func rest(
        _ rest: RestState, cause: Cause, next: NextSync, because failure: Failure? = nil
    ) -> [Action] {
        position = .resting(rest)
        let transition = Transition(phase: rest.phase, cause: cause, failure: failure ?? rest.failure)
        return [.record(transition), .schedule(next)]
    }
}

/// A change of phase without its index.
package struct Transition: Hashable, Sendable {
    package var phase: Phase
    package var cause: Cause
    /// The failure for the history. Unlike the state, it includes cancelled and interrupted syncs.
    package var failure: Failure?
}

package enum NextSync: Hashable, Sendable {
    case atOnce
    case afterInterval
    /// After this number of consecutive failures.
    case afterBackoff(attempt: Int)
    /// At the time that was set before the daemon ended.
    case asBefore
}

extension Machine {
    package var phase: Phase {
        if case .resting(let rest) = position { rest.phase } else { .syncing }
    }

    /// The failure that the state shows; nil during a sync.
    package var failure: Failure? {
        if case .resting(let rest) = position { rest.failure } else { nil }
    }

    /// True if the last completed sync failed.
    package var hasFailed: Bool {
        switch position {
        case .resting(let rest), .syncing(_, let rest): rest.failure != nil
        }
    }

    /// Nil between two syncs.
    package var runningGeneration: Int? {
        if case .syncing(let generation, _) = position { generation } else { nil }
    }
}

extension Machine.RestState {
    package var phase: Phase {
        switch self {
        case .initial: .initial
        case .loaded: .loaded
        case .empty: .empty
        case .error: .error
        }
    }

    package var failure: Failure? {
        if case .error(let failure) = self { failure } else { nil }
    }
}
