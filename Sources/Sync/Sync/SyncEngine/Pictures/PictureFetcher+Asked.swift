import Cache
import Logging
import Model
import Upstream

/// Single pictures, on request.
extension PictureFetcher {
    /// Fetches and caches a picture. Returns the found one if that fails or takes too long. Concurrent
    /// requests for the same picture share the first one's fetch and its time limit.
    package func fetch(_ found: FoundPicture) async -> FetchedPicture? {
        guard let url = found.url else { return nil }
        waitingCount += 1
        defer { waitingCount -= 1 }
        if let task = fetching[url] { return await task.value }
        guard !hasEnded, !isRefused(url), !isBackingOff(host(of: url)), fetching.count < limits.requestLimit
        else {
            return found.picture
        }
        let task = Task(executorPreference: environment.executor) { await self.answer(found, at: url) }
        fetching[url] = task
        return await task.value
    }

    private func answer(_ found: FoundPicture, at url: String) async -> FetchedPicture? {
        defer { fetching[url] = nil }
        do {
            switch try await ask(url) {
            case .picture(let picture):
                var kept = found
                kept.picture = picture
                await write { [kept] cache, now in
                    try await cache.keep(kept, self.limits.dueAt(after: picture, now: now), self.limits.bytes)
                }
                return picture
            case .absent:
                refuse(url)
                await write { try await $0.settle(url, .absent, $1 + self.limits.recheck) }
                return nil
            case .unchanged, nil: return found.picture
            }
        } catch {
            refused(url, error)
            return found.picture
        }
    }

    private func write(_ body: (PictureCache, Timestamp) async throws -> Void) async {
        do { try await body(cache, environment.now()) } catch {
            logger.error("Can't save a picture", metadata: ["reason": "\(error)"])
        }
    }

    private nonisolated func ask(_ url: String) async throws -> PictureAnswer? {
        let service = await service
        return try await within(limits.patience, environment.sleep) {
            try await self.slots.holding { try await service.fetch(url, nil) }
        }
    }

    private func isRefused(_ url: String) -> Bool {
        refusals[url].map { environment.monotonic() < $0 } ?? false
    }

    private func refused(_ url: String, _ error: any Error) {
        guard let error = error as? UpstreamError else { return }
        logger.debug("Can't fetch a picture", metadata: ["reason": "\(error.failure.message)"])
        if error.isAway { return backOff(host(of: url), error) }
        refuse(url)
    }

    private func refuse(_ url: String) {
        if refusals.count >= 1000 { refusals = [:] }
        refusals[url] = environment.monotonic() + limits.refusal
    }
}

/// Limits the work done at the same time; the rest waits in order.
actor Semaphore {
    private var free: Int
    private var waiting: [(number: Int, turn: CheckedContinuation<Void, any Error>)] = []
    private var nextNumber = 0

    init(_ count: Int) { free = count }

    /// Throws `CancellationError` if the task is cancelled before its turn.
    func holding<Value: Sendable>(_ work: @Sendable () async throws -> Value) async throws -> Value {
        try await take()
        defer { put() }
        return try await work()
    }

    private func take() async throws {
        try Task.checkCancellation()
        if free > 0 {
            free -= 1
            return
        }
        nextNumber += 1
        let number = nextNumber
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiting.append((number, $0)) }
        } onCancel: {
            Task { await leave(number) }
        }
    }

    private func put() {
        if waiting.isEmpty { free += 1 } else { waiting.removeFirst().turn.resume() }
    }

    private func leave(_ number: Int) {
        guard let index = waiting.firstIndex(where: { $0.number == number }) else { return }
        waiting.remove(at: index).turn.resume(throwing: CancellationError())
    }
}
