import Cache
import Logging
import Model
import Upstream

package struct SyncPlan: Sendable {
    package var resource: Resource
    package var schedule: Schedule
    /// False if no sync starts by itself.
    package var isScheduled = true
    /// Fetches everything and stages it for the sync of this number. Throws `UpstreamError` or `CacheError`.
    package var stage:
        @Sendable (
            _ sync: Int, SyncStart, PageRetries?, _ report: @escaping @Sendable (Progress) -> Void
        ) async throws -> StagedPages
    /// The source of the records, which the cache stores; nil if it makes no difference.
    package var source: String?
    /// Whether a list may turn out not to be whole; if not, records that it lacks are removed at once.
    package var judgesLists = false
    /// Checks the changes before their commit; nil accepts them. The second is the source of the cached rows.
    package var refusal: @Sendable (RowChanges, String?) -> UpstreamError? = { _, _ in nil }
    /// Called after each commit; returns at once.
    package var afterCommit: @Sendable () -> Void = {}
    /// Called when a person requests a sync, before it begins; returns at once.
    package var onManualSync: @Sendable () -> Void = {}
    /// Whether a sync would fail, without a request, until a person has signed in.
    package var waitsForPerson: @Sendable () async -> Bool = { false }
}

/// What a sync knows when it begins.
package struct SyncStart: Sendable {
    /// See `SavedResource`.
    package var list: KnownPage?
    /// See `SavedResource`.
    package var changes: TrackedChanges?
    /// Whether a person asked for the full list.
    package var isFull = false
    /// See `ListNotes`; so is `waitsUntil`.
    package var readAt: Timestamp?
    package var waitsUntil: Timestamp?
    package var last: LastSync?
    package var now: Timestamp
    /// Random, in 0..<1.
    package var draw = 0.0

    /// Whether the list is read although all of it may be unchanged: some servers' validators stand still.
    /// - Parameter interval: the longest time between two such lists.
    /// - Returns: whether it is, and until when it waits.
    func ignoresValidators(after interval: Duration) -> (Bool, waitsUntil: Timestamp?) {
        guard !isFull, let readAt else { return (true, nil) }
        var time = FullListTime(readAt: readAt, waitsUntil: waitsUntil)
        let isDue = time.isDue(interval, last: last, now: now, draw: draw)
        return (isDue, isDue ? nil : time.waitsUntil)
    }
}

/// The result of a sync's requests.
package struct StagedPages: Hashable, Sendable {
    package var pages = 0
    /// Pages that upstream answered with "not modified".
    package var unchanged = 0
    package var records = 0
    /// Records whose id was already staged.
    package var duplicates = 0
    /// Number of records that the format leaves out, each id once.
    package var leftOut = 0
    /// What could not be read.
    package var unread = UnreadRecords()
    package var shared = SharedIDs()
    /// Number of records in the whole list: the largest that upstream named.
    package var total: Int?
    /// Whether a page was found by its number or by an offset.
    package var isCounted = false
    /// Upstream has more pages than the settings ask for.
    package var isCut = false
    /// The version of the list; nil unless it changes as a whole.
    package var list: KnownPage?
    /// Signs that upstream has more than these pages lead to, for people.
    package var more: String?
    /// Upstream says that the whole list is unchanged.
    package var isUnchangedList = false
    /// Whether the pages are the list or its changes; nil if upstream can't say what changed.
    package var scope: SyncScope?
    /// What is known of the changes after this sync, before its list is compared with them.
    package var tracked: TrackedChanges?
    /// The token of the changes after the list, if its last page has it.
    package var changeToken: String?
    /// See `ListNotes`.
    package var waitsUntil: Timestamp?
    /// The last page was unchanged, so `more` of the list before still applies.
    package var isEndUnchanged = false
    /// The missing page that ended the list, although upstream had not said that the list ends there.
    package var absentPage: Int?

    /// Number of different ids.
    package var distinct: Int { records - duplicates + leftOut }

    /// The same after its list was compared with the changes.
    func compared(_ rows: RowChanges, isRequested: Bool, now: Timestamp) -> StagedPages {
        var compared = self
        if let unnamed = rows.unnamed {
            compared.tracked?.noteList(unnamed: unnamed, isRequested: isRequested, now: now)
        }
        return compared
    }

    /// What is known of the list, for deciding who is missing.
    var evidence: ListEvidence {
        ListEvidence(
            records: distinct, unidentified: unread.unidentified, total: isCut ? nil : total,
            isCounted: isCounted, endedEarly: absentPage != nil)
    }

    /// - Parameter last: what the list before left out.
    func leftOut(after last: LeftOut?) -> LeftOut? {
        if isUnchangedList || scope == .changes { return last }
        return leftOut + unread.unidentified > 0
            ? LeftOut(skipped: leftOut, unidentified: unread.unidentified) : nil
    }

    /// What is kept of the list until the next one.
    /// - Parameter last: what was kept of the list before.
    func notes(after last: ListNotes?, gaps: KnownGaps, now: Timestamp) -> ListNotes {
        var notes = ListNotes()
        (notes.gaps, notes.waitsUntil) = (gaps, waitsUntil)
        notes.readAt = unchanged == 0 && !isUnchangedList && scope != .changes ? now : last?.readAt
        let isList = !isUnchangedList && scope != .changes
        notes.more = isEndUnchanged || !isList ? last?.more : more
        notes.shared = isList ? shared.count : last?.shared ?? 0
        return notes
    }
}

extension StagedPages {
    /// Logs what a person should know of a list that was fetched.
    func log(_ resource: Resource, to logger: Logger) {
        logger.debug(
            "Everything fetched",
            metadata: [
                "resource": "\(resource)", "pages": "\(pages)", "unchanged": "\(unchanged)",
                "records": "\(records)",
            ])
        if isCut {
            logger.info(
                "The last page was full and the settings ask for no more; upstream may have more",
                metadata: ["resource": "\(resource)", "pages": "\(pages)"])
        }
        if duplicates > 0 {
            // Upstreams of facts usually send some twice.
            logger.log(
                level: resource == .facts ? .debug : .notice,
                "Upstream sent records more than once; each is kept once",
                metadata: ["resource": "\(resource)", "duplicates": "\(duplicates)"])
        }
        if let more {
            logger.warning(
                "Upstream seems to have more",
                metadata: ["resource": "\(resource)", "sign": "\(more)", "setting": "\(resource).paging"])
        }
        if shared.count > 0 || unread.unidentified > 0 {
            logger.warning(
                "Some records can't be told apart",
                metadata: [
                    "resource": "\(resource)", "sharedID": "\(shared.count)",
                    "withoutID": "\(unread.unidentified)",
                    "first": "\(unread.reason ?? shared.differing ?? "none")",
                ])
        }
        if let first = unread.tooLong.first {
            logger.warning(
                "Values of more than 64 KiB are left out",
                metadata: [
                    "resource": "\(resource)", "values": "\(unread.tooLong.count)",
                    "first": "\(first)",
                ])
        }
    }
}
