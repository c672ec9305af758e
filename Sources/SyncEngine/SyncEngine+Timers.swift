import Cache
import Model
import Services
import SyncCore

/// When a resource syncs next by itself.
struct Planned {
    var delay: Duration
    /// `delay` from now, as it is shown and stored.
    var time: Timestamp

    init(after delay: Duration, now: Timestamp) {
        self.delay = delay
        time = now + delay
    }
}

extension SyncEngine {
    /// Nil while paused: then nothing happens by itself.
    func plan(
        _ next: NextSync, for runner: Runner, now: Timestamp, retryAfter: Duration? = nil
    ) -> Planned? {
        guard !paused else { return nil }
        let schedule = runner.plan.schedule
        let delay =
            schedule.delay(until: next, retryAfter: retryAfter, draw: surroundings.draw())
            ?? schedule.remaining(of: runner.saved.state.nextSyncAt.map { $0 - now })
        return Planned(after: delay, now: now)
    }

    func wake(_ resource: Resource, _ planned: Planned?) {
        runners[resource]?.saved.state.nextSyncAt = planned?.time
        guard let planned else { return runners[resource]?.timer?.cancel() ?? () }
        later(.want(resource, .due, acceptsRemovals: false, wait: false, nil), after: planned.delay)
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

    /// Whoever has other settings wants them tried: what failed, or never was tried to the end, is due at once, all else
    /// after its new interval.
    func take(_ plan: SyncPlan) {
        guard let runner = runners[plan.resource] else { return }
        runners[plan.resource]?.plan = plan
        guard runner.machine.runningGeneration == nil else { return }
        let (state, now) = (runner.saved.state, surroundings.now())
        let hasSynced = state.phase != .error && [.committed, .cancelled].contains(state.cause)
        let delay =
            hasSynced ? plan.schedule.remaining(of: state.since + plan.schedule.interval - now) : .zero
        wake(plan.resource, paused ? nil : Planned(after: delay, now: now))
    }
}
