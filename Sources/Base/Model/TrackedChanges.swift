/// What is known, from one sync to the next, of a directory that can say what changed.
package struct TrackedChanges: Hashable, Sendable, Codable {
    /// A digest of all that a list depends on. Changes that follow another list are not taken.
    package var fingerprint: String
    /// The directory's token of the next changes; nil if a full list comes first.
    package var token: String?
    /// The last full list.
    package var listedAt: Timestamp?
    /// Until when a list that was due while the machine slept waits; nil if none does.
    package var waitsUntil: Timestamp?
    package var trust = ChangeTrust()
    /// Users whom the last full list had changed although no change named them. Some servers name them later, so they are
    /// judged when the next changes came.
    package var unnamed: [String] = []
    /// Whether a person asked for the list that found them.
    package var isUnnamedRequested = false
    /// Number of tokens in a row that the directory refused before they led to any changes.
    package var refusedTokens = 0

    package init(fingerprint: String) { self.fingerprint = fingerprint }

    /// Ids of `unnamed` to keep; beyond them a difference is the same one.
    package static let mostUnnamed = 1000
}

/// Whether the changes that a directory names may take the place of its full list. The JSON of its level is `ChangeTrust` of
/// io.userd.
package struct ChangeTrust: Hashable, Sendable, Codable {
    package enum Level: String, Sendable, Codable {
        /// A change leads to the full list, which is compared with what the changes said.
        case watched
        /// Changes are taken.
        case trusted
        /// Each sync reads the full list.
        case off
    }

    /// A full list in which users had changed whom no change had named.
    package struct Miss: Hashable, Sendable, Codable {
        package var at: Timestamp
        package var users: Int

        package init(at: Timestamp, users: Int) { (self.at, self.users) = (at, users) }
    }

    package var level = Level.watched
    /// Full lists in a row that agreed with the changes; while these are off, of those that a person asked for.
    package var agreements = 0
    /// Those of the last 30 days.
    package var misses: [Miss] = []
    package var offSince: Timestamp?
    /// Why the directory or the settings allow no changes, for people; nil if changes are off because of `misses`.
    package var refusal: String?

    package init() {}
}
