import Model

/// The stored state of a resource.
package struct SavedResource: Hashable, Sendable {
    package var state: State
    /// The state before the running sync; nil if no sync is running.
    package var before: State?
    package var interval: Duration
    /// The upstream that the rows are from; nil if unknown.
    package var source: String?
    /// The upstream of the last sync that began; nil if unknown.
    package var attemptedSource: String?
    /// The version of the whole list; nil unless it changes as a whole.
    package var list: KnownPage?
    /// What is kept of the last list; nil if there was none.
    package var notes: ListNotes?
    /// What is known of the directory's changes; nil if it can't say what changed.
    package var changes: TrackedChanges?

    package static func created(_ resource: Resource, epoch: String, now: Timestamp) -> SavedResource {
        SavedResource(
            state: State(
                epoch: epoch, index: 0, resource: resource, phase: .initial, since: now, cause: .created,
                count: 0, stale: true), interval: .zero)
    }

    /// The state without a daemon: a running sync counts as ended.
    package var withoutDaemon: State {
        guard var left = before else { return state }
        // A fact may have been added during the sync.
        left.count = state.count
        return left
    }

    package func freshness(of state: State, now: Timestamp) -> Freshness {
        Freshness(
            phase: state.phase, syncedAt: state.syncedAt,
            age: state.syncedAt.map { max(0, (now - $0).inSeconds) },
            stale: Freshness.isStale(syncedAt: state.syncedAt, interval: interval, now: now),
            failure: state.failure)
    }
}

/// What is kept of a list until the next one.
package struct ListNotes: Hashable, Sendable, Codable {
    package var gaps = KnownGaps()
    /// The additional records that upstream seems to have, in words for people.
    package var more: String?
    /// Number of records that are not cached because another one has their id.
    package var shared = 0
    /// Number of rows other than persons; nil if there are none.
    package var others: Int?
    /// The last list that was read whole, without an unchanged page; nil if unknown.
    package var readAt: Timestamp?
    /// Until when such a list that was due while the machine slept waits; nil if none does.
    package var waitsUntil: Timestamp?

    package init() {}
}

/// A transition to write. The cache sets the index and the epoch of both states.
package struct Change: Hashable, Sendable {
    /// The transition for the history and for watchers.
    package var transition: State
    /// The new state, with the one before if a sync begins.
    package var resource: SavedResource

    package init(transition: State, resource: SavedResource) {
        (self.transition, self.resource) = (transition, resource)
    }
}

/// The last pause or resume.
package struct SavedPause: Hashable, Sendable {
    package var paused: Bool
    /// The value of the setting `paused` at that time.
    package var setting: Bool

    package init(paused: Bool, setting: Bool) {
        (self.paused, self.setting) = (paused, setting)
    }
}

/// Numbers of rows, of those users who are not persons.
package struct OtherRows: Hashable, Sendable {
    package var added = 0
    package var removed = 0
    package var before = 0
    package var after = 0

    package init(added: Int = 0, removed: Int = 0, before: Int = 0, after: Int = 0) {
        (self.added, self.removed, self.before, self.after) = (added, removed, before, after)
    }
}

package struct RowChanges: Hashable, Sendable {
    package var added = 0
    package var changed = 0
    package var removed = 0
    /// Number of rows before and after.
    package var before = 0
    package var after = 0
    /// The rows other than persons, of all these.
    package var others = OtherRows()
    /// Number of rows that the list lacks and that stay.
    package var missing = 0
    /// The first users who changed although no change had named them; nil if the list is not compared with changes.
    package var unnamed: [String]?

    /// Number of rows that the state counts.
    package var counted: Int { after - others.after }

    package var changes: Changes { Changes(added: added, changed: changed, removed: removed) }
}
