import Cache
import Logging
import Model
import Services
import SyncCore

/// Runs the machines: one event after the other, each transition written before anybody is told of it.
///
/// All that happens goes through one inbox, so that the order of the transitions in the cache, in the states told and at the
/// watchers is the same. Reading the states waits for none of it.
package actor SyncEngine {
    let cache: Cache
    nonisolated let surroundings: Surroundings
    let logger: Logger
    /// While paused nothing syncs by itself.
    package private(set) var paused: Bool

    var runners: [Resource: Runner] = [:]
    var subscribers = Subscribers()
    private(set) var epoch = ""
    var lastIndex = 0

    private(set) var fetchOneFact: @Sendable () async throws -> NewFact
    var fetchingFact: Task<Fact, any Error>?

    let messages: AsyncStream<Message>
    nonisolated let inbox: AsyncStream<Message>.Continuation

    package init(
        plans: [SyncPlan], facts: FactsService, cache: Cache, surroundings: Surroundings,
        paused: Bool = false,
        logger: Logger
    ) async throws {
        self.cache = cache
        self.surroundings = surroundings
        self.paused = paused
        self.logger = logger
        fetchOneFact = facts.fetchOne
        (messages, inbox) = AsyncStream.makeStream()
        let intervals = plans.map { ($0.resource, $0.schedule.interval) }
        let restored = try await cache.writer.restore(
            Dictionary(uniqueKeysWithValues: intervals), surroundings.now())
        epoch = restored.epoch
        lastIndex = restored.lastIndex
        for plan in plans {
            guard let saved = restored.resources[plan.resource] else { continue }
            runners[plan.resource] = Runner(plan: plan, saved: saved)
        }
    }

    /// Runs until the task is cancelled: what syncs then is found interrupted at the next start.
    package func run() async {
        for resource in runners.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            inbox.yield(.event(resource, .restarted))
        }
        for await message in messages {
            await handle(message)
        }
        inbox.finish()
        for runner in runners.values {
            runner.sync?.cancel()
            runner.timer?.cancel()
            for waiting in runner.waiting { waiting.resume(throwing: CancellationError()) }
        }
        runners = runners.mapValues { runner in
            var runner = runner
            runner.waiting = []
            return runner
        }
        subscribers.finish()
    }

    /// Takes up other settings: what syncs now ends as it began, and the next sync of each is planned anew.
    package func adopt(_ plans: [SyncPlan], facts: FactsService, paused: Bool) {
        fetchOneFact = facts.fetchOne
        self.paused = paused
        for plan in plans {
            guard let runner = runners[plan.resource] else { continue }
            runners[plan.resource]?.plan = plan
            guard runner.machine.runningGeneration == nil else { continue }
            if paused {
                runner.timer?.cancel()
            } else {
                let due = runner.saved.state.syncedAt.map { $0 + plan.schedule.interval - surroundings.now() }
                let planned = runner.saved.state.nextSyncAt.map { $0 - surroundings.now() }
                wake(plan.resource, after: max(.zero, min(due ?? .zero, planned ?? due ?? .zero)))
            }
        }
    }

    /// The state of each resource, as last written.
    package var states: [State] {
        let now = surroundings.now()
        return Resource.allCases.compactMap { runners[$0]?.state(now: now) }
    }

    /// The wall clock, as the engine has it.
    package nonisolated var now: Timestamp { surroundings.now() }

    func state(of resource: Resource) -> State? { runners[resource]?.state(now: surroundings.now()) }

    // MARK: One transition

    /// Has the machine handle an event: writes the transition, then keeps the machine, then tells of it.
    /// Throws where it can't be written; then nothing has happened.
    func perform(_ event: Machine.Event, on resource: Resource, retryAfter: Duration? = nil) async throws {
        guard let runner = runners[resource] else { return }
        var machine = runner.machine
        let actions = machine.handle(event)
        var delay: Duration?
        for case .schedule(let next) in actions {
            delay = self.delay(next, retryAfter: retryAfter, runner)
        }
        for case .record(let transition) in actions {
            let now = surroundings.now()
            let landing = Landing(
                machine: machine, transition: transition, saved: runner.saved,
                interval: runner.plan.schedule.interval,
                now: now, nextSyncAt: paused ? nil : delay.map { now + $0 })
            publish(try await cache.writer.record(landing.change))
        }
        runners[resource]?.machine = machine
        for action in actions {
            switch action {
            case .record: break
            case .report(let progress):
                runners[resource]?.progress = progress
                if let state = state(of: resource) { subscribers.report(state) }
            case .startSync(let generation): start(resource, generation)
            case .stopSync: stop(resource)
            case .schedule: if let delay { wake(resource, after: delay) }
            }
        }
        if machine.runningGeneration == nil { ended(resource) }
    }

    /// The commit is the one transition that is written together with rows: what it is depends on them.
    func commit(_ resource: Resource, _ generation: Int) async throws {
        guard let runner = runners[resource], runner.machine.runningGeneration == generation else { return }
        let machine = runner.machine
        let now = surroundings.now()
        let delay = self.delay(.afterInterval, runner)
        let paused = paused
        let change = try await cache.writer.commit(resource, generation) { rows in
            if !runner.acceptsRemovals, let failure = runner.plan.refusal(rows) { throw failure }
            var machine = machine
            var landing: Landing?
            for case .record(let transition) in machine.handle(
                .committed(generation: generation, rows: rows.after))
            {
                landing = Landing(
                    machine: machine, transition: transition, saved: runner.saved,
                    interval: runner.plan.schedule.interval, now: now,
                    nextSyncAt: paused ? nil : delay.map { now + $0 }, committedRows: rows.after)
            }
            guard let landing else { throw CancellationError() }
            return landing.change
        }
        _ = runners[resource]?.machine.handle(
            .committed(generation: generation, rows: change.transition.count))
        publish(change)
        if let delay { wake(resource, after: delay) }
        ended(resource)
    }

    private func publish(_ change: Change) {
        let transition = change.transition
        runners[transition.resource]?.saved = change.resource
        runners[transition.resource]?.progress = nil
        lastIndex = transition.index
        logger.info(
            "Transition",
            metadata: [
                "index": "\(transition.index)", "resource": "\(transition.resource)",
                "phase": "\(transition.phase)", "cause": "\(transition.cause)",
                "count": "\(transition.count)",
                "failure": "\(transition.failure?.message ?? "none")",
            ])
        subscribers.publish(transition)
    }

    private func ended(_ resource: Resource) {
        guard let runner = runners[resource], !runner.waiting.isEmpty, let state = state(of: resource) else {
            return
        }
        runners[resource]?.waiting = []
        for waiting in runner.waiting { waiting.resume(returning: state) }
    }

    /// Nil where nothing is to happen by itself.
    private func delay(_ next: NextSync, retryAfter: Duration? = nil, _ runner: Runner) -> Duration? {
        runner.plan.schedule.delay(until: next, retryAfter: retryAfter, draw: surroundings.draw())
            ?? runner.saved.state.nextSyncAt.map { max(.zero, $0 - surroundings.now()) } ?? .zero
    }

    // MARK: Tasks

    private func start(_ resource: Resource, _ generation: Int) {
        guard let runner = runners[resource] else { return }
        runner.timer?.cancel()
        let (plan, writer, inbox) = (runner.plan, cache.writer, inbox)
        runners[resource]?.sync = Task {
            do {
                try await writer.beginStaging(resource, generation)
                let staged = try await plan.stage(generation) { progress in
                    inbox.yield(.event(resource, .page(generation: generation, progress)))
                }
                inbox.yield(.staged(resource, generation, staged))
            } catch {
                inbox.yield(.failed(resource, generation, UpstreamError(reading: error)))
            }
        }
    }

    private func stop(_ resource: Resource) {
        runners[resource]?.sync?.cancel()
        runners[resource]?.sync = nil
    }

    func wake(_ resource: Resource, after delay: Duration) {
        guard !paused else { return }
        later(.want(resource, .due, acceptsRemovals: false, wait: false, nil), after: delay)
    }

    /// A resource has one timer: setting it takes the place of what it was set to before.
    func later(_ message: Message, after delay: Duration) {
        runners[message.resource]?.timer?.cancel()
        let (sleep, inbox) = (surroundings.sleep, inbox)
        runners[message.resource]?.timer = Task {
            do { try await sleep(delay) } catch { return }
            inbox.yield(message)
        }
    }
}
