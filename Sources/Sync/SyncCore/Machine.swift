import Model

/// The state machine of one resource: no I/O, no clock. An event goes in, what is to be done comes out.
///
/// Being a value, it can be asked what an event would do before the transition has been written: the engine keeps
/// the copy that has handled the event only once SQLite has committed.
package struct Machine: Hashable, Sendable {
    /// Where a resource is between two syncs.
    package enum Rest: Hashable, Sendable {
        case initial
        case loaded
        case empty
        case error(Failure)
    }

    package enum Position: Hashable, Sendable {
        /// Left by `wanted`.
        case resting(Rest)
        /// Left by `committed`, `failed`, `cancelled` and `restarted`.
        case syncing(generation: Int, before: Rest)
    }

    package enum Event: Hashable, Sendable {
        /// Somebody asked for a sync, or it is due.
        case wanted(Cause)
        case page(generation: Int, Progress)
        /// SQLite has committed, or is about to in this very transaction.
        case committed(generation: Int, rows: Int, Changes = Changes())
        case failed(generation: Int, Failure)
        case cancelled
        /// The daemon has come up and found this machine in the cache.
        case restarted
    }

    package enum Action: Hashable, Sendable {
        case record(Transition)
        case startSync(generation: Int)
        case stopSync(generation: Int)
        case report(Progress)
        case schedule(NextSync)
    }

    package private(set) var position: Position
    /// Counts the syncs, so that a result of an older one is known as such.
    package private(set) var generation: Int
    /// How often syncs have failed since the last one that did not.
    package private(set) var failures: Int

    package init(_ rest: Rest = .initial, failures: Int = 0) {
        position = .resting(rest)
        generation = 0
        self.failures = failures
    }

    /// As found at start when the daemon ended in the middle of a sync; `restarted` leads out.
    package init(syncingFrom before: Rest, failures: Int) {
        position = .syncing(generation: 0, before: before)
        generation = 0
        self.failures = failures
    }

    package mutating func handle(_ event: Event) -> [Action] {
        switch (position, event) {
        case (.resting(let rest), .wanted(let cause)):
            generation += 1
            position = .syncing(generation: generation, before: rest)
            return [.record(Transition(to: .syncing, cause: cause)), .startSync(generation: generation)]

        case (.syncing, .wanted):
            return []

        case (.syncing(let current, _), .page(let generation, let progress)) where generation == current:
            return [.report(progress)]

        case (.syncing(let current, _), .committed(let generation, let rows, let changes))
        where generation == current:
            failures = 0
            return rest(rows > 0 ? .loaded : .empty, cause: .committed(changes), next: .afterInterval)

        case (.syncing(let current, _), .failed(let generation, var failure)) where generation == current:
            failures += 1
            failure.attempts = failures
            let next: NextSync = failure.retryable ? .afterBackoff(attempt: failures) : .afterInterval
            return rest(.error(failure), cause: .failed, next: next)

        case (.syncing(let generation, let before), .cancelled):
            let failure = Failure(
                kind: .cancelled, message: "the sync was stopped on request", retryable: true,
                attempts: failures + 1)
            return [.stopSync(generation: generation)]
                + rest(before, cause: .cancelled, next: .afterInterval, because: failure)

        case (.syncing(_, let before), .restarted):
            let failure = Failure(
                kind: .interrupted, message: "userd ended while the sync ran", retryable: true,
                attempts: failures + 1)
            return rest(before, cause: .interrupted, next: .atOnce, because: failure)

        case (.resting(let rest), .restarted):
            // What time alone does not mend, a person may have mended before starting userd again.
            let isOver = rest == .initial || rest.failure?.retryable == false
            return [.schedule(isOver ? .atOnce : .asBefore)]

        case (.resting, .page), (.resting, .committed), (.resting, .failed), (.resting, .cancelled),
            (.syncing, .page), (.syncing, .committed), (.syncing, .failed):
            return []
        }
    }

    private mutating func rest(
        _ rest: Rest, cause: Cause, next: NextSync, because failure: Failure? = nil
    ) -> [Action] {
        position = .resting(rest)
        let transition = Transition(to: rest.phase, cause: cause, failure: failure ?? rest.failure)
        return [.record(transition), .schedule(next)]
    }
}

/// A change of phase, before it has a number.
package struct Transition: Hashable, Sendable {
    package var phase: Phase
    package var cause: Cause
    /// What the history says went wrong. A cancelled or interrupted sync has one that the state does not.
    package var failure: Failure?

    package init(to phase: Phase, cause: Cause, failure: Failure? = nil) {
        self.phase = phase
        self.cause = cause
        self.failure = failure
    }
}

/// When a resource syncs next by itself.
package enum NextSync: Hashable, Sendable {
    case atOnce
    case afterInterval
    /// After this many failures in a row.
    case afterBackoff(attempt: Int)
    /// At the time that was set before the daemon ended.
    case asBefore
}

extension Machine {
    package var phase: Phase {
        switch position {
        case .resting(let rest): rest.phase
        case .syncing: .syncing
        }
    }

    /// What the state says went wrong: nothing while another sync runs.
    package var failure: Failure? {
        switch position {
        case .resting(let rest): rest.failure
        case .syncing: nil
        }
    }

    /// Whether the last sync that ended has failed.
    package var hasFailed: Bool {
        switch position {
        case .resting(let rest), .syncing(_, let rest): rest.failure != nil
        }
    }

    /// Nil between two syncs.
    package var runningGeneration: Int? {
        switch position {
        case .resting: nil
        case .syncing(let generation, _): generation
        }
    }
}

extension Machine.Rest {
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
