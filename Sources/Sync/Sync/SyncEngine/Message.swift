import Cache
import Logging
import Model
import Upstream

extension SyncEngine {
    enum Message: Sendable {
        case want(Resource, Cause)
        case request(Resource, Request)
        /// The budget may allow the sync that requests wait for.
        case requestsAreDue(Resource)
        case cancel(Resource, Caller)
        case leave(Resource, Caller)
        case event(Resource, Machine.Event)
        case staged(Resource, Int, StagedPages)
        case failed(Resource, Int, UpstreamError)
        case fetched(Fact, CheckedContinuation<Fact, any Error>)
        /// The number of an alarm; one that was replaced is ignored.
        case alarm(Resource, Int)
        case reportIsDue(Resource)
        case wakeup(Wakeup)
        case setPaused(Bool, CheckedContinuation<Void, any Error>)
        case adopt([SyncPlan], FactsService, paused: Bool, CheckedContinuation<Void, Never>)

        /// The resource whose alarm repeats this message if a transition could not be written.
        var resource: Resource {
            switch self {
            case .want(let resource, _), .cancel(let resource, _), .leave(let resource, _),
                .event(let resource, _), .staged(let resource, _, _), .failed(let resource, _, _),
                .alarm(let resource, _), .reportIsDue(let resource), .request(let resource, _),
                .requestsAreDue(let resource):
                resource
            case .fetched, .wakeup, .setPaused, .adopt: .facts
            }
        }
    }

    /// Waits for one state.
    typealias Caller = AsyncThrowingStream<State, any Error>.Continuation

    func handle(_ message: Message) async {
        var message = message
        if case .alarm(let resource, let number) = message {
            guard let runner = runners[resource], let alarm = runner.alarm, alarm.number == number
            else { return }
            runners[resource]?.alarm = nil
            if sleptThrough(alarm, runner) { return }
            runners[resource]?.woken = alarm.isWoken ? runner.woken + 1 : 0
            message = alarm.message
        }
        do {
            try await attempt(&message)
        } catch {
            // The next start finds the sync interrupted.
            guard !Task.isCancelled else { return }
            keepUnwritten(message, because: UpstreamError(reading: error).failure)
        }
    }

    /// Throws if a transition could not be written and the message, which may now be another, must be
    /// repeated.
    private func attempt(_ message: inout Message) async throws {
        switch message {
        case .want(let resource, let cause): try await want(resource, cause)
        case .request(let resource, let request): await self.request(request, on: resource)

        case .requestsAreDue(let resource):
            runners[resource]?.requestTimer = nil
            await beginRequested(resource)

        case .cancel(let resource, let caller):
            do {
                try await perform(.cancelled, on: resource)
            } catch {
                return caller.finish(throwing: error)
            }
            answerRequests(resource)
            answer(caller, resource, wait: false)

        case .leave(let resource, let caller):
            runners[resource]?.waiting.removeAll { $0 == caller }
            runners[resource]?.requests.removeAll { $0.caller == caller }

        case .event(let resource, let event): try await perform(event, on: resource)
        case .staged(let resource, let generation, let staged):
            staged.log(resource, to: logger)
            do {
                try await commit(resource, generation, staged)
            } catch let error where !Task.isCancelled {
                message = .failed(resource, generation, UpstreamError(reading: error))
                try await attempt(&message)
            }

        // At the end, writes are interrupted: the next start finds the sync interrupted, not failed.
        case .failed where Task.isCancelled: break
        case .failed(let resource, let generation, let error): try await failed(resource, generation, error)

        case .fetched(let fact, let reply):
            do {
                reply.resume(returning: try await add(fact))
            } catch {
                reply.resume(throwing: error)
            }

        case .alarm: break
        case .reportIsDue(let resource):
            runners[resource]?.report = nil
            report(resource)

        case .wakeup(let wakeup): bringForward(wakeup)

        case .setPaused(let paused, let reply):
            do {
                reply.resume(returning: try await pause(paused))
            } catch {
                reply.resume(throwing: error)
            }

        case .adopt(let plans, let facts, let paused, let done):
            await adopt(plans, facts, paused: paused)
            done.resume()
        }
    }

