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
        guard !isPaused else { return nil }
        let schedule = runner.plan.schedule
        let delay =
            schedule.delay(until: next, retryAfter: retryAfter, draw: surroundings.draw())
            ?? schedule.remaining(
                of: runner.saved.state.nextSyncAt, setAt: runner.saved.state.since, now: now)
        return Planned(after: delay, now: now)
    }

    func wake(_ resource: Resource, _ planned: Planned?) {
        runners[resource]?.saved.state.nextSyncAt = planned?.time
        if let planned {
            later(.want(resource, .due, acceptsRemovals: false, wait: false, nil), after: planned.delay)
        } else {
            runners[resource]?.alarm?.task.cancel()
            runners[resource]?.alarm = nil
        }
    }

    /// A resource has one alarm: setting it takes the place of what it was set to before.
    func later(_ message: Message, after delay: Duration) {
        let resource = message.resource
        runners[resource]?.alarm?.task.cancel()
        alarms += 1
        let (sleep, inbox, number, due) = (
            surroundings.sleep, inbox, alarms, surroundings.monotonic() + delay
        )
        let task = Task(executorPreference: surroundings.executor) {
            do { try await sleep(delay) } catch { return }
            inbox.yield(.alarm(resource, number))
        }
        runners[resource]?.alarm = Alarm(number: number, message: message, due: due, task: task)
    }

    /// Plans anew where settings have changed or a pause has ended: what failed, or never was tried to the end, is due at
    /// once, all else after the interval.
    func planAnew(_ resource: Resource) {
        guard let runner = runners[resource], runner.machine.runningGeneration == nil else { return }
        guard !isPaused else { return wake(resource, nil) }
        let (state, schedule) = (runner.saved.state, runner.plan.schedule)
        let delay =
            state.phase != .error && (state.cause.isCommitted || state.cause == .cancelled)
            ? schedule.remaining(of: state.since + schedule.interval, setAt: state.since, now: now) : .zero
        wake(resource, Planned(after: delay, now: now))
    }

    /// A waiting attempt that the wakeup may mend is brought forward. The others wait on, and tell by the clock as it is now
    /// for how long.
    func bringForward(_ wakeup: Wakeup) {
        for resource in Resource.allCases {
            guard let runner = runners[resource], runner.machine.runningGeneration == nil,
                let alarm = runner.alarm
            else { continue }
            let time = surroundings.monotonic()
            let delay = runner.plan.schedule.delay(
                after: wakeup, retries: runner.machine.failure.map(wakeup.mayMend) ?? false,
                remaining: alarm.due - time, patience: runner.patientUntil - time,
                sinceAttempt: runner.attemptEnded.map { time - $0 } ?? .seconds(Int64.max / 2),
                draw: surroundings.draw())
            wake(resource, Planned(after: delay, now: now))
        }
    }
}
