import Model
import Services
import SyncCore

/// What clients ask of the engine.
extension SyncEngine {
    /// Starts a sync of each, or joins the one that runs.
    /// - Parameter wait: answer when they have ended, whichever way.
    /// - Returns: the states then. Throws `CacheError` where the transition could not be written.
    package func sync(
        _ resources: [Resource], cause: Cause = .requested, acceptsRemovals: Bool = false, wait: Bool = false
    ) async throws -> [State] {
        try await ask(resources) {
            .want($0, cause, acceptsRemovals: acceptsRemovals, wait: wait, $1)
        }
    }

    /// Like `sync`, but starts one for those in error alone.
    package func retry(_ resources: [Resource], wait: Bool = false) async throws -> [State] {
        try await sync(resources, cause: .retried, wait: wait)
    }

    /// Those who wait for a sync to end. Who asks sees, too, that the engine answers.
    package var waitingCount: Int { runners.values.reduce(0) { $0 + $1.waiting.count } }

    /// Stops what runs: each goes back to the phase that it was in.
    package func cancel(_ resources: [Resource]) async throws -> [State] {
        try await ask(resources) { .cancel($0, $1) }
    }

    /// Says that what kept an attempt from succeeding may have ended. Returns at once.
    package nonisolated func wake(_ wakeup: Wakeup) { inbox.yield(.wakeup(wakeup)) }

    /// While paused nothing syncs by itself, also after a restart, until the settings say something else than they do now.
    /// Throws `CacheError` where that could not be written; then nothing has changed.
    package func setPaused(_ paused: Bool) async throws {
        try await withCheckedThrowingContinuation { reply in
            Self.send(.setPaused(paused, reply), to: inbox) { reply.resume(throwing: CancellationError()) }
        }
    }

    /// Asks upstream for one more fact and caches it; callers at the same time share the answer.
    package func fetchFact() async throws -> Fact {
        guard !transitionLog.isFinished else { throw CancellationError() }
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

    /// Takes up other settings: what syncs now ends as it began, and the next sync of each is planned anew.
    /// - Parameter watchQueue: nil where that stays as it was.
    package func adopt(
        _ plans: [SyncPlan], facts: FactsService, paused: Bool, watchQueue: Int? = nil
    ) async {
        if let watchQueue { transitionLog.keep(watchQueue) }
        await withCheckedContinuation { done in
            Self.send(.adopt(plans, facts, paused: paused, done), to: inbox) { done.resume() }
        }
    }

    private func ask(
        _ resources: [Resource], _ message: @escaping @Sendable (Resource, Caller) -> Message
    ) async throws -> [State] {
        let inbox = inbox
        return try await withThrowingTaskGroup(of: State.self) { group in
            var before: AsyncStream<Never>?
            for resource in resources {
                // In this order, whichever task comes first.
                let (asked, isAsked) = AsyncStream.makeStream(of: Never.self)
                group.addTask { [before] in
                    if let before { for await _ in before {} }
                    return try await Self.ask(inbox, of: resource, { message(resource, $0) }, isAsked.finish)
                }
                before = asked
            }
            var states: [Resource: State] = [:]
            for try await state in group { states[state.resource] = state }
            return resources.compactMap { states[$0] }
        }
    }

    /// One who is cancelled is let go at once; what was asked for happens all the same.
    private static func ask(
        _ inbox: AsyncStream<Message>.Continuation, of resource: Resource, _ message: (Caller) -> Message,
        _ asked: () -> Void
    ) async throws -> State {
        let ticket = Caller.Ticket()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { answer in
                send(message(Caller(ticket: ticket, answer: answer)), to: inbox) {
                    answer.resume(throwing: CancellationError())
                }
                asked()
                // The handler below may have come before there was anybody to let go.
                if Task.isCancelled { inbox.yield(.leave(resource, ticket)) }
            }
        } onCancel: {
            inbox.yield(.leave(resource, ticket))
        }
    }

    private static func send(
        _ message: Message, to inbox: AsyncStream<Message>.Continuation, otherwise ended: () -> Void
    ) {
        if case .terminated = inbox.yield(message) { ended() }
    }
}
