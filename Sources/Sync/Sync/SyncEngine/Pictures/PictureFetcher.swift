import Cache
import Logging
import Model
import Upstream

/// Fetches pictures of users: due ones ahead after each commit of users, and single ones on request.
///
/// A failed picture affects no other; it stays as it was and is due again later.
package actor PictureFetcher {
    let cache: PictureCache
    let environment: EngineEnvironment
    let limits: PictureLimits
    let logger: Logger
    private(set) var service: PicturesService
    private var sizes: Set<PictureSize>

    /// When the `Retry-After` of each host ends, on the monotonic clock.
    private var backoffs: [String: Duration] = [:]
    private var hasSaidFull = false
    private let wakeups: AsyncStream<Void>
    private nonisolated let wakeup: AsyncStream<Void>.Continuation

    var fetching: [String: Task<FetchedPicture?, Never>] = [:]
    /// Addresses that gave no picture, with the end of the time in which requests skip them, on the monotonic
    /// clock.
    var refusals: [String: Duration] = [:]
    let slots: Semaphore
    /// Number of waiting requests.
    package internal(set) var waitingCount = 0
    private(set) var hasEnded = false

    /// - Parameter sizes: pictures of these sizes are fetched ahead.
    package init(
        service: PicturesService, sizes: Set<PictureSize>, cache: PictureCache,
        environment: EngineEnvironment, limits: PictureLimits = PictureLimits(), logger: Logger
    ) {
        self.service = service
        self.sizes = sizes
        self.cache = cache
        self.environment = environment
        self.limits = limits
        self.logger = logger
        slots = Semaphore(limits.askedConcurrency)
        (wakeups, wakeup) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Fetches due pictures. If a run is under way, another one follows it.
    package nonisolated func wake() { wakeup.yield() }

    /// Runs until the task is cancelled, which also cancels fetches.
    /// - Parameter isPaused: while true, nothing is fetched ahead.
    package func run(isPaused: @escaping @Sendable () -> Bool) async {
        await savePrefetch()
        for await _ in wakeups { await fetchDue(isPaused) }
        hasEnded = true
        for task in fetching.values { task.cancel() }
    }

    /// Applies new settings; running fetches keep their own.
    package func adopt(_ service: PicturesService, sizes: Set<PictureSize>) async {
        self.service = service
        self.sizes = sizes
        await savePrefetch()
    }

    private func savePrefetch() async {
        do {
            try await cache.prefetch(sizes)
        } catch {
            logger.error("Can't save which pictures to fetch", metadata: ["reason": "\(error)"])
        }
    }

    // MARK: Hosts

    func isBackingOff(_ host: String) -> Bool { backoffs[host].map { environment.monotonic() < $0 } ?? false }

    func backOff(_ host: String, _ error: UpstreamError) {
        guard let backoff = error.backoff else { return }
        if backoffs.count >= 1000 { backoffs = backoffs.filter { isBackingOff($0.key) } }
        if backoffs.count >= 1000 { backoffs = [:] }
        backoffs[host] = environment.monotonic() + backoff
    }

    // MARK: Ahead

    private func fetchDue(_ isPaused: @Sendable () -> Bool) async {
        guard !sizes.isEmpty else { return }
        guard !isPaused() else { return logger.debug("Pictures wait for the end of the pause") }
        var run = PictureRun(
            began: environment.now(), away: Set(backoffs.keys.filter(isBackingOff)), limits: limits)
        do {
            // `savePrefetch` may have failed.
            try await cache.prefetch(sizes)
            try await fetchDue(&run, isPaused)
        } catch is CancellationError {
            return
        } catch {
            logger.error("Can't save pictures", metadata: ["reason": "\(error)"])
        }
        if run.count == 0 {
            logger.debug("No picture was fetched")
        } else {
            logger.info(
                "Pictures fetched",
                metadata: [
                    "new": "\(run.fetched)", "unchanged": "\(run.unchanged)", "absent": "\(run.absent)",
                    "failed": "\(run.failed)",
                ])
        }
        if let reason = run.reason {
            logger.notice(
                "Can't fetch some pictures; trying again after the next sync",
                metadata: ["reason": "\(reason)"])
        }
    }

    private func fetchDue(_ run: inout PictureRun, _ isPaused: @Sendable () -> Bool) async throws {
        while !run.isOver, !isPaused() {
            // Far beyond what this run sets, also if the clock went ahead meanwhile.
            var query = DueQuery(before: run.began, limit: limits.batch)
            query.latest = max(run.began, environment.now()) + limits.recheck * 2
            query.leftOut = run.away
            var due = try await cache.due(query)
            guard !due.isEmpty else { return }
            if run.bytes == nil { run.bytes = try await cache.bytes() }
            if run.isFull {
                if !hasSaidFull, due.contains(where: { $0.bytes == nil }) {
                    hasSaidFull = true
                    logger.warning(
                        "No more pictures are fetched ahead: they have reached their size limit in the cache",
                        metadata: ["bytes": "\(run.bytes ?? 0)"])
                }
                query.isCachedOnly = true
                due = try await cache.due(query)
                guard !due.isEmpty else { return }
            } else {
                hasSaidFull = false
            }
            let before = run.count
            try await fetch(due, &run, isPaused)
            // No fetch was started, so the next batch would be the same.
            guard run.count > before else { return }
        }
    }

    private func fetch(
        _ batch: [DuePicture], _ run: inout PictureRun, _ isPaused: @Sendable () -> Bool
    ) async throws {
        let service = service
        let wasFull = run.isFull
        try await withThrowingTaskGroup(of: (DuePicture, Result<PictureAnswer, UpstreamError>).self) {
            group in
            var rest = batch[...]
            func fetchNext() {
                rest = rest.drop { run.leavesOut($0) }
                guard let picture = rest.popFirst() else { return }
                group.addTask {
                    do {
                        let answer = try await service.fetch(picture.url, picture.validators)
                        return (picture, .success(answer))
                    } catch let error as UpstreamError {
                        return (picture, .failure(error))
                    }
                }
            }
            for _ in 0..<limits.concurrency { fetchNext() }
            while let (picture, result) = try await group.next() {
                try Task.checkCancellation()
                let (outcome, dueAt) = run.note(result, of: picture, now: environment.now())
                if case .failure(let error) = result { backOff(host(of: picture.url), error) }
                try await cache.settle(picture.url, outcome, dueAt)
                if run.isOver || isPaused() || run.isFull && !wasFull { return group.cancelAll() }
                fetchNext()
            }
        }
    }
}
