import Model

/// What is known of a list that was read to its end, apart from its records.
package struct ListEvidence: Hashable, Sendable {
    /// Number of distinct records, including those that the format leaves out.
    package var records: Int
    /// Number of records without an id.
    package var unidentified = 0
    /// The largest total that a page named; nil if none did, or if the settings end the list before it.
    package var total: Int?
    /// Whether a page after the first was found by its number or by an offset.
    package var isCounted = false
    /// Whether the list ended with a missing page that upstream had not announced.
    package var endedEarly = false

    var gaps: ListGaps {
        ListGaps(shortfall: max(0, (total ?? 0) - records - unidentified), unidentified: unidentified)
    }
}

/// Decides whether a list is whole. A person goes when a list that is whole lacks them.
package struct Completeness: Hashable, Sendable {
    /// Nil if the list is whole.
    package let doubt: Doubt?
    package let removals: RemovalRule

    package static let whole = Completeness(doubt: nil, removals: .atOnce)

    private init(doubt: Doubt?, removals: RemovalRule) { (self.doubt, self.removals) = (doubt, removals) }

    /// Judges a list, and keeps what it lacks for the next one.
    /// - Parameter mayLoseNobody: whether no user could be lost, since none are cached or a person accepts it. Then
    ///   all gaps are accepted.
    package init(
        of list: ListEvidence, mayLoseNobody: Bool = false, after known: inout KnownGaps, now: Timestamp
    ) {
        if mayLoseNobody { known.accepted = list.gaps }
        let isLarger = known.note(list.gaps, now)
        doubt =
            list.endedEarly
            ? .endedEarly
            : list.gaps.shortfall > 0
                ? .short : list.gaps.unidentified > 0 ? .unidentified : list.isCounted ? .counted : nil
        removals =
            doubt == nil || mayLoseNobody
            ? .atOnce
            : isLarger || list.endedEarly ? .ifMissingForADay(now: now) : .ifMissingBefore(now: now)
    }
}

extension KnownGaps {
    private static let patience = Duration.seconds(86_400)

    /// - Returns: whether these gaps are larger than those accepted before.
    fileprivate mutating func note(_ gaps: ListGaps, _ now: Timestamp) -> Bool {
        let before = accepted
        // What has become smaller may not grow again unnoticed.
        accepted = accepted.smaller(gaps)
        guard gaps != accepted else {
            (larger, largerSince) = (nil, nil)
            return false
        }
        let smallest = larger.map { $0.smaller(gaps) } ?? gaps
        if smallest == accepted {
            (larger, largerSince) = (gaps, now)
        } else if let since = largerSince, now - since >= Self.patience {
            accepted = accepted.larger(smallest)
            (larger, largerSince) = gaps == accepted ? (nil, nil) : (gaps, now)
        } else {
            larger = smallest
            // A clock that was ahead would lengthen the wait.
            largerSince = min(largerSince ?? now, now)
        }
        return gaps.smaller(before) != gaps
    }
}

extension ListGaps {
    fileprivate func smaller(_ other: ListGaps) -> ListGaps {
        ListGaps(
            shortfall: min(shortfall, other.shortfall), unidentified: min(unidentified, other.unidentified))
    }

    fileprivate func larger(_ other: ListGaps) -> ListGaps {
        ListGaps(
            shortfall: max(shortfall, other.shortfall), unidentified: max(unidentified, other.unidentified))
    }
}