    /// Throws if the transition of the sync that begins could not be written.
    private func want(_ resource: Resource, _ cause: Cause) async throws {
        guard let runner = runners[resource], runner.plan != nil,
            cause != .retried || runner.machine.hasFailed
        else { return }
        if cause == .due, await waitsForPerson(resource) {
            if let runner = runners[resource] {
                scheduleNextSync(of: resource, at: plan(.afterInterval, for: runner, now: environment.now()))
            }
            return
        }
        if cause != .due { runners[resource]?.plan?.onManualSync() }
        try await perform(.wanted(cause), on: resource)
    }

    /// True if the state already says that a person has to sign in, and nobody has since.
    private func waitsForPerson(_ resource: Resource) async -> Bool {
        guard let runner = runners[resource], runner.machine.failure?.kind == .credentials,
            let plan = runner.plan
        else { return false }
        return await plan.waitsForPerson()
    }

    private func adopt(_ plans: [SyncPlan], _ facts: FactsService, paused: Bool) async {
        fetchOneFact = facts.fetchOne
        if paused != pausedSetting {
            pausedSetting = paused
            isPaused = paused
            try? await cache.writer.savePause(nil)
        }
        for resource in Resource.allCases {
            await adopt(plans.first { $0.resource == resource }, for: resource)
        }
    }

    /// - Parameter plan: nil turns the resource off.
    private func adopt(_ plan: SyncPlan?, for resource: Resource) async {
        let wasOn = runners[resource]?.plan != nil
        runners[resource]?.plan = plan
        guard let plan else {
            if wasOn { await handle(.event(resource, .turnedOff)) }
            return
        }
        if !wasOn {
            // The transition to turned off may have failed, so its sync may still run.
            runners[resource]?.unwritten = nil
            if runners[resource]?.machine.runningGeneration != nil {
                await handle(.event(resource, .cancelled))
            }
        }
        runners[resource]?.machine.beginAnew()
        await saveInterval(of: plan)
        guard let runner = runners[resource] else { return }
        if runner.machine.runningGeneration != nil {
            guard let activePlan = runner.activePlan, activePlan.source != plan.source else { return }
            await handle(.event(resource, .superseded))
        }
        // Those who wait for the stopped sync wait for the next one.
        if runners[resource]?.waiting.isEmpty == false {
            await handle(.want(resource, .requested))
        } else {
            reschedule(resource)
        }
    }

    /// Returns the fact as cached.
    private func add(_ fact: Fact) async throws -> Fact {
        let (fact, count) = try await cache.writer.addFact(fact)
        runners[.facts]?.saved.state.count = count
        return fact
    }

    /// If it throws, nothing has changed.
    private func pause(_ paused: Bool) async throws {
        try await cache.writer.savePause(SavedPause(paused: paused, setting: pausedSetting))
        guard paused != isPaused else { return }
        isPaused = paused
        for resource in Resource.allCases { reschedule(resource) }
    }

    private func failed(_ resource: Resource, _ generation: Int, _ error: UpstreamError) async throws {
        guard runners[resource]?.machine.runningGeneration == generation else { return }
        let time = environment.monotonic()
        // First, because the disk may be full.
        await cache.writer.dropStaging(resource, generation)
        try await perform(
            .failed(generation: generation, error.failure), on: resource,
            retryAfter: error.retryAfter)
        runners[resource]?.attemptEnded = time
        runners[resource]?.retryAfterUntil = time + min(error.retryAfter ?? .zero, Schedule.longestRetryAfter)
    }

    func answer(_ caller: Caller, _ resource: Resource, wait: Bool) {
        if wait, runners[resource]?.machine.runningGeneration != nil {
            runners[resource]?.waiting.append(caller)
        } else if let state = state(of: resource),
            // If it was turned off meanwhile, the state says so.
            runners[resource]?.plan != nil || state.cause == .turnedOff
        {
            caller.yield(state)
            caller.finish()
        } else {
            caller.finish(throwing: CancellationError())
        }
    }
}

extension UpstreamError {
    /// The upstream's error as it is; others as failures of the cache or of a stopped sync.
    init(reading error: any Error) {
        switch error {
        case let error as UpstreamError: self = error
        case let failure as Failure: self.init(failure)
        case is CancellationError:
            self.init(Failure(kind: .cancelled, message: "the sync was stopped", retryable: true))
        default:
            self.init(
                Failure(kind: .storage, message: "the cache could not be written: \(error)", retryable: true))
        }
    }
}
