package enum Resource: String, Sendable, Codable, CaseIterable, CodingKeyRepresentable {
    case users, facts
}

package enum Phase: String, Sendable, Codable, CaseIterable {
    case initial, syncing, loaded, empty, error
}

/// Progress of a sync, in records.
package struct Progress: Hashable, Sendable, Codable {
    package var done: Int
    /// Nil if upstream does not say.
    package var total: Int?

    package init(done: Int, total: Int? = nil) {
        (self.done, self.total) = (done, total)
    }
}

/// How much of a directory a sync has read. JSON: `SyncScope` of io.userd.
package enum SyncScope: String, Sendable, Codable {
    /// The full list.
    case full
    /// What had changed.
    case changes
}

/// Numbers of records of a list that are not cached. JSON: `LeftOut` of io.userd.
package struct LeftOut: Hashable, Sendable, Codable {
    /// Those that the format or the settings leave out, and those with neither a name nor an address.
    package var skipped: Int
    /// Those without an id.
    package var unidentified: Int

    package init(skipped: Int, unidentified: Int) {
        (self.skipped, self.unidentified) = (skipped, unidentified)
    }
}

/// A transition, or the state that it led to. JSON: `State` of io.userd.
package struct State: Hashable, Sendable, Codable {
    /// Identifies the sequence that `index` belongs to.
    package var epoch: String
    /// 0 before the first transition.
    package var index: Int
    package var resource: Resource
    package var phase: Phase
    package var since: Timestamp
    package var cause: Cause
    /// Number of cached rows.
    package var count: Int
    package var syncedAt: Timestamp?
    package var stale: Bool
    package var nextSyncAt: Timestamp?
    package var progress: Progress?
    package var failure: Failure?
    /// Nil if no user is missing.
    package var missing: Missing?
    /// Nil if the last list had none.
    package var leftOut: LeftOut?
    /// How the last successful sync read a directory that can say what changed; nil for others.
    package var scope: SyncScope?

    package init(
        epoch: String, index: Int, resource: Resource, phase: Phase, since: Timestamp, cause: Cause,
        count: Int, syncedAt: Timestamp? = nil, stale: Bool, nextSyncAt: Timestamp? = nil,
        progress: Progress? = nil, failure: Failure? = nil, missing: Missing? = nil
    ) {
        self.epoch = epoch
        self.index = index
        self.resource = resource
        self.phase = phase
        self.since = since
        self.cause = cause
        self.count = count
        self.syncedAt = syncedAt
        self.stale = stale
        self.nextSyncAt = nextSyncAt
        self.progress = progress
        self.failure = failure
        self.missing = missing
    }

    enum CodingKeys: String, CodingKey {
        case epoch, index, resource, phase, since, cause, count
        case syncedAt = "synced_at"
        case stale
        case nextSyncAt = "next_sync_at"
        case progress, failure, missing
        case leftOut = "left_out"
        case scope
    }
}

/// How fresh an answer is. JSON: `Freshness` of io.userd.
package struct Freshness: Hashable, Sendable, Codable {
    package var phase: Phase
    package var syncedAt: Timestamp?
    /// Seconds since the last successful sync.
    package var age: Double?
    package var stale: Bool
    /// The failure of the last sync; nil if it succeeded.
    package var failure: Failure?

    package init(
        phase: Phase, syncedAt: Timestamp?, age: Double?, stale: Bool, failure: Failure? = nil
    ) {
        self.phase = phase
        self.syncedAt = syncedAt
        self.age = age
        self.stale = stale
        self.failure = failure
    }

    enum CodingKeys: String, CodingKey {
        case phase
        case syncedAt = "synced_at"
        case age, stale, failure
    }

    /// Whether the last success is missing or older than twice the interval; from 15 minutes on, older than two hours. If it is as
    /// far in the future, the clock was set back and its age is unknown, which also counts as stale.
    package static func isStale(syncedAt: Timestamp?, interval: Duration, now: Timestamp) -> Bool {
        guard let syncedAt else { return true }
        let (age, least) = (now - syncedAt, Duration.seconds(7200))
        let limit = interval < .seconds(900) ? interval * 2 : max(interval * 2, least)
        return age > limit || age < .zero - limit
    }
}
