import Model

/// What the cache knows of a resource.
package struct SavedResource: Hashable, Sendable {
    package var state: State
    /// The state to go back to, while a sync runs.
    package var before: State?
    package var interval: Duration

    package init(state: State, before: State? = nil, interval: Duration) {
        self.state = state
        self.before = before
        self.interval = interval
    }

    /// The state as it is where no daemon runs: a sync that was under way has ended with it.
    package var withoutDaemon: State {
        guard var left = before else { return state }
        // A fact may have been fetched meanwhile.
        left.count = state.count
        return left
    }

    package func freshness(of state: State, now: Timestamp) -> Freshness {
        Freshness(phase: state.phase, syncedAt: state.syncedAt, interval: interval, now: now)
    }
}

extension Freshness {
    init(phase: Phase, syncedAt: Timestamp?, interval: Duration, now: Timestamp) {
        self.init(
            phase: phase, syncedAt: syncedAt, age: syncedAt.map { max(0, (now - $0).inSeconds) },
            stale: Self.isStale(syncedAt: syncedAt, interval: interval, now: now))
    }
}

/// A transition to be written. The cache gives both states the next index and its epoch.
package struct Change: Hashable, Sendable {
    /// For the history and those who watch.
    package var transition: State
    /// What holds from now on, and what was before, if a sync begins.
    package var resource: SavedResource

    package init(transition: State, resource: SavedResource) {
        self.transition = transition
        self.resource = resource
    }
}

/// What was said last of whether anything is to sync by itself.
package struct SavedPause: Hashable, Sendable {
    package var paused: Bool
    /// What the settings said at the time.
    package var setting: Bool

    package init(paused: Bool, setting: Bool) {
        self.paused = paused
        self.setting = setting
    }
}

/// What a commit does to the rows of a resource.
package struct RowChanges: Hashable, Sendable {
    package var added = 0
    package var changed = 0
    package var removed = 0
    /// Rows before, and after.
    package var before = 0
    package var after = 0

    package var changes: Changes { Changes(added: added, changed: changed, removed: removed) }

    package init(added: Int = 0, changed: Int = 0, removed: Int = 0, before: Int = 0, after: Int = 0) {
        self.added = added
        self.changed = changed
        self.removed = removed
        self.before = before
        self.after = after
    }
}
