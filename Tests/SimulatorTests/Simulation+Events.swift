import Model
import Sync
import Synchronization

/// Events of a daemon's life.
extension Simulation {
    /// - Returns: time until the next event.
    func happen() throws -> Duration {
        let event = Event.allCases[random.int(below: Event.allCases.count)]
        log.add(time.now, "\(event), next question \(asking.next)")
        let soon = random.duration(.milliseconds(1), .seconds(60))
        let later = random.duration(.milliseconds(1), .seconds(3 * 3600))
        guard let daemon else { return later }
        let engine = daemon.engine
        switch event {
        case .mood:
            let mood = random.chance(0.4) ? .well : random.pick(SimulatedUpstream.Mood.allCases)
            upstream.contents.withLock { $0.mood = mood }
        case .network:
            let isReachable = upstream.contents.withLock { contents in
                contents.isReachable.toggle()
                return contents.isReachable
            }
            if isReachable { wake(.networkChanged, engine) }
        case .flapping:
            for _ in 0..<20 { wake(.networkChanged, engine) }
        case .edit:
            edit()
        case .sync, .retry, .cancel, .acceptingSync, .impatience:
            ask(event, engine)
        case .pause, .resume:
            nudges += 1
            ask { try await engine.setPaused(event == .pause) }
        case .fact:
            ask { _ = try await engine.fetchFact() }
        case .disk:
            disk.contents.withLock { $0.isFullUntil = time.now + random.duration(.seconds(1), .seconds(600)) }
            nudges += 1
            // Other events may come between the repeated writes.
            return soon
        case .reload:
            nudges += 1
            ask { await daemon.reload() }
        case .clock:
            time.setWallClock(
                ahead: random.pick([.zero, .seconds(-86_400), .seconds(315_360_000), .seconds(90)]))
            wake(.clockJumped, engine)
        case .sleep:
            // During the suspend, nothing is woken.
            time.advance(to: time.now + random.duration(.seconds(1), .seconds(4 * 3600)))
            wake(.resumed, engine)
        case .restart: try restart(killing: false)
        case .kill: try restart(killing: true)
        }
        return later
    }

    private enum Event: CaseIterable {
        case mood, network, flapping, edit, sync, retry, cancel, acceptingSync, impatience, pause, resume,
            fact
        case disk, reload, clock, sleep, restart, kill
    }

    private func wake(_ wakeup: Wakeup, _ engine: SyncEngine) {
        nudges += 1
        engine.wake(wakeup)
    }

    private func edit() {
        let (number, facts, cull) = (random.int(below: 50), random.int(below: 4), random.chance(0.1))
        upstream.contents.withLock { contents in
            if cull {
                contents.people = contents.people.filter { $0.key.isMultiple(of: 3) }
            } else if random.chance(0.3) {
                contents.people[number] = nil
            } else {
                contents.people[number, default: 0] += 1
            }
            contents.facts += facts
        }
    }

    private func ask(_ event: Event, _ engine: SyncEngine) {
        let resources = random.pick([[Resource.users], [.facts], [.users, .facts]])
        let wait = random.chance(0.5)
        nudges += 1
        switch event {
        case .sync: ask { _ = try await engine.sync(resources, wait: wait) }
        case .retry: ask { _ = try await engine.retry(resources, wait: wait) }
        case .cancel: ask { _ = try await engine.cancel(resources) }
        case .acceptingSync:
            if resources.contains(.users) { disk.contents.withLock { $0.acceptsRemovals = true } }
            ask { _ = try await engine.sync(resources, acceptsRemovals: true, wait: wait) }
        default:
            // A client that requests and cancels repeatedly.
            for _ in 0..<5 {
                ask { _ = try await engine.sync(resources, wait: true) }
                ask { _ = try await engine.cancel(resources) }
            }
        }
    }

    func ask(_ body: @escaping @Sendable () async throws -> Void) {
        let (asking, log, time) = (asking, log, time)
        let number = asking.begin()
        Task(executorPreference: executor) {
            // A request fails if it can't be written or the daemon has ended.
            do { try await body() } catch { log.add(time.now, "question \(number): \(error)") }
            asking.end(number)
        }
    }
}
