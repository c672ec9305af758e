import Cache
import Model

/// The time of a resource's next automatic sync.
struct Planned {
    var delay: Duration
    /// Time of the sync by the wall clock, as shown and stored.
    var time: Timestamp
}

extension SyncEngine {
    /// Nil while paused, and for a resource that is turned off or has no upstream.
    func plan(
        _ next: NextSync, for runner: Runner, now: Timestamp, retryAfter: Duration? = nil
    ) -> Planned? {
        guard !isPaused, runner.plan?.isScheduled == true, let schedule = runner.schedule else { return nil }
        var delay =
            schedule.delay(until: next, retryAfter: retryAfter, draw: environment.draw())
            ?? schedule.remaining(
                of: runner.saved.state.nextSyncAt, setAt: runner.saved.state.since,
                retries: runner.machine.hasFailed, now: now)
        // A start is often a login.
        if next == .asBefore, delay > .zero, let age = runner.ageToMend(now) {
            delay = schedule.delayWhenBack(remaining: delay, age: age, draw: environment.draw())
        }
        return Planned(delay: delay, time: now + delay)
    }

    /// Sets or removes the alarm for the next automatic sync.
    /// - Parameter isWoken: a wakeup brought the sync forward.
    func scheduleNextSync(of resource: Resource, at planned: Planned?, isWoken: Bool = false) {
        runners[resource]?.saved.state.nextSyncAt = planned?.time
        runners[resource]?.unwritten = nil
        if let planned {
            later(.want(resource, .due), after: planned.delay, isWoken: isWoken)
        } else {
            runners[resource]?.alarm?.task.cancel()
            runners[resource]?.alarm = nil
        }
    }

    /// Sets the resource's only alarm.
    func later(_ message: Message, after delay: Duration, isWoken: Bool = false) {
        let resource = message.resource
        runners[resource]?.alarm?.task.cancel()
        alarms += 1
        runners[resource]?.alarm = Alarm(
            number: alarms, message: message, due: environment.monotonic() + delay, isWoken: isWoken,
            task: sending(.alarm(resource, alarms), after: delay))
    }

    /// Sends the message when the time is over, unless the task is cancelled.
    func sending(_ message: Message, after delay: Duration) -> Task<Void, Never> {
        let (sleep, inbox) = (environment.sleep, inbox)
        return Task(executorPreference: environment.executor) {
            do { try await sleep(delay) } catch { return }
            inbox.yield(message)
        }
    }

    /// Plans the next sync after new settings or the end of a pause: after a success, the interval applies;
    /// otherwise the sync is due at once, or when upstream's `Retry-After` ends.
    func reschedule(_ resource: Resource) {
        guard let runner = runners[resource], let plan = runner.plan, let schedule = runner.schedule,
            runner.machine.runningGeneration == nil
        else { return }
        guard !isPaused, plan.isScheduled else { return scheduleNextSync(of: resource, at: nil) }
        // The alarm repeats the transition that could not be written.
        guard runner.unwritten == nil else { return }
        let state = runner.saved.state
        let hasSynced =
            state.phase != .error && (state.cause.isCommitted || state.cause == .cancelled)
            && !runner.hasAskedElsewhere
        let interval = schedule.delay(until: .afterInterval, draw: environment.draw()) ?? schedule.interval
        let delay =
            if hasSynced, let restingSince = runner.restingSince {
                max(.zero, restingSince + interval - environment.monotonic())
            } else if hasSynced {
                schedule.remaining(of: state.since + interval, setAt: state.since, now: now)
            } else {
                runner.hasAskedElsewhere
                    ? .zero : max(.zero, runner.retryAfterUntil - environment.monotonic())
            }
        scheduleNextSync(of: resource, at: Planned(delay: delay, time: now + delay))
    }

    /// Brings forward attempts that may now succeed. The others keep their wait, but their time is shown by
    /// the current wall clock.
    func bringForward(_ wakeup: Wakeup) {
        let time = environment.monotonic()
        for resource in Resource.allCases {
            guard let runner = runners[resource], let alarm = runner.alarm else { continue }
            let remaining = max(.zero, alarm.due - time)
            runners[resource]?.unwritten?.nextAttempt = now + remaining
            guard runner.machine.runningGeneration == nil, runner.unwritten == nil else { continue }
            var delay = remaining
            let schedule = runner.schedule
            if wakeup != .clockJumped, let age = runner.ageToMend(now), let schedule {
                delay = schedule.delayWhenBack(remaining: remaining, age: age, draw: environment.draw())
            } else if let failure = runner.machine.failure, wakeup.mayMend(failure), let schedule {
                delay = schedule.delayWhenWoken(
                    remaining: remaining, patience: runner.retryAfterUntil - time,
                    sinceAttempt: runner.attemptEnded.map { time - $0 } ?? .seconds(Int64.max / 2),
                    woken: runner.woken, draw: environment.draw())
            }
            scheduleNextSync(
                of: resource, at: Planned(delay: delay, time: now + delay),
                isWoken: alarm.isWoken || delay < remaining)
        }
    }

    /// Whether the alarm is late because the machine slept: the sync then waits as after a resume.
    func sleptThrough(_ alarm: Alarm, _ runner: Runner) -> Bool {
        guard environment.monotonic() - alarm.due > .seconds(60), runner.plan?.isScheduled == true, !isPaused,
            case .want(let resource, .due) = alarm.message, let age = runner.ageToMend(now),
            let schedule = runner.schedule
        else { return false }
        let delay = schedule.delayWhenBack(remaining: .zero, age: age, draw: environment.draw())
        guard delay > .zero else { return false }
        scheduleNextSync(of: resource, at: Planned(delay: delay, time: now + delay))
        return true
    }
}

extension Runner {
    /// Time since the last success, if another sync may bring something new; nil for facts, which are no copy of a directory.
    fileprivate func ageToMend(_ now: Timestamp) -> Duration? {
        guard saved.state.resource == .users, !machine.hasFailed else { return nil }
        return saved.state.syncedAt.map { now - $0 }
    }
}
