import Model
import Upstream

extension SyncEngine {
    /// Starts a sync of each resource, or joins the running one. Waits until the budget has one. Throws
    /// `CacheError` if the transition can't be written.
    /// - Parameters:
    ///   - isFull: reads the full list of a directory that can say what changed.
    ///   - isNew: never joins a sync that runs already.
    ///   - patience: while a `Retry-After` holds that the request heeds, returns the state in error.
    ///   - wait: return when the syncs have ended, with or without success.
    package func sync(
        _ resources: [Resource], cause: Cause = .requested, acceptsRemovals: Bool = false,
        isFull: Bool = false, isNew: Bool = false, patience: Patience = .waits, wait: Bool = false
    ) async throws -> [State] {
        try await ask(resources) {
            .request(
                $0,
                Request(
                    cause: cause, acceptsRemovals: acceptsRemovals, isFull: isFull, isNew: isNew,
                    patience: patience, wait: wait, caller: $1))
        }
    }

    /// Like `sync`, but only for resources in error.
    package func retry(
        _ resources: [Resource], patience: Patience = .waits, wait: Bool = false
    ) async throws -> [State] {
        try await sync(resources, cause: .retried, patience: patience, wait: wait)
    }

    /// Number of calls that wait for a sync to end. The watchdog reads it to see that the engine answers.
    package var waitingCount: Int { runners.values.reduce(0) { $0 + $1.waiting.count } }

    /// Number of calls that wait for a sync to begin.
    package var requestCount: Int { runners.values.reduce(0) { $0 + $1.requests.count } }

    /// Stops running syncs: each resource returns to the phase before.
    package func cancel(_ resources: [Resource]) async throws -> [State] {
        try await ask(resources) { .cancel($0, $1) }
    }

    /// Brings forward retries that may succeed after this event. Returns at once.
    package nonisolated func wake(_ wakeup: Wakeup) { inbox.yield(.wakeup(wakeup)) }

    /// While paused, no sync starts by itself. This outlives a restart, but not a change of the setting
    /// `paused`. Throws `CacheError` if it can't be written; then nothing changes.
    package func setPaused(_ paused: Bool) async throws {
        try await withCheckedThrowingContinuation { reply in
            Self.send(.setPaused(paused, reply), to: inbox) { reply.resume(throwing: CancellationError()) }
        }
    }

    /// Fetches one fact and caches it; concurrent calls share the answer.
    package func fetchFact() async throws -> Fact {
        guard !transitionFeed.isFinished else { throw CancellationError() }
        if let fetchingFact { return try await fetchingFact.value }
        let (fetchOne, now, inbox) = (fetchOneFact, environment.now, inbox)
        let task = Task(executorPreference: environment.executor) {
            let fact = Fact(try await fetchOne(), firstSeenAt: now())
            return try await withCheckedThrowingContinuation { reply in
                Self.send(.fetched(fact, reply), to: inbox) { reply.resume(throwing: CancellationError()) }
            }
        }
        fetchingFact = task
        defer { fetchingFact = nil }
        return try await task.value
    }

    /// Applies new settings. A running sync keeps its own, and the next is due at once; but one of another upstream is
    /// stopped, and those who wait for it get the outcome of the next.
    /// - Parameters:
    ///   - plans: for resources that are on. The others are turned off, and their syncs stopped.
    ///   - watchQueue: nil if unchanged.
    ///   - requestedSyncs: see `init`.
    package func adopt(
        _ plans: [SyncPlan], facts: FactsService, paused: Bool, watchQueue: Int? = nil,
        requestedSyncs: Int? = nil
    ) async {
        for resource in Resource.allCases { runners[resource]?.budget.burst = requestedSyncs }
        if let watchQueue { transitionFeed.setCapacity(watchQueue) }
        await withCheckedContinuation { done in
            Self.send(.adopt(plans, facts, paused: paused, done), to: inbox) { done.resume() }
        }
    }

    /// A cancelled call returns at once; what has begun goes on.
    private func ask(
        _ resources: [Resource], _ message: (Resource, Caller) -> Message
    ) async throws -> [State] {
        let inbox = inbox
        // Sends all messages, in the order of `resources`, before waiting for an answer.
        let answers = resources.map { resource in
            let (answer, caller) = AsyncThrowingStream.makeStream(of: State.self)
            caller.onTermination = { end in
                if case .cancelled = end { inbox.yield(.leave(resource, caller)) }
            }
            Self.send(message(resource, caller), to: inbox) { caller.finish(throwing: CancellationError()) }
            return answer
        }
        var states: [State] = []
        for answer in answers {
            for try await state in answer { states.append(state) }
        }
        try Task.checkCancellation()
        return states
    }

    private static func send(
        _ message: Message, to inbox: AsyncStream<Message>.Continuation, otherwise ended: () -> Void
    ) {
        if case .terminated = inbox.yield(message) { ended() }
    }
}
