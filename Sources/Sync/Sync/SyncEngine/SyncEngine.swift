import Cache
import Logging
import Model
import Upstream

/// Runs the machines: handles one event at a time, and writes each transition before publishing it.
///
/// All events go through one inbox, so that the cache, the states and the watchers have the same order of
/// transitions. Reading the states does not wait for events.
package actor SyncEngine {
    let cache: Cache
    nonisolated let environment: EngineEnvironment
    let logger: Logger
    nonisolated let stateStore = StateStore()
    /// While paused, no sync starts by itself.
    var isPaused: Bool { didSet { stateStore.publish(paused: isPaused) } }
    /// The setting `paused`. `setPaused` overrides it until the setting changes.
    var pausedSetting: Bool

    var runners: [Resource: Runner] = [:] { didSet { stateStore.publish(runners) } }
    var alarms = 0
    nonisolated let transitionFeed: TransitionFeed
    private(set) var epoch = ""
    var lastIndex = 0

    var fetchOneFact: @Sendable () async throws -> NewFact
    var fetchingFact: Task<Fact, any Error>?

    let messages: AsyncStream<Message>
    nonisolated let inbox: AsyncStream<Message>.Continuation

    /// - Parameters:
    ///   - plans: for resources that are on.
    ///   - paused: the setting of this name.
    ///   - watchQueue: number of a resource's transitions that may wait for a watcher.
    ///   - requestedSyncs: number of requested syncs of a resource that may begin in a row; nil for no limit.
    package init(
        plans: [SyncPlan], facts: FactsService, cache: Cache, environment: EngineEnvironment,
        paused: Bool = false, watchQueue: Int = 1024, requestedSyncs: Int? = nil, logger: Logger
    ) async throws {
        self.cache = cache
        self.environment = environment
        pausedSetting = paused
        isPaused = paused
        self.logger = logger
        fetchOneFact = facts.fetchOne
        (messages, inbox) = AsyncStream.makeStream()
        let intervals = plans.map { ($0.resource, $0.schedule.interval) }
        let restored = try await cache.writer.restore(
            Dictionary(uniqueKeysWithValues: intervals), environment.now())
        if let saved = restored.pause {
            if saved.setting == paused {
                isPaused = saved.paused
            } else {
                // The setting has changed since. It applies from now on, even if it changes back.
                try? await cache.writer.savePause(nil)
            }
        }
        stateStore.publish(paused: isPaused)
        epoch = restored.epoch
        lastIndex = restored.lastIndex
        transitionFeed = TransitionFeed(length: watchQueue, after: restored.lastIndex)
        for resource in Resource.allCases {
            let plan = plans.first { $0.resource == resource }
            let saved = restored.resources[resource]
            runners[resource] = Runner(
                plan: plan, saved: saved ?? .created(resource, epoch: epoch, now: environment.now()),
                interrupted: restored.interrupted[resource] ?? 0)
            runners[resource]?.budget.burst = requestedSyncs
            // Before any request: no caller may join a sync of the previous daemon.
            if plan != nil {
                inbox.yield(.event(resource, .restarted))
            } else if let saved, saved.state.cause != .turnedOff {
                inbox.yield(.event(resource, .turnedOff))
            }
        }
        stateStore.publish(runners)
    }

    /// Runs until the task is cancelled; the next start finds running syncs interrupted.
    package func run() async {
        await withTaskCancellationHandler {
            for await message in messages { await handle(message) }
        } onCancel: {
            // Without this, a commit of many rows delays the end by seconds.
            cache.writer.interrupt()
        }
        for resource in Resource.allCases {
            guard let runner = runners[resource] else { continue }
            runner.sync?.cancel()
            runner.alarm?.task.cancel()
            endReports(resource)
            runner.requestTimer?.cancel()
            runners[resource]?.waiting = []
            for caller in runner.waiting + runner.requests.map(\.caller) {
                caller.finish(throwing: CancellationError())
            }
        }
        fetchingFact?.cancel()
        transitionFeed.finish()
    }

    /// The state of each resource that is on, as last written.
    package nonisolated var states: [State] { stateStore.states(now: now) }

    /// What is odd about the last lists, for people.
    package nonisolated var notes: [Resource: ListNotes] { stateStore.notes }

    /// How far the directory's changes are trusted; nil if it can't say what changed.
    package nonisolated var changeTrust: ChangeTrust? { stateStore.changeTrust }

    /// Has a value after one or more changes of the states or the pause. For one reader.
    package nonisolated var changes: AsyncStream<Void> { stateStore.changes }

    package nonisolated var paused: Bool { stateStore.paused }

    /// The time on the engine's wall clock.
    package nonisolated var now: Timestamp { environment.now() }

    func state(of resource: Resource) -> State? { runners[resource]?.shown.state(at: now) }

    // MARK: One transition

    /// Has the machine handle an event: writes the transition, then publishes it and keeps the machine.
    /// If the transition can't be written, throws, and nothing changes.
    func perform(_ event: Machine.Event, on resource: Resource, retryAfter: Duration? = nil) async throws {
        guard let runner = runners[resource] else { return }
        var machine = runner.machine
        let actions = machine.handle(event)
        let now = environment.now()
        var planned: Planned?
        for case .schedule(let next) in actions {
            let isOutdated = next == .asBefore ? runner.hasAskedElsewhere : runner.isOutdated
            let next = isOutdated ? .atOnce : next
            planned = plan(next, for: runner, now: now, retryAfter: retryAfter)
        }
        for case .record(let transition) in actions {
            let change = runner.change(transition, to: machine, now: now, nextSyncAt: planned?.time)
            publish(try await cache.writer.record(change))
        }
        // Reports at once if the cache can't be written.
        if event == .restarted, machine == runner.machine { try await cache.writer.requireWritable() }
        runners[resource]?.machine = machine
        for action in actions {
            switch action {
            case .record: break
            case .report(let progress):
                runners[resource]?.progress = progress
                report(resource)
            case .startSync(let generation): await start(resource, generation)
            case .stopSync(let generation):
                runners[resource]?.sync?.cancel()
                await cache.writer.dropStaging(resource, generation)
            case .schedule: scheduleNextSync(of: resource, at: planned)
            }
        }
        if event == .restarted, let planned, machine.failure?.kind == .rateLimited {
            // The `Retry-After` that the previous daemon got also applies to wakeups of this one.
            runners[resource]?.retryAfterUntil = environment.monotonic() + planned.delay
        }
        if machine.runningGeneration == nil {
            if runner.machine.runningGeneration != nil {
                runners[resource]?.restingSince = environment.monotonic()
            }
            if event != .superseded { ended(resource) }
        }
    }

    /// Writes the rows and the transition, which depends on them, in one transaction.
    func commit(_ resource: Resource, _ generation: Int, _ staged: StagedPages) async throws {
        guard let runner = runners[resource], let plan = runner.plan,
            runner.machine.runningGeneration == generation
        else { return }
        let (machine, activePlan) = (runner.machine, runner.activePlan ?? plan)
        let now = environment.now()
        let planned = self.plan(runner.isOutdated ? .atOnce : .afterInterval, for: runner, now: now)
        let (completeness, notes) = try runner.judge(staged, of: activePlan, now: now)
        let change = try await cache.writer.commit(resource, generation, completeness.removals) { rows in
            if !runner.acceptsRemovals, let failure = activePlan.refusal(rows, runner.saved.source) {
                throw failure
            }
            var machine = machine
            let actions = machine.handle(
                .committed(generation: generation, rows: rows.after, rows.changes))
            for case .record(let transition) in actions {
                return runner.change(
                    transition, to: machine, now: now, nextSyncAt: planned?.time,
                    committed: Runner.Committed(
                        rows: rows, staged.compared(rows, isRequested: runner.isFull, now: now),
                        of: activePlan,
                        doubt: completeness.doubt, notes: notes, after: runner.saved.state))
            }
            throw CancellationError()
        }
        _ = runners[resource]?.machine.handle(
            .committed(generation: generation, rows: change.transition.count))
        publish(change)
        runners[resource]?.restingSince = environment.monotonic()
        scheduleNextSync(of: resource, at: planned)
        ended(resource)
        activePlan.afterCommit()
        await cache.writer.tidy()
    }

    private func publish(_ change: Change) {
        let transition = change.transition
        runners[transition.resource]?.saved = change.resource
        runners[transition.resource]?.unwritten = nil
        endReports(transition.resource)
        lastIndex = transition.index
        logger.info(
            "Transition",
            metadata: [
                "index": "\(transition.index)", "resource": "\(transition.resource)",
                "phase": "\(transition.phase)", "cause": "\(transition.cause.rawValue)",
                "count": "\(transition.count)", "failure": "\(transition.failure?.message ?? "none")",
            ])
        transitionFeed.publish(transition)
    }

    func ended(_ resource: Resource) {
        if runners[resource]?.requests.isEmpty == false { inbox.yield(.requestsAreDue(resource)) }
        guard let runner = runners[resource], !runner.waiting.isEmpty, let state = state(of: resource)
        else { return }
        runners[resource]?.waiting = []
        for caller in runner.waiting {
            caller.yield(state)
            caller.finish()
        }
    }

    // MARK: Tasks

    /// Takes the staging area here and not in the task: a stopped sync must not take it from the next one.
    private func start(_ resource: Resource, _ generation: Int) async {
        guard let runner = runners[resource], let plan = runner.plan else { return }
        runner.alarm?.task.cancel()
        runners[resource]?.alarm = nil
        runners[resource]?.acceptsRemovals = false
        runners[resource]?.isFull = false
        runners[resource]?.activePlan = plan
        joinRequests(resource)
        let start = SyncStart(
            list: runner.saved.list, changes: runner.saved.changes,
            isFull: runners[resource]?.isFull == true, readAt: runner.saved.notes?.readAt,
            waitsUntil: runner.saved.notes?.waitsUntil, last: runner.lastSync, now: now,
            draw: environment.draw())
        let (inbox, previous) = (inbox, runner.sync)
        var logger = logger
        logger[metadataKey: "resource"] = "\(resource)"
        let retries = PageRetries(schedule: plan.schedule, environment: environment, logger: logger)
        do {
            try await cache.writer.beginStaging(resource, generation)
        } catch {
            inbox.yield(.failed(resource, generation, UpstreamError(reading: error)))
            return
        }
        runners[resource]?.sync = Task(executorPreference: environment.executor, priority: .utility) {
            // A stopped sync may still be ending, and only one at a time may use upstream.
            await previous?.value
            do {
                let staged = try await plan.stage(generation, start, retries) { progress in
                    inbox.yield(.event(resource, .page(generation: generation, progress)))
                }
                inbox.yield(.staged(resource, generation, staged))
            } catch {
                inbox.yield(.failed(resource, generation, UpstreamError(reading: error)))
            }
        }
    }
}
