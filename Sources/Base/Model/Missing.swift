/// Users whom upstream's last list lacks, and who stay until it is certain that they have left. JSON: `Missing`
/// of io.userd.
package struct Missing: Hashable, Sendable, Codable {
    package var count: Int
    /// The raw value of a `Doubt`; later versions of userd may have others.
    package var reason: String

    package init(count: Int, reason: Doubt) { (self.count, self.reason) = (count, reason.rawValue) }
}

/// The reason that a list of users is not known to be whole.
package enum Doubt: String, Hashable, Sendable, CaseIterable {
    /// Pages are found by number or offset: if a user goes, those behind move to earlier pages, and one of
    /// them may be on no page that was read.
    case counted
    /// Fewer users came than upstream says that it has.
    case short
    /// The list ended with a page that does not exist.
    case endedEarly = "ended_early"
    /// Records without an id came, and nobody knows whose they are.
    case unidentified
}

/// Which users a commit removes because the list lacks them.
package enum RemovalRule: Hashable, Sendable {
    /// All of them.
    case atOnce
    /// Those whom the list of an earlier sync lacked, too.
    case ifMissingBefore(now: Timestamp)
    /// Those whom all lists of the last 24 hours lacked.
    case ifMissingForADay(now: Timestamp)
}

/// Numbers of what a list lacks.
package struct ListGaps: Hashable, Sendable, Codable {
    /// How many users fewer came than upstream says that it has.
    package var shortfall = 0
    /// Number of records without an id.
    package var unidentified = 0

    package init(shortfall: Int = 0, unidentified: Int = 0) {
        self.shortfall = shortfall
        self.unidentified = unidentified
    }
}

/// The gaps of earlier lists. Gaps that stay the same for a day are accepted: some servers count users that they
/// do not send.
package struct KnownGaps: Hashable, Sendable, Codable {
    package var accepted = ListGaps()
    /// The smallest gaps above the accepted ones, in all lists since then; nil if the last list had none.
    package var larger: ListGaps?
    package var largerSince: Timestamp?

    package init() {}
}
