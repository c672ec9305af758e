import Model
import Sync
import Synchronization

/// Invariants.
extension Simulation {
    func check() throws {
        if let violation = observer.contents.withLock({ $0.violation }) { throw failure(violation) }
        let upstream = upstream.contents.withLock { $0 }
        if upstream.mostUnderWay > 1 {
            throw failure("\(upstream.mostUnderWay) requests of one resource at once")
        }
        guard let engine = daemon?.engine else { return }
        let refused = disk.contents.withLock { $0.refused }.map { time.now - $0 <= .seconds(10) } ?? false
        let mostWait = Duration.seconds(86_400)
        for state in engine.states {
            switch state.phase {
            case .syncing:
                // The sync may be waiting to retry a page.
                let waits = upstream.answered[state.resource].map { time.now - $0 <= .seconds(301) } ?? false
                guard upstream.underWay[state.resource] == 1 || waits || refused else {
                    throw failure("\(state.resource) syncs without a request to upstream")
                }
            case .initial, .loaded, .empty, .error:
                guard let next = state.nextSyncAt else {
                    guard engine.paused || refused else {
                        throw failure("\(state.resource) has no next step")
                    }
                    continue
                }
                let wait = next - time.wallClock
                // A transition that could not be written is tried again, also while paused.
                let mayBeDue = !engine.paused || state.failure?.kind == .storage
                guard mayBeDue, wait <= mostWait, wait >= .milliseconds(-1) || refused else {
                    throw failure(
                        "\(state.resource) is due in \(wait)\(engine.paused ? " while paused" : "")")
                }
            }
        }
    }

    func recover() throws {
        log.add(time.now, "all is well again")
        upstream.contents.withLock {
            $0.mood = .well
            $0.isReachable = true
        }
        disk.contents.withLock { $0.isFullUntil = .zero }
        guard let engine = daemon?.engine else { return }
        ask { try await engine.setPaused(false) }
        try settle()
        // The longest wait: a Retry-After of a day, then a sync of each resource.
        let enough = time.now + .seconds(86_400 + 3600)
        func isSyncing() -> Bool { engine.states.contains { $0.phase == .syncing } }
        while let next = time.nextDue, next < enough || isSyncing() {
            time.advance(to: next)
            try settle()
        }
        let unanswered = asking.open
        guard unanswered.isEmpty else { throw failure("the requests \(unanswered) were never answered") }
        for state in engine.states {
            let truth = upstream.truth(state.resource)
            let ids = try disk.ids(of: state.resource)
            guard state.count == ids.count else {
                throw failure("\(state.resource): \(state.count) of \(ids.count)")
            }
            switch state.phase {
            case .error where state.failure?.kind == .removalGuard: break
            case .loaded, .empty:
                guard state.resource == .users ? ids == truth : ids.isSuperset(of: truth) else {
                    throw failure("\(state.resource) are not what upstream has")
                }
            default: throw failure("\(state.resource) did not recover: \(state)")
            }
        }
        try checkRequests()
    }

    /// Checks that only regular syncs, retries with backoff and requested syncs reach upstream.
    private func checkRequests() throws {
        let requests = upstream.contents.withLock { $0.requests }
        let lived = time.now.inSeconds
        let causes = Double(nudges + 2 * restarts + 2)
        for resource in Resource.allCases {
            let interval = (settings.intervals[resource]?.inSeconds ?? 0) * 0.9
            let syncs = causes * 12 + lived / interval * 12 + lived / (settings.retryCap.inSeconds / 2)
            let bound = syncs * 30
            guard Double(requests[resource] ?? 0) <= bound else {
                throw failure("\(requests[resource] ?? 0) requests for \(resource), more than \(bound)")
            }
        }
    }
}
