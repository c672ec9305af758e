import Model
import SyncCore

/// Syncs that are had one at a time: what happens then hangs on what upstreams answer, and not on which of two answers is
/// there first, nor on how long it took. A recording that was made so can be replayed at any speed.
struct Turns {
    fileprivate struct Place {
        var resource: Resource
        var generation: Int
        var begins: AsyncStream<Never>.Continuation
    }

    /// The first syncs, and the others wait for it to end.
    fileprivate var line: [Place] = []
    /// When the line began, on the monotonic clock.
    fileprivate var began: Duration?
    /// The wall clock when the first of the line began.
    fileprivate var clock: Timestamp?
    /// How long there has been a line in all, but for the one that there is, less what was skipped.
    fileprivate var lasted = Duration.zero
}

extension SyncEngine {
    /// The time that alarms are set by: it stands still while one syncs in its turn.
    var alarmTime: Duration { (turns.began ?? surroundings.monotonic()) - turns.lasted }

    /// Whether alarms wait for the end of a sync.
    var alarmsWait: Bool { turns.began != nil }

    /// What does not come of the work that goes on happens, in a replay, whose clock moves with what upstream answers, when that
    /// work began, however far it is.
    var timeOfCalls: Timestamp { (calls.isReplay ? turns.clock : nil) ?? surroundings.now() }

    /// When a transition happens.
    func time(of event: Machine.Event, on resource: Resource) -> Timestamp {
        let isOfWork =
            switch event {
            case .failed: true
            case .cancelled: turns.line.first?.resource == resource
            default: false
            }
        return isOfWork ? surroundings.now() : timeOfCalls
    }

    /// Has alarms be due as if it were that late.
    func skip(to time: Duration) {
        guard time > alarmTime else { return }
        turns.lasted -= time - alarmTime
        for resource in Resource.allCases {
            runners[resource]?.alarm?.task?.cancel()
            setAlarm(resource)
        }
    }

    /// Nil where nobody waits for anybody; else what ends when the work may begin.
    func takeTurn(_ resource: Resource, _ generation: Int) -> AsyncStream<Never>? {
        guard oneAtATime else { return nil }
        let (turn, begins) = AsyncStream.makeStream(of: Never.self)
        turns.line.append(Turns.Place(resource: resource, generation: generation, begins: begins))
        if turns.line.count == 1 {
            turns.began = surroundings.monotonic()
            turns.clock = surroundings.now()
            for resource in Resource.allCases { runners[resource]?.alarm?.task?.cancel() }
            begins.finish()
        }
        return turn
    }

    /// A sync's work ends in one of two messages. What came of it has been written by now, or is of no interest any more.
    func endTurn(after message: Message) {
        switch message {
        case .staged(let resource, let generation, _), .failed(let resource, let generation, _):
            let place = turns.line.firstIndex { $0.resource == resource && $0.generation == generation }
            if let place { endTurn(place) }
        default: break
        }
    }

    private func endTurn(_ place: Int) {
        turns.line.remove(at: place)
        if let next = turns.line.first {
            turns.clock = surroundings.now()
            return next.begins.finish()
        }
        turns.clock = nil
        turns.lasted += surroundings.monotonic() - (turns.began ?? .zero)
        turns.began = nil
        for resource in Resource.allCases { setAlarm(resource) }
    }

    /// Whether an alarm that rings is heard: not while one syncs, which sets it anew when it ends, and not before all that were
    /// due earlier, whoever has been woken first.
    func isHeard(_ alarm: Alarm, _ resource: Resource) -> Bool {
        guard oneAtATime else { return true }
        if alarmsWait { return false }
        let earlier = runners.filter { other, runner in
            guard let its = runner.alarm, other != resource else { return false }
            return (its.due, its.number) < (alarm.due, alarm.number)
        }
        let first = earlier.min { ($0.value.alarm?.due ?? .zero) < ($1.value.alarm?.due ?? .zero) }
        guard let first, let its = first.value.alarm else { return true }
        inbox.yield(.alarm(first.key, its.number))
        inbox.yield(.alarm(resource, alarm.number))
        return false
    }
}
