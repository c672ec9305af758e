import Cache
import Logging
import Model
import Upstream

/// Stages a sync of a directory that can say what changed: its changes, or its full list, with which the changes are
/// compared. `ChangeTrust` decides which.
struct ChangesSync: Sendable {
    let service: ChangesService
    let cache: CacheWriter
    let sync: Int
    /// The longest time between two full lists.
    let fullInterval: Duration
    let logger: Logger
    let report: @Sendable (Progress) -> Void

    /// - Parameter list: stages the full list.
    func stage(
        _ start: SyncStart, _ retries: PageRetries?, list: () async throws -> StagedPages
    ) async throws -> StagedPages {
        var known = TrackedChanges(fingerprint: service.fingerprint)
        if let changes = start.changes, changes.fingerprint == service.fingerprint { known = changes }
        known.trust.reconsider(now: start.now)
        if let obstacle = service.obstacle { known.trust.refuse(obstacle, now: start.now) }

        let approach = known.approach(
            fullInterval: fullInterval, isRequested: start.isFull, last: start.last,
            now: start.now, draw: start.draw)
        var read: ReadChanges?
        if let token = known.token, approach != .list(isCompared: false) {
            do {
                read = try await readChanges(after: token, retries, reports: approach == .changes)
                known.refusedTokens = 0
            } catch let error as UpstreamError where error.refusesToken {
                logger.notice(
                    "The directory can't say what changed since the last sync",
                    metadata: ["reason": "\(error.failure.message)"])
                known.refuseToken(error.failure.message, now: start.now)
                // Earlier pages of the changes may be staged.
                try await cache.beginAgain(.users, sync)
            } catch let error as ChangesUnknown {
                logger.info("The whole list is read", metadata: ["reason": "\(error.reason)"])
                (known.token, known.unnamed) = (nil, [])
                try await cache.beginAgain(.users, sync)
            }
        }
        if let read {
            if !known.unnamed.isEmpty {
                known.judge(named: try await cache.named(known.unnamed, sync), now: start.now)
            }
            known.token = read.token
            let isTaken = approach == .changes && known.trust.level == .trusted
            let isEmpty = read.staged.records + read.gone == 0 && !read.needsList
            if isEmpty, approach != .list(isCompared: true) {
                return try await unchanged(read.staged, start, known)
            }
            if isTaken, !read.needsList {
                var staged = read.staged
                (staged.scope, staged.tracked) = (.changes, known)
                return staged
            }
            try await cache.beginComparedList(sync, ofAll: service.namesAll)
        }
        return try await full(start, known, list)
    }

    private func unchanged(
        _ staged: StagedPages, _ start: SyncStart, _ known: TrackedChanges
    ) async throws -> StagedPages {
        var staged = staged
        staged.records = try await cache.stageSameList(.users, sync)
        (staged.isUnchangedList, staged.list) = (true, start.list)
        (staged.scope, staged.tracked) = (.changes, known)
        return staged
    }

    private func full(
        _ start: SyncStart, _ known: TrackedChanges, _ list: () async throws -> StagedPages
    ) async throws -> StagedPages {
        var known = known
        // Before the list, so that the next changes have what changes while it is read. A person may ask again, once what was refused
        // is allowed.
        if known.token == nil, known.trust.refusal == nil || start.isFull && service.obstacle == nil {
            do {
                known.token = try await service.begin()
                if known.token != nil, known.trust.refusal != nil { known.trust = ChangeTrust() }
            } catch let error as UpstreamError {
                // The list would not wait as long as the directory asks for. The first one does not depend on changes.
                if error.failure.kind == .rateLimited, known.listedAt != nil { throw error }
                // Others are temporary, or the list's own request fails, too.
                if error.forbidsChanges { known.trust.refuse(error.failure.message, now: start.now) }
            }
        }
        var staged = try await list()
        if known.trust.refusal == nil, let token = staged.changeToken {
            if service.isTokenRenewedByLists || known.token == nil { known.token = token }
        } else if !service.isTokenRenewedByLists, !staged.isUnchangedList {
            // The list shows that the directory can't say what changes.
            known.token = nil
        }
        (known.listedAt, known.waitsUntil) = (start.now, nil)
        (staged.scope, staged.tracked) = (.full, known)
        return staged
    }

    private struct ReadChanges {
        var staged = StagedPages()
        var gone = 0
        var needsList = false
        var token: String
    }

    /// - Parameter reports: false if the list may follow, whose progress counts.
    private func readChanges(
        after token: String, _ retries: PageRetries?, reports: Bool
    ) async throws -> ReadChanges {
        var (read, retries) = (ReadChanges(token: token), retries)
        var seen: Set<String> = []
        var next: PageRequest? = .first
        while let request = next {
            try Task.checkCancellation()
            let page: Page<User>
            (page, retries) = try await PageRetries.repeating(request, retries) {
                try await service.fetchPage(token, request) { try await cache.stamps($0) }
            }
            let staged = try await cache.stageChanges(page, sync)
            read.gone += staged.gone
            read.staged.pages += 1
            read.staged.records += page.records.count
            read.needsList = read.needsList || staged.needsList || page.unread.unidentified > 0
            if reports { report(Progress(done: read.staged.records + read.gone)) }
            if let token = page.changeToken { read.token = token }
            next = page.next
            let limits = PagingLimits()
            let isEndless =
                read.staged.pages >= limits.pages || read.staged.records + read.gone > limits.records
                || page.next?.token.map { !seen.insert($0).inserted } == true
            if next != nil, isEndless {
                throw UpstreamError(.decode, "the changes that upstream names do not end")
            }
            if next == nil, page.changeToken == nil {
                throw UpstreamError(.decode, "upstream does not say where the next changes begin")
            }
        }
        return read
    }
}

extension UpstreamError {
    /// Whether the directory has no changes for this caller.
    fileprivate var forbidsChanges: Bool {
        switch failure.httpStatus {
        case 401: false
        case 501: true
        default: !failure.retryable
        }
    }

    /// Whether the directory knows the caller, and does not take the token; or sends what can't be read as changes.
    fileprivate var refusesToken: Bool {
        if failure.kind == .decode || failure.kind == .tooLarge { return true }
        return !failure.retryable && !failure.isAboutCredentials
    }
}
