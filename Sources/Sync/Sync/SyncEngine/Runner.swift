import Cache
import Model
import Upstream

/// The engine's state of one resource.
struct Runner {
    /// The plan of the next sync; nil if the resource is turned off. The machine then rests, and still
    /// recognises results of a stopped sync.
    var plan: SyncPlan? { didSet { isOutdated = true } }
    /// The plan of the running or last sync: new settings don't change what it has fetched.
    var activePlan: SyncPlan?
    var machine: Machine
    /// The state in SQLite, which clients see.
    var saved: SavedResource
    var progress: Progress?
    /// When watchers last got a report, on the monotonic clock.
    var reported: Duration?
    /// A delayed report that is not yet due.
    var report: Task<Void, Never>?
    var sync: Task<Void, Never>?
    var acceptsRemovals = false
    /// Whether a person asked that the running sync reads the full list.
    var isFull = false
    /// Starts the next sync, or repeats a message whose transition could not be written.
    var alarm: Alarm?
    /// When the last sync of this engine ended or was stopped, on the monotonic clock.
    var restingSince: Duration?
    /// When the last failed attempt ended, and when its `Retry-After` ends, on the monotonic clock.
    var attemptEnded: Duration?
    var retryAfterUntil = Duration.zero
    /// Number of consecutive attempts that wakeups brought forward.
    var woken = 0
    /// The failure that clients see while a transition can't be written.
    var unwritten: Unwritten?
    /// Whether the plan has changed since the last sync began: the next one is due at once after a running one.
    var isOutdated = false
    /// Calls that wait for the next sync to begin.
    var requests: [SyncEngine.Request] = []
    /// Ends when the budget allows their sync.
    var requestTimer: Task<Void, Never>?
    var budget = RequestBudget()
    /// The last sync began in spite of a `Retry-After`.
    var hasInsisted = false
    /// Calls that wait for the running sync to end.
    var waiting: [SyncEngine.Caller] = []

    /// Restores the machine from the cache.
    /// - Parameter interrupted: see `Restored`.
    init(plan: SyncPlan?, saved: SavedResource, interrupted: Int = 0) {
        self.plan = plan
        self.saved = saved
        let failures = (saved.before ?? saved.state).failure?.attempts ?? 0
        if let before = saved.before {
            machine = Machine(
                syncingFrom: Machine.RestState(before), failures: failures,
                interruptions: max(0, interrupted - failures))
        } else {
            machine = Machine(Machine.RestState(saved.state), failures: failures)
        }
        if hasAskedElsewhere { machine.beginAnew() }
    }

    /// Nil if the resource is turned off.
    var schedule: Schedule? { plan?.schedule.following(saved.changes) }

    var lastSync: LastSync? {
        guard let at = saved.state.syncedAt, let schedule else { return nil }
        return LastSync(at: at, interval: schedule.interval)
    }

    /// True if the last sync asked another source than the next one will: its wait does not apply.
    var hasAskedElsewhere: Bool {
        guard let attempted = saved.attemptedSource ?? saved.source, let source = plan?.source else {
            return false
        }
        return attempted != source
    }

    /// The saved state with the progress of a running sync, as clients get it.
    var shown: SavedResource {
        var shown = saved
        shown.state.progress = progress
        if let unwritten {
            shown.state.phase = .error
            shown.state.since = unwritten.since
            shown.state.cause = .failed
            shown.state.failure = unwritten.failure
            shown.state.nextSyncAt = unwritten.nextAttempt
            shown.state.progress = nil
        }
        return shown
    }
}

/// A transition that could not be written. Until one can be, clients see this failure with the last
/// transition's index.
struct Unwritten {
    var failure: Failure
    var since: Timestamp
    var nextAttempt: Timestamp
}

/// A message that is delivered when it is due.
struct Alarm {
    var number: Int
    var message: SyncEngine.Message
    /// On the monotonic clock.
    var due: Duration
    /// A wakeup has brought it forward.
    var isWoken: Bool
    var task: Task<Void, Never>
}

