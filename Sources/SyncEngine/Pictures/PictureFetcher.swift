import Cache
import Logging
import Model
import Services

/// Fetches pictures of users: ahead, those that are due after a commit of users; and single ones for those who ask for them.
///
/// What goes wrong with one is nobody's concern but its own: it stays as it was, and is due again later.
package actor PictureFetcher {
    let cache: PictureCache
    let surroundings: Surroundings
    let limits: PictureLimits
    let logger: Logger
    private(set) var service: PicturesService
    private var sizes: Set<PictureSize>

    /// Until then, on the clock that no one sets, upstream wants to be left alone.
    private var restsUntil: Duration?
    private var hasSaidFull = false
    private let wakeups: AsyncStream<Void>
    private nonisolated let bell: AsyncStream<Void>.Continuation

    /// Fetches that somebody waits for, by address.
    var fetching: [String: Task<FetchedPicture?, Never>] = [:]
    /// Addresses that gave no picture, and until when they are left alone whoever asks, on the clock that no one sets.
    var refusals: [String: Duration] = [:]
    let slots: Slots
    /// Of those who ask.
    package internal(set) var waitingCount = 0
    private(set) var hasEnded = false

    /// - Parameter sizes: those that are fetched ahead.
    package init(
        service: PicturesService, sizes: Set<PictureSize>, cache: PictureCache, surroundings: Surroundings,
        limits: PictureLimits = PictureLimits(), logger: Logger
    ) {
        self.service = service
        self.sizes = sizes
        self.cache = cache
        self.surroundings = surroundings
        self.limits = limits
        self.logger = logger
        slots = Slots(limits.askedConcurrency)
        (wakeups, bell) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Has what is due fetched. Where that is under way, it is looked once more afterwards.
    package nonisolated func wake() { bell.yield() }

    /// Runs until the task is cancelled; what is being fetched then is left.
    package func run() async {
        await say(sizes)
        for await _ in wakeups { await fetchDue() }
        hasEnded = true
        for task in fetching.values { task.cancel() }
    }

    /// Takes up other settings. What is being fetched comes from where it was asked for.
    package func adopt(_ service: PicturesService, sizes: Set<PictureSize>) async {
        self.service = service
        self.sizes = sizes
        await say(sizes)
    }

    private func say(_ sizes: Set<PictureSize>) async {
        do {
            try await cache.prefetch(sizes)
        } catch {
            logger.error(
                "Which pictures are wanted could not be written", metadata: ["reason": "\(error)"])
        }
    }

    // MARK: Ahead

    private func fetchDue() async {
        guard !sizes.isEmpty else { return }
        if let restsUntil, surroundings.monotonic() < restsUntil {
            return logger.debug("Pictures wait for as long as upstream wishes")
        }
        var run = PictureRun(began: surroundings.now(), limits: limits)
        do {
            try await fetchDue(&run)
        } catch is CancellationError {
            return
        } catch {
            logger.error("Pictures could not be kept", metadata: ["reason": "\(error)"])
        }
        restsUntil = run.rest.map { surroundings.monotonic() + $0 }
        if run.count == 0 {
            logger.debug("No picture was fetched")
        } else {
            logger.info(
                "Pictures fetched",
                metadata: [
                    "new": "\(run.fetched)", "unchanged": "\(run.unchanged)", "failed": "\(run.failed)",
                ])
        }
        if run.isOver {
            logger.notice(
                "Pictures are left until the next sync: upstream does not give them now",
                metadata: ["reason": "\(run.lastFailure ?? "")"])
        }
    }

    private func fetchDue(_ run: inout PictureRun) async throws {
        while !run.isOver {
            let due = try await cache.due(run.began, limits.batch)
            guard !due.isEmpty else { return }
            if run.bytes == nil { run.bytes = try await cache.bytes() }
            guard !run.isFull else {
                if !hasSaidFull {
                    logger.warning(
                        "No more pictures are fetched ahead: the cache holds as many as it may",
                        metadata: ["bytes": "\(run.bytes ?? 0)"])
                }
                hasSaidFull = true
                return
            }
            hasSaidFull = false
            try await fetch(due, &run)
        }
    }

    /// A few at a time.
    private func fetch(_ batch: [DuePicture], _ run: inout PictureRun) async throws {
        let service = service
        try await withThrowingTaskGroup(of: (DuePicture, PictureResult).self) { group in
            var rest = batch[...]
            func fetchNext() {
                guard let picture = rest.popFirst() else { return }
                group.addTask {
                    (
                        picture,
                        try await PictureResult { try await service.fetch(picture.url, picture.validators) }
                    )
                }
            }
            for _ in 0..<limits.concurrency { fetchNext() }
            while let (picture, result) = try await group.next() {
                try Task.checkCancellation()
                let (outcome, dueAt) = run.note(result, now: surroundings.now())
                try await cache.settle(picture.url, outcome, dueAt)
                if run.isOver || run.isFull { return group.cancelAll() }
                fetchNext()
            }
        }
    }
}
