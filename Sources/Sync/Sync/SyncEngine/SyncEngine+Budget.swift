import Model

/// Requested syncs: which of them begin, wait, join the running one, or are refused.
extension SyncEngine {
    /// Whether a request heeds upstream's `Retry-After`.
    package enum Patience: Sendable {
        case waits
        /// Once in each `Retry-After`, for a person.
        case insistsOnce
        case ignores
    }

    /// A call that wants a sync.
    struct Request: Sendable {
        var cause: Cause
        var acceptsRemovals: Bool
        /// Wants the full list.
        var isFull: Bool
        /// Never answered with a sync that began before the request.
        var isNew: Bool
        var patience: Patience
        var wait: Bool
        var caller: Caller
    }

    func request(_ request: Request, on resource: Resource) async {
        if runners[resource]?.unwritten != nil, await !repeatUnwritten(resource) {
            return answer(request.caller, resource, wait: false)
        }
        guard let runner = runners[resource], let plan = runner.plan else {
            return answer(request.caller, resource, wait: false)
        }
        let isNeeded = request.cause != .retried || runner.machine.hasFailed
        let isRunning = runner.machine.runningGeneration != nil
        // Other settings, consent or credentials than those of the running sync.
        let isApart = request.isNew || request.acceptsRemovals || request.isFull || runner.isOutdated
        if isNeeded, isApart || !isRunning {
            runners[resource]?.requests.append(request)
            return await beginRequested(resource)
        }
        if isNeeded, request.cause != .due { plan.onManualSync() }
        answer(request.caller, resource, wait: request.wait)
    }

    /// Begins the sync for the waiting requests, as soon as the running one has ended and the budget has one.
    /// Refuses them while upstream's `Retry-After` holds.
    func beginRequested(_ resource: Resource) async {
        guard let runner = runners[resource], !runner.requests.isEmpty else { return }
        guard runner.plan != nil, runner.unwritten == nil else { return answerRequests(resource) }
        guard runner.machine.runningGeneration == nil else { return }
        let (requests, time) = (runner.requests, environment.monotonic())
        let held = runner.retryAfterUntil - time
        let isHeld = held > .zero && runner.machine.hasFailed && !runner.hasAskedElsewhere
        if isHeld, !requests.contains(where: { $0.patience.goesOn(runner.hasInsisted) }) {
            return answerRequests(resource, heldUntil: now + held)
        }
        let wait = runners[resource]?.budget.take(at: time) ?? .zero
        guard wait <= .zero else {
            runners[resource]?.requestTimer =
                runner.requestTimer ?? sending(.requestsAreDue(resource), after: wait)
            return
        }
        runners[resource]?.hasInsisted = isHeld
        let causes = Set(requests.map(\.cause))
        let cause = causes.count == 1 ? requests[0].cause : .requested
        await handle(.want(resource, cause))
        // They are still here if the transition could not be written.
        answerRequests(resource)
    }

    /// A sync has begun: it is that of all waiting requests.
    func joinRequests(_ resource: Resource) {
        runners[resource]?.isOutdated = false
        if runners[resource]?.requests.contains(where: \.acceptsRemovals) == true {
            runners[resource]?.acceptsRemovals = true
        }
        if runners[resource]?.requests.contains(where: \.isFull) == true { runners[resource]?.isFull = true }
        answerRequests(resource)
    }

    /// - Parameter heldUntil: the end of upstream's `Retry-After`, if that is the reason.
    func answerRequests(_ resource: Resource, heldUntil: Timestamp? = nil) {
        guard let runner = runners[resource] else { return }
        runner.requestTimer?.cancel()
        runners[resource]?.requestTimer = nil
        runners[resource]?.requests = []
        for request in runner.requests {
            guard let heldUntil, var state = state(of: resource) else {
                answer(request.caller, resource, wait: request.wait)
                continue
            }
            // While paused, no sync is planned.
            state.nextSyncAt = state.nextSyncAt ?? heldUntil
            request.caller.yield(state)
            request.caller.finish()
        }
    }
}

extension SyncEngine.Patience {
    fileprivate func goesOn(_ hasInsisted: Bool) -> Bool {
        switch self {
        case .waits: false
        case .insistsOnce: !hasInsisted
        case .ignores: true
        }
    }
}
