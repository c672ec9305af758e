import Cache
import Model
import Services
import SyncCore

/// What the engine holds for one resource.
struct Runner {
    var plan: SyncPlan
    var machine: Machine
    /// As SQLite has it: what is told to others.
    var saved: SavedResource
    var progress: Progress?
    /// When watchers were last told of it, on the monotonic clock.
    var reported: Duration?
    /// Waits until they may be told again.
    var report: Task<Void, Never>?
    /// The sync that runs.
    var sync: Task<Void, Never>?
    var acceptsRemovals = false
    /// Rings for the next sync, or for another try at writing what could not be written.
    var alarm: Alarm?
    /// When the last sync of this engine ended, however it did, on the monotonic clock.
    var restingSince: Duration?
    /// When the last attempt failed, and until when upstream then asked us to stay away, by the same.
    var attemptEnded: Duration?
    var patientUntil = Duration.zero
    /// Attempts in a row that wakeups have brought forward.
    var woken = 0
    /// Those who wait for the running sync to end.
    var waiting: [SyncEngine.Caller] = []

    /// Takes the machine up where the cache says that it was.
    init(plan: SyncPlan, saved: SavedResource) {
        self.plan = plan
        self.saved = saved
        let failures = (saved.before ?? saved.state).failure?.attempts ?? 0
        if let before = saved.before {
            machine = Machine(syncingFrom: Machine.Rest(before), failures: failures)
        } else {
            machine = Machine(Machine.Rest(saved.state), failures: failures)
        }
    }

    var shown: ShownState {
        var state = saved.state
        state.progress = progress
        return ShownState(state: state, interval: plan.schedule.interval)
    }
}

/// A message that comes when its time has come, unless another is set before.
struct Alarm {
    var number: Int
    var message: SyncEngine.Message
    /// On the monotonic clock.
    var due: Duration
    /// A wakeup has brought it forward.
    var isWoken: Bool
    var task: Task<Void, Never>?
}

extension Machine.Rest {
    init(_ state: State) {
        switch state.phase {
        case .loaded: self = .loaded
        case .empty: self = .empty
        case .error:
            self = .error(
                state.failure
                    ?? Failure(kind: .interrupted, message: "the cause was not kept", retryable: true))
        case .initial, .syncing: self = .initial
        }
    }
}

/// A transition on its way into the cache.
struct Landing: Sendable {
    var machine: Machine
    var transition: Transition
    var saved: SavedResource
    var interval: Duration
    var now: Timestamp
    var nextSyncAt: Timestamp?
    /// Where the transition is a commit: the rows after it.
    var committedRows: Int?

    /// `index` and `epoch` are the cache's to set.
    var change: Change {
        var next = saved.state
        next.phase = machine.phase
        next.since = now
        next.cause = transition.cause
        next.failure = machine.failure
        next.nextSyncAt = nextSyncAt
        if let committedRows {
            next.count = committedRows
            next.syncedAt = now
        }
        next.stale = Freshness.isStale(syncedAt: next.syncedAt, interval: interval, now: now)
        var recorded = next
        recorded.failure = transition.failure
        let before = machine.phase == .syncing ? saved.state : nil
        return Change(
            transition: recorded, resource: SavedResource(state: next, before: before, interval: interval))
    }
}