extension Machine.RestState {
    init(_ state: State) {
        switch state.phase {
        case .loaded: self = .loaded
        case .empty: self = .empty
        case .error:
            self = .error(
                state.failure
                    ?? Failure(kind: .interrupted, message: "the cause is unknown", retryable: true))
        case .initial, .syncing: self = .initial
        }
    }
}

extension Runner {
    /// The change to write for a transition. The cache sets `index` and `epoch`.
    func change(
        _ transition: Transition, to machine: Machine, now: Timestamp, nextSyncAt: Timestamp?,
        committed: Committed? = nil
    ) -> Change {
        let tracked = committed.map(\.tracked) ?? saved.changes
        let interval = plan?.schedule.following(tracked).interval ?? saved.interval
        let begins = machine.phase == .syncing
        var next = saved.state
        next.phase = machine.phase
        next.since = now
        next.cause = transition.cause
        next.failure = machine.failure
        next.nextSyncAt = nextSyncAt
        if let committed {
            next.count = committed.rows.counted
            next.syncedAt = now
            next.missing = committed.missing
            next.leftOut = committed.leftOut
            next.scope = committed.scope
        }
        next.stale = Freshness.isStale(syncedAt: next.syncedAt, interval: interval, now: now)
        var recorded = next
        recorded.failure = transition.failure
        var resource = saved
        (resource.state, resource.before) = (next, begins ? saved.state : nil)
        resource.interval = interval
        if begins { resource.attemptedSource = plan?.source ?? saved.attemptedSource }
        if let committed {
            resource.source = committed.source ?? saved.source
            resource.list = committed.list
            (resource.notes, resource.changes) = (committed.notes, committed.tracked)
        }
        return Change(transition: recorded, resource: resource)
    }

    /// What a commit has changed besides the rows.
    struct Committed {
        var rows: RowChanges
        var missing: Missing?
        var source: String?
        var list: KnownPage?
        var notes: ListNotes
        var leftOut: LeftOut?
        var scope: SyncScope?
        var tracked: TrackedChanges?

        init(
            rows: RowChanges, _ staged: StagedPages, of plan: SyncPlan, doubt: Doubt?, notes: ListNotes,
            after last: State
        ) {
            (self.rows, source, self.notes) = (rows, plan.source, notes)
            self.notes.others = rows.others.after > 0 ? rows.others.after : nil
            leftOut = staged.leftOut(after: last.leftOut)
            (scope, tracked) = (staged.scope, staged.tracked)
            // An unchanged list would not tell that users are missing once more.
            list = rows.missing > 0 ? nil : staged.list
            missing = doubt.flatMap { rows.missing > 0 ? Missing(count: rows.missing, reason: $0) : nil }
            // Changes say nothing about those whom the last list lacked, unless they name them.
            if staged.scope == .changes, var left = last.missing {
                if !staged.isUnchangedList { left.count = rows.missing }
                missing = left.count > 0 ? left : nil
            }
        }
    }

    /// Decides whether a list is whole, and throws if its records can't be told apart.
    func judge(_ staged: StagedPages, of plan: SyncPlan, now: Timestamp) throws -> (Completeness, ListNotes) {
        let isOther = saved.source.map { $0 != plan.source } ?? false
        let mayLoseNobody = saved.state.count == 0 && saved.notes?.others == nil || isOther
        if let id = staged.shared.differing, mayLoseNobody {
            throw UpstreamError(
                .decode,
                "some users share an id with another: those with the id \(id.shown(upTo: 100)) have different names",
                advice: .check, about: "\(plan.resource).fields.id")
        }
        // A list that upstream says is unchanged lacks what it lacked before.
        var gaps = isOther ? KnownGaps() : saved.notes?.gaps ?? KnownGaps()
        guard plan.judgesLists, !staged.isUnchangedList, staged.scope != .changes else {
            return (.whole, staged.notes(after: saved.notes, gaps: gaps, now: now))
        }
        let completeness = Completeness(
            of: staged.evidence, mayLoseNobody: mayLoseNobody || acceptsRemovals, after: &gaps, now: now)
        return (completeness, staged.notes(after: isOther ? nil : saved.notes, gaps: gaps, now: now))
    }
}
